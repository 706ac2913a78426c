"""What users of scikit-learn do without thinking works: pipelines, searches, frames, routing, boxes in notebooks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, make_scorer
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from dncsc import LSC, LSEC, USPEC, DnCSC, LloydKMeans, NystromSC, metrics

TRANSFORMERS = [DnCSC(2), USPEC(2), LSC(2), NystromSC(2), LSEC(2, n_members=3)]


def small(model):
    """A clusterer with few landmarks and a seed."""
    params = {"n_landmarks": 50} if "n_landmarks" in model.get_params() else {}
    return clone(model).set_params(random_state=0, **params)


def test_a_pipeline_with_columns_of_several_kinds_clusters_and_predicts():
    random = np.random.default_rng(0)
    y = random.integers(2, size=300)
    frame = pd.DataFrame({"size": y * 9 + random.normal(size=300), "kind": np.where(y, "a", "b")})
    encode = make_column_transformer((StandardScaler(), ["size"]), (OneHotEncoder(sparse_output=False), ["kind"]))
    steps = make_pipeline(encode, small(DnCSC(2)))
    labels = steps.fit_predict(frame)
    assert metrics.ari(y, labels) == 1
    assert (steps.predict(frame[::-1]) == labels[::-1]).all()


def test_a_loop_over_parameters_with_clones_finds_the_best(moons):
    X, y = moons
    found = {}
    for params in ParameterGrid({"n_clusters": [2, 4], "n_neighbors": [3, 5]}):
        found[tuple(params.values())] = metrics.ari(y, clone(small(DnCSC())).set_params(**params).fit(X).labels_)
    assert max(found, key=found.get)[0] == 2


def test_a_grid_search_scores_by_predict(moons):
    X, y = moons
    everything = [(np.arange(len(X)), np.arange(len(X)))]
    grid = {"dncsc__n_clusters": [2, 3, 5]}
    steps = make_pipeline(StandardScaler(), small(DnCSC()))
    search = GridSearchCV(steps, grid, scoring=make_scorer(adjusted_rand_score), cv=everything, error_score="raise")
    assert search.fit(X, y).best_params_ == {"dncsc__n_clusters": 2}


@pytest.mark.parametrize("model", TRANSFORMERS, ids=lambda model: type(model).__name__)
def test_the_embedding_comes_as_a_frame_where_asked_for(model, moons):
    frame = pd.DataFrame(moons[0][:400], columns=["x", "y"], index=np.arange(400) + 7)
    out = small(model).set_output(transform="pandas").fit_transform(frame)
    assert list(out.index) == list(frame.index)
    assert all(name.startswith(type(model).__name__.lower()) for name in out.columns)


@pytest.mark.parametrize("model", [DnCSC(2), LloydKMeans(2)], ids=lambda model: type(model).__name__)
def test_weights_are_routed_through_a_pipeline_where_asked_for(model, mixture):
    X, _ = mixture
    weight = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    alone = small(model).fit(StandardScaler().fit(X).transform(X), sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        asking = make_pipeline(scaler, small(model).set_fit_request(sample_weight=True))
        assert (asking.fit(X, sample_weight=weight)[-1].labels_ == alone.labels_).all()
        assert (asking.fit_predict(X, sample_weight=weight) == alone.labels_).all()
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            make_pipeline(scaler, small(model)).fit(X, sample_weight=weight)


def test_a_notebook_shows_a_box_that_says_whether_it_is_fitted(moons):
    model = small(DnCSC(2))
    assert "Not fitted" in model._repr_html_()
    assert "DnCSC" in model.fit(moons[0])._repr_html_()
    assert "Not fitted" not in model._repr_html_()


def test_a_frozen_model_stays_as_it_is_in_a_pipeline(moons):
    X, y = moons
    model = small(DnCSC(2)).fit(X)
    steps = make_pipeline(FrozenEstimator(model), LogisticRegression()).fit(X[:50], y[:50])
    assert steps[0].estimator is model
    assert len(model.labels_) == len(X)
    assert steps.score(X, y) > 0.95
