"""Every class lives among scikit-learn's estimators: the common checks pass, with no exception."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dncsc import LSC, LSEC, USENC, USPEC, DnCSC, ExactSC, LloydKMeans, NystromSC

KINDS = ["kmeans", "random", "kmeans-hubs", "random-hubs"]


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",  # checks with fewer distinct rows than 8 clusters
    "ignore::sklearn.exceptions.SkipTestWarning",
)
@parametrize_with_checks(
    [
        USPEC(n_landmarks=50),
        USPEC(n_clusters=3, n_landmarks=20, nearest="exact", bandwidth="local", normalize="l1", n_jobs=1),
        *(LSC(landmarks=kind, n_landmarks=50) for kind in KINDS),
        LSC(n_clusters=3, bandwidth="adaptive", n_landmarks=20, n_jobs=2),
        NystromSC(n_landmarks=50),
        ExactSC(),
        LloydKMeans(),
        LSEC(n_members=4, n_graphs=2, n_landmarks=50),
        USENC(n_members=3, n_landmarks=50),
        DnCSC(n_landmarks=50, bandwidth="local"),
        DnCSC(n_landmarks=50, bandwidth="adaptive"),
        DnCSC(n_landmarks=50, select="kmeans"),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator, check):
    check(estimator)
