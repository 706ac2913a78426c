"""The five promises of the design, each kept by the tests named after it."""

from __future__ import annotations

import gc
import json
import os
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from threadpoolctl import threadpool_info

from dncsc import DnCSC, load_model
from dncsc.engines.columns import InMemory
from dncsc.engines.layout import Layout
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.engines.pool import one_thread_each
from dncsc.estimators.parameters import check_parameters

pytestmark = pytest.mark.filterwarnings("ignore:Nothing is told apart")  # in many rows here, which are at random

SMALL = {"n_landmarks": 150, "random_state": 0}


@pytest.fixture(scope="module")
def tables(flower, blobs):
    """Tables of more than one block: few features, some, many."""
    noisy = {"apart": 6.0, "k": 6}
    return {
        "2-D": flower[0],
        "16-D": blobs(70_000, 16, dtype="float32", **noisy)[0],
        "300-D": blobs(5_000, 300, dtype="float64", **noisy)[0],
    }


SHAPES = ["2-D", "16-D", "300-D"]


# 1. One seed, one answer


@pytest.mark.parametrize("nearest", ["candidates", "exact"])
@pytest.mark.parametrize("shape", SHAPES)
def test_one_seed_one_answer_for_any_number_of_threads(tables, shape, nearest):
    X = tables[shape]
    assert Layout(*X.shape).n_blocks > 1
    models = [DnCSC(6, nearest=nearest, n_jobs=jobs, **SMALL).fit(X) for jobs in (1, 3)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.labels_, models[0].labels_)
        np.testing.assert_array_equal(model.landmarks_, models[0].landmarks_)
        np.testing.assert_array_equal(model.predict(X), models[0].labels_)


def as_memmap(X, folder):
    np.save(folder / "rows.npy", X)
    return np.load(folder / "rows.npy", mmap_mode="r")


def as_every_other_row(X, folder):
    wide = np.full((2 * len(X), X.shape[1] + 3), np.nan, X.dtype)
    wide[::2, 1:-2] = X
    return wide[::2, 1:-2]


def as_frame(X):
    return {f"column {i}": X[:, i] for i in range(X.shape[1])}


FORMS = {
    "fortran": lambda X, folder: np.asfortranarray(X),
    "memmap": as_memmap,
    "list": lambda X, folder: X.tolist(),
    "writeable": lambda X, folder: X.copy(),
    "big-endian": lambda X, folder: X.astype(X.dtype.newbyteorder(">")),
    "every other row": as_every_other_row,
    "backwards": lambda X, folder: X[::-1].copy()[::-1],
    "pandas": lambda X, folder: pd.DataFrame(as_frame(X)),
    "polars": lambda X, folder: pl.DataFrame(as_frame(X)),
}


@pytest.fixture(scope="module")
def two_blocks(flower):
    """The same rows and their labels in each precision."""
    tables = {dtype: np.ascontiguousarray(flower[0][:70_000], dtype) for dtype in ("float32", "float64")}
    for X in tables.values():
        X.setflags(write=False)
    return {dtype: (X, DnCSC(13, **SMALL).fit_predict(X)) for dtype, X in tables.items()}


@pytest.mark.parametrize(
    ("form", "dtype"),
    [
        *((form, "float64") for form in FORMS),  # a list of Python's floats is float64, whatever it was before
        *((form, "float32") for form in ("fortran", "memmap", "big-endian", "pandas")),
    ],
)
def test_one_seed_one_answer_for_any_form_of_the_same_numbers(two_blocks, tmp_path, form, dtype):
    X, labels = two_blocks[dtype]
    other = FORMS[form](X, tmp_path)
    model = DnCSC(13, **SMALL).fit(other)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.predict(other), labels)


@pytest.mark.parametrize("form", ["fortran", "memmap", "big-endian"])
def test_one_seed_one_answer_for_any_form_of_many_features(tables, tmp_path, form):
    X = tables["300-D"]
    expected = DnCSC(6, **SMALL).fit_predict(X)
    np.testing.assert_array_equal(DnCSC(6, **SMALL).fit_predict(FORMS[form](X, tmp_path)), expected)


def test_one_seed_one_answer_when_several_threads_fit_at_once(tables):
    jobs = [tables[shape] for shape in SHAPES] * 2
    expected = [DnCSC(6, **SMALL).fit(X) for X in jobs[:3]]
    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(lambda X: DnCSC(6, n_jobs=2, **SMALL).fit(X), jobs))
    for i, model in enumerate(found):
        np.testing.assert_array_equal(model.labels_, expected[i % 3].labels_)
        np.testing.assert_array_equal(model.eigenvalues_, expected[i % 3].eigenvalues_)


def threads_of_blas():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_has_one_thread_while_anyone_fits_and_all_of_them_afterwards():
    """Whoever comes first and whoever leaves last: threadpoolctl by itself obeys one thread only."""
    before = threads_of_blas()
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        with one_thread_each:  # this thread has set the pools before
            assert set(threads_of_blas()) == {1}
        one.submit(one_thread_each.__enter__).result()
        other.submit(one_thread_each.__enter__).result()
        assert set(threads_of_blas()) == {1}
        one.submit(one_thread_each.__exit__).result()
        assert set(threads_of_blas()) == {1}
        other.submit(one_thread_each.__exit__).result()
    assert threads_of_blas() == before


def test_one_seed_one_answer_when_several_threads_predict_with_one_model(tables):
    X = tables["16-D"]
    model = DnCSC(6, **SMALL).fit(X)
    with ThreadPoolExecutor(4) as pool:
        for labels in pool.map(model.predict, [X] * 6):
            np.testing.assert_array_equal(labels, model.labels_)


def test_another_seed_may_give_another_answer(flower):
    X = flower[0][:5_000]
    landmarks = [DnCSC(13, n_landmarks=150, random_state=seed).fit(X).landmarks_ for seed in (0, 1)]
    assert not np.array_equal(*landmarks)


# 2. Memory is bounded

BYTES_A_ROW = 4
"""Its label: nothing else is kept of many rows with few features."""
BYTES_BESIDE = 64 * 2**20

FIT_AND_MEASURE = """
import re, sys
from pathlib import Path
from dncsc import DnCSC, pipeline
from dncsc.engines.columns import InMemory
from dncsc.datasets import load

def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

X, _ = load("fl-20m", n=int(sys.argv[1]))
model = DnCSC(13, random_state=0, n_jobs=2)
model.fit(X[:250_000])  # libraries loaded, kernels compiled or read
Path("/proc/self/clear_refs").write_text("5")  # the highest so far is forgotten
before = kilobytes("VmRSS")
model.fit(X)
print(kilobytes("VmHWM") - before)
"""


@pytest.mark.long
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="only Linux tells the peak of a process")
def test_memory_is_bounded_beyond_the_input(run_python):
    n = 10_000_000
    done = run_python(FIT_AND_MEASURE, n)
    assert done.returncode == 0, done.stderr
    extra = int(done.stdout) * 1024
    print(f"{extra / 2**20:.0f} MB beyond the input, {extra / n:.0f} bytes a row")
    assert BYTES_A_ROW * n < extra <= BYTES_A_ROW * n + BYTES_BESIDE  # less than the columns alone is no measurement


# 3. predict on the training rows returns labels_


WIDTHS = [1, 2, 3, 16, 63, 64, 300]


@pytest.mark.parametrize(
    ("d", "nearest", "dtype"),
    [
        *zip(WIDTHS, ["candidates"] * 7, ["float32", "float64"] * 4, strict=False),
        *zip(WIDTHS, ["exact"] * 7, ["float64", "float32"] * 4, strict=False),
    ],
)
def test_predict_on_the_training_rows_returns_the_labels(blobs, d, nearest, dtype):
    X, _ = blobs(4_000, d, k=7, apart=5.0, dtype=dtype)
    model = DnCSC(7, nearest=nearest, **SMALL).fit(X)
    assert model.labels_.dtype == np.int32
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    for chosen in (slice(None, None, -1), slice(17, 1_234), np.random.default_rng(0).permutation(len(X))):
        np.testing.assert_array_equal(model.predict(X[chosen]), model.labels_[chosen])
    one_by_one = [model.predict(X[i : i + 1])[0] for i in range(0, len(X), 100)]
    np.testing.assert_array_equal(one_by_one, model.labels_[::100])


def test_predict_on_the_training_rows_returns_the_labels_of_landmarks_from_several_rounds(tables, tmp_path):
    X = tables["16-D"]
    model = DnCSC(6, n_landmarks=400, random_state=0).fit(X)
    assert len(model._model.embedding.graph.links.tree.levels) > 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").predict(X), model.labels_)


@pytest.mark.parametrize("shape", SHAPES)
def test_predict_returns_the_labels_of_several_blocks_for_any_number_of_threads(tables, shape):
    X = tables[shape]
    model = DnCSC(6, **SMALL).fit(X)
    np.testing.assert_array_equal(model.predict(X[1_000:]), model.labels_[1_000:])
    for jobs in (1, 3):
        np.testing.assert_array_equal(model.set_params(n_jobs=jobs).predict(X), model.labels_)


# 4. Bad input gets a clear error (case by case in test_checks.py and test_parameters.py)


@pytest.mark.parametrize(
    ("parameters", "X", "kind", "words"),
    [
        ({}, [[0.0, 1.0]] * 9 + [[2.0, np.nan]], ValueError, "row 9, column 1"),
        ({}, [["red", "blue"]] * 10, ValueError, "numeric"),
        ({}, np.ones((10, 2), complex), ValueError, "[Cc]omplex"),
        ({"n_clusters": 11}, np.ones((10, 2)), ValueError, "n_samples=10 .* n_clusters=11"),
        ({"n_clusters": "many"}, np.ones((10, 2)), (ValueError, TypeError), "n_clusters .* 'many'"),
    ],
)
def test_bad_input_gets_a_clear_error(parameters, X, kind, words):
    with pytest.raises(kind, match=words):
        DnCSC(**parameters).fit(X)


@pytest.mark.parametrize("parameters", [{"n_clusters": 0}, {"bandwidth": -1.0}, {"nearest": "some"}, {"n_jobs": 0}])
def test_bad_parameters_get_their_error_before_any_row_is_looked_at(parameters):
    endless = np.broadcast_to(np.float32(1), (10**12, 2))  # a pass over this would never end
    with pytest.raises((ValueError, TypeError), match=next(iter(parameters))):
        DnCSC(**parameters).fit(endless)


# 5. No global state

COMPARE_STATE = """
import json, os, sys, threading, warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
import numba, numpy as np, sklearn.cluster, scipy.linalg, scipy.sparse.csgraph
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_info

make_blobs(100)  # has its libraries loaded

def state():
    settings = {name: repr(value) for name, value in vars(numba.config).items() if name.isupper()}
    pools = sorted((pool["filepath"], pool["num_threads"]) for pool in threadpool_info())
    random = np.random.get_state()
    return {
        "environment": dict(os.environ),
        "warnings": [repr(each) for each in warnings.filters],
        "numba": settings,
        "pools": pools,
        "errors": np.geterr(),
        "random": [random[0], random[1].tolist(), *random[2:]],
        "print": {name: repr(value) for name, value in np.get_printoptions().items()},
        "threads": threading.active_count(),
    }

def changes(before, after):
    return sorted(name for name in before if before[name] != after[name])

before = state()
import dncsc
imported = state()
X = make_blobs(3_000, random_state=0)[0]
model = dncsc.DnCSC(3, n_landmarks=50, random_state=0).fit(X)
model.predict(X)
fitted = state()
try:
    model.fit(X * np.nan)
except ValueError:
    pass
failed = state()
with ThreadPoolExecutor(4) as pool:
    list(pool.map(lambda seed: dncsc.DnCSC(3, n_landmarks=50, random_state=seed).fit(X), range(20)))
together = state()
stages = {"import": imported, "fit": fitted, "failed fit": failed, "fits at once": together}
print(json.dumps({name: changes(before, after) for name, after in stages.items()}))
"""


@pytest.fixture(scope="module")
def changed(run_python):
    """What differs, at each stage, from the state before dncsc was imported."""
    done = run_python(COMPARE_STATE, OPENBLAS_NUM_THREADS="3", OMP_NUM_THREADS="3")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("stage", ["import", "fit", "failed fit", "fits at once"])
def test_no_global_state_is_changed(changed, stage):
    assert changed[stage] == []


class _Watched(InMemory):
    """Remembers its arrays without keeping them."""

    def allocate(self, column):
        super().allocate(column)
        self.seen = [*getattr(self, "seen", ()), (column.name, weakref.ref(self._arrays[column.name]))]


def test_what_was_kept_for_each_row_is_gone_without_the_garbage_collector(moons):
    """Else the next fit would have to have as much memory again."""
    X, _ = moons
    columns = _Watched(len(X))
    gc.disable()
    try:
        with LocalEngine(ArraySource(X), columns=columns) as engine:
            model = DnCSC(2, n_landmarks=50, random_state=0)
            labels = model._run(engine, check_parameters(model)).labels
        del engine
        alive = {name for name, array in columns.seen if array() is not None}
    finally:
        gc.enable()
    assert {name for name, _ in columns.seen} >= {"subset", "nearest", "squared", "label"}
    assert alive == {"label"}
    assert len(labels) == len(X)
