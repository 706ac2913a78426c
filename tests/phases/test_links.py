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
from dncsc.phases import nearest as phase

SMALL = {"n_landmarks": 60, "random_state": 0}


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(phase, "MANY_ROWS", 0)


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


def test_labels_are_those_of_links_that_were_kept(blobs, monkeypatch):
    X, _ = blobs(4000, k=3, dtype="float32")
    kept = DnCSC(3, **SMALL).fit(X)
    monkeypatch.setattr(phase, "MANY_ROWS", 0)
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


def test_a_run_that_was_interrupted_goes_on_to_the_same_labels(flower, few_are_many, tmp_path, monkeypatch):
    X = flower[0][:10_000]
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
