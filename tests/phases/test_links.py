"""Links that are found while they are added up: no pass of their own, and no distances kept."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import naive
from dncsc import LSEC, DnCSC
from dncsc.engines.columns import InMemory, InScratch
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.estimators.parameters import check_parameters
from dncsc.kernels.across_rows import measure_links
from dncsc.kernels.nearest import search_candidates
from dncsc.metrics import ari
from dncsc.phases import shared_sample
from dncsc.phases.cut.policy import CutPolicy

SMALL = {"n_landmarks": 60, "random_state": 0}


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(shared_sample, "MANY_ROWS", 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3, 15])
def test_distances_measured_again_are_those_of_the_search(d, dtype):
    random = np.random.default_rng(d)
    rows, landmarks = random.standard_normal((3000, d)).astype(dtype), random.standard_normal((40, d)).astype(dtype)
    candidates, distance = naive.search_all(landmarks, landmarks, 20)
    own = random.integers(40, size=3000).astype(np.int32)
    reach = np.sqrt(distance).astype(dtype)
    found, squared, _ = search_candidates(rows, own, landmarks, candidates.astype(np.int32), reach, 5)
    again = np.empty_like(squared)
    measure_links(rows, found.astype(np.uint16), landmarks, again)
    np.testing.assert_array_equal(again, squared)
    twin = naive.squared_distances(rows, landmarks)
    np.testing.assert_allclose(again, np.take_along_axis(twin, found.astype(int), axis=1), rtol=1e-4, atol=1e-6)


class _Noted(InMemory):
    names: set[str]

    def allocate(self, column):
        self.__dict__.setdefault("names", set()).add(column.name)
        super().allocate(column)


def fit_over(model, engine):
    with engine:
        model._keep(model._run(engine, check_parameters(model)))
    return model


def test_no_distances_are_kept(blobs, few_are_many):
    X, _ = blobs(4000, k=3, dtype="float32")
    columns = _Noted(len(X))
    model = fit_over(DnCSC(3, **SMALL), LocalEngine(ArraySource(X), columns=columns))
    assert {"subset", "nearest", "label"} == columns.names
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_where_some_rows_tell_for_all_nothing_is_kept_of_the_others_but_labels(flower, few_are_many):
    X = flower[0][:70_000]
    columns = _Noted(len(X))
    model = fit_over(DnCSC(3, **SMALL), LocalEngine(ArraySource(X), columns=columns))
    assert {"label"} == columns.names
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("more", [{}, {"noise": 0.05}, {"refine": True}, {"n_clusters": "auto"}])
def test_some_rows_tell_the_clusters_that_all_would(blobs, few_are_many, monkeypatch, more):
    X, _ = blobs(30_000, k=3, dtype="float32")
    parameters = {"n_clusters": 3, **SMALL, **more}
    some = DnCSC(**parameters).fit(X)
    monkeypatch.setattr(CutPolicy, "sampled_rows", lambda policy, n_landmarks: len(X))
    of_all = DnCSC(**parameters).fit(X).labels_
    in_clusters = (some.labels_ >= 0) & (of_all >= 0)  # which of the outermost rows are noise depends on landmarks
    assert ari(some.labels_[in_clusters], of_all[in_clusters]) > 0.99
    assert np.mean(some.labels_ < 0) == pytest.approx(np.mean(of_all < 0), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_landmarks_that_no_sampled_row_is_linked_to_have_the_cluster_nearest_to_them(few_are_many, monkeypatch, seed):
    """A few rows far away have landmarks of their own, and hardly one of them is among those that tell the graph."""
    random = np.random.default_rng(seed)
    places = np.repeat([[0, 0], [40, 0], [-60, 5], [-60, -5], [100, 0]], [20_000, 20_000, 3, 3, 3], axis=0)
    X = (places + random.standard_normal(places.shape)).astype(np.float32)
    monkeypatch.setattr(CutPolicy, "sampled_rows", lambda policy, n_landmarks: 2_000)
    labels = DnCSC(2, n_landmarks=60, random_state=seed).fit(X).labels_
    left, right = labels[0], labels[20_000]
    assert left != right
    assert labels[40_000:].tolist() == [left] * 6 + [right] * 3


def test_rows_that_tell_the_graph_count_by_their_weights(blobs, few_are_many):
    """Rows of weight 0 tell nothing, wherever they are."""
    X, _ = blobs(40_000, k=3, dtype="float32")
    heavy = DnCSC(3, **SMALL).fit(np.concatenate([X, 50 + X]), sample_weight=np.repeat([1.0, 0.0], len(X)))
    assert ari(heavy.labels_[: len(X)], DnCSC(3, **SMALL).fit(X).labels_) > 0.99


def test_labels_are_those_of_links_that_were_kept(blobs, monkeypatch):
    X, _ = blobs(4000, k=3, dtype="float32")
    kept = DnCSC(3, **SMALL).fit(X)
    monkeypatch.setattr(shared_sample, "MANY_ROWS", 0)
    np.testing.assert_array_equal(DnCSC(3, **SMALL).fit(X).labels_, kept.labels_)


@pytest.mark.parametrize("method", [DnCSC, LSEC])
@pytest.mark.parametrize("bandwidth", ["auto", "adaptive"])
def test_labels_are_the_same_wherever_rows_and_columns_are(flower, few_are_many, tmp_path, method, bandwidth):
    X = flower[0][:70_000]
    more = {"n_members": 4} if method is LSEC else {}
    make = lambda: method(3, bandwidth=bandwidth, **SMALL, **more)  # noqa: E731
    wanted = make().fit(X)
    np.testing.assert_array_equal(make().set_params(n_jobs=1).fit(X).labels_, wanted.labels_)
    scratch = [
        InScratch(len(X), tmp_path),
        InScratch(len(X), tmp_path, 12 * len(X)),
    ]  # the second has no room for links
    for columns in scratch:
        found = fit_over(make(), LocalEngine(ArraySource(X), columns=columns))
        np.testing.assert_array_equal(found.labels_, wanted.labels_)
    in_chunks = make().fit(da.from_array(X, chunks=(40_000, 2)))
    np.testing.assert_array_equal(in_chunks.labels_.compute(), wanted.labels_)
    assert in_chunks.inertia_ == wanted.inertia_
    np.testing.assert_array_equal(wanted.predict(X), wanted.labels_)


@pytest.mark.parametrize("n", [10_000, 20_000])  # all tell the graph, and some do
def test_a_run_that_was_interrupted_goes_on_to_the_same_labels(flower, few_are_many, tmp_path, monkeypatch, n):
    X = flower[0][:n]
    wanted = DnCSC(3, **SMALL).fit(X)

    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    for place in ("dncsc.phases.cut.transfer_cut.landmark_graph", "dncsc.pipeline.label_all"):
        with monkeypatch.context() as patch:
            patch.setattr(place, stop)
            with pytest.raises(KeyboardInterrupt):
                DnCSC(3, checkpoint=tmp_path, **SMALL).fit(X)
    found = DnCSC(3, checkpoint=tmp_path, **SMALL).fit(X)
    np.testing.assert_array_equal(found.labels_, wanted.labels_)
    assert found.inertia_ == wanted.inertia_
