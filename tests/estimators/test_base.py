"""Every class lives among scikit-learn's estimators: the common checks pass, with no exception."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dncsc import LSC, LSEC, USENC, USPEC, DnCSC, ExactSC, LloydKMeans, NystromSC

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",  # checks with fewer distinct rows than 8 clusters
    "ignore::sklearn.exceptions.SkipTestWarning",
    "ignore:There is no clear gap",  # checks of twenty rows at random, of which two are a cluster
)


@parametrize_with_checks(
    [
        DnCSC(),
        DnCSC(n_clusters=3, n_landmarks=20, nearest="exact", normalize="l1", bandwidth=0.5, n_jobs=2),
        DnCSC(select="rows"),
        USPEC(n_landmarks=50),
        LSC(n_landmarks=50),
        NystromSC(n_landmarks=50),
        ExactSC(),
        LloydKMeans(),
        LSEC(n_members=3, n_landmarks=20),
        USENC(n_members=2, n_landmarks=20),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator, check):
    check(estimator)


@pytest.mark.long
@parametrize_with_checks(
    [
        DnCSC(n_clusters=2, n_landmarks=12, n_neighbors=2, selection_rate=3, sample_size=30, n_jobs=1),
        DnCSC(n_landmarks=50, bandwidth="local"),
        DnCSC(n_landmarks=50, bandwidth="adaptive"),
        DnCSC(n_landmarks=50, select="kmeans"),
        USPEC(n_clusters=3, n_landmarks=20, nearest="exact", bandwidth="local", normalize="l1", n_jobs=1),
        *(LSC(landmarks=kind, n_landmarks=50) for kind in ("random", "kmeans-hubs", "random-hubs")),
        LSC(n_clusters=3, bandwidth="adaptive", n_landmarks=20, n_jobs=2),
    ]
)
@pytest.mark.filterwarnings("ignore:Nothing is told apart")  # in rows at random
def test_the_common_checks_of_scikit_learn_pass_with_other_parameters(estimator, check):
    check(estimator)
