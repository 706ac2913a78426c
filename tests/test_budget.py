"""What a run is going to need is counted for what its method keeps."""

from __future__ import annotations

from dataclasses import replace

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest

from dncsc import LSEC, DnCSC, LloydKMeans, NystromSC, estimate
from dncsc.budget import SQUARES_OF_NYSTROM, Size, member_bytes
from dncsc.engines.layout import Layout
from dncsc.errors import ParameterError
from dncsc.estimators.inputs import bytes_held, size_of

N = 3_000_000


@pytest.mark.parametrize("p", [1_000, 5_000])
def test_products_that_nystrom_keeps_for_each_shard_are_counted(p):
    shards, square, threads = Layout(N, 2).n_shards, 8 * p * p, 2
    nystrom, other = (Size(N, 2, p, n_threads=threads, keeps_products=keeps).working for keeps in (True, False))
    table = square if p == 1_000 else 64 * 12 * p  # beyond 3000 landmarks, products of others are sparse
    assert shards > 20
    solver = Size(N, 2, p).solver  # which works when the sums are done
    sums, sparse_sums = (max(threads * each, solver) for each in (square, table))
    assert nystrom - other == (shards + SQUARES_OF_NYSTROM) * square + sums - sparse_sums


def test_only_a_fit_by_nystrom_keeps_products():
    rows = np.empty((1_000, 2), np.float32)
    assert size_of(NystromSC(), rows).keeps_products
    assert not size_of(NystromSC(), rows, row_bytes=4).keeps_products
    assert not size_of(DnCSC("auto"), rows).keeps_products


@pytest.mark.long
def test_members_of_many_clusters_are_counted_as_wide_as_they_are(blobs):
    rows = np.empty((1_000, 2), np.float32)
    few, many = (size_of(LSEC(k, n_members=20), rows).must_keep for k in (10, 100))
    assert (few, many) == (1_000 * (8 + 20 + 4), 1_000 * (8 + 40 + 4))
    X, _ = blobs(8_000, k=150, dtype="float32", apart=6_000.0)
    model = LSEC(150, n_members=6, n_landmarks=1_400, bandwidth="mean", n_init=1, random_state=0).fit(X)
    widths = [np.dtype(column.dtype).itemsize for column in model._model.embedding.graph.columns]
    assert max(widths) == member_bytes(150) == 2


def test_many_clusters_take_the_time_and_memory_that_k_means_among_places_needs():
    sizes = {"n_landmarks": 1000, "select": "dnc", "n_jobs": 1}
    few, many = (estimate(50_000, 2, n_clusters=k, **sizes) for k in (10, 500))
    assert few.seconds < 0.5
    assert 10 < many.seconds < 50  # it took 11 s and 22 s
    assert many.memory - few.memory > 2 * 50_000 * 500 * 4  # places of the sample; some 300 MB were measured
    counted, given = estimate(50_000, 2, n_clusters="auto", max_clusters=40), estimate(50_000, 2, n_clusters=40)
    assert (counted.memory, counted.scratch) == (given.memory, given.scratch)


def test_what_many_clusters_need_hardly_grows_with_their_number():
    some, many = (estimate(10**6, 128, n_clusters=k, n_landmarks=100_000, n_jobs=2) for k in (200, 1_000))
    assert some == many
    assert many.memory < 1.3e9  # a peak of 0.7 GB was measured
    assert estimate(10**6, 128, n_clusters=1_000) == estimate(10**6, 128, n_clusters=1_000, n_landmarks=100_000)


@pytest.mark.parametrize(("dtype", "width"), [("float16", 2), ("int8", 1), ("bool", 1), ("int16", 2), ("float32", 4)])
def test_small_numbers_take_their_own_bytes_and_are_worked_on_in_float32(dtype, width):
    needs, in_float32 = estimate(50_000, 20, dtype=dtype), estimate(50_000, 20)
    assert needs.data == 50_000 * 20 * width
    assert needs == replace(in_float32, data=needs.data)
    assert f"beyond the data ({width}.0 MB)" in str(needs)
    assert size_of(DnCSC(), np.empty((50_000, 20), dtype)).value_bytes == 4


def test_an_estimate_refuses_values_that_are_no_real_numbers():
    with pytest.raises(TypeError, match="real numbers; its dtype is complex128"):
        estimate(1_000, 2, dtype=complex)


def test_tables_in_memory_count_as_they_are():
    X = np.zeros((1_000, 8), np.float16)
    columns = {str(i): X[:, i].astype("int8" if i else "float32") for i in range(8)}
    assert bytes_held(X) == bytes_held(pd.DataFrame(X)) == 16_000
    assert bytes_held(pd.DataFrame(columns)) == bytes_held(pl.DataFrame(columns)) == 11_000
    assert bytes_held(dd.from_pandas(pd.DataFrame(columns))) == bytes_held([[1.0, 2.0]]) == 0


def test_an_estimate_refuses_parameters_that_no_estimator_has():
    assert estimate(1_000, 2, **DnCSC().get_params()) == estimate(1_000, 2)
    assert estimate(1_000, 2, **LSEC().get_params()).scratch > estimate(1_000, 2).scratch
    for name, near in (("n_cluster", "'n_clusters'"), ("landmark", "'landmarks'"), ("n_job", "'n_jobs'")):
        with pytest.raises(TypeError, match=rf"no estimator has a parameter '{name}'. Did you mean {near}\?"):
            estimate(1_000, 2, **{name: 3})
    with pytest.raises(TypeError, match=r"no estimator has a parameter 'colour'\. There are: bandwidth, "):
        estimate(1_000, 2, colour="red")


def test_an_estimate_refuses_values_that_a_fit_would_refuse():
    for name, value in (("n_landmarks", 0), ("n_clusters", "many"), ("bandwidth", "wide"), ("n_jobs", 0)):
        with pytest.raises(ParameterError, match=f"{name} must be .*; got {value!r}"):
            estimate(1_000, 2, **{name: value})


def test_k_means_of_the_identity_embedding_needs_no_places():
    rows = np.empty((10**6, 2), np.float32)
    assert size_of(DnCSC(2_000, n_landmarks=2_000, select="dnc"), rows).working > 4e9
    assert size_of(LloydKMeans(2_000), rows).working < 5e8


def test_a_solver_has_its_share_of_memory():
    assert Size(N, 2, 1_000).solver == 24 * 10**6  # a dense one
    assert Size(N, 2, 3_000).solver == Size(N, 2, 4_000).solver == 216 * 10**6  # which larger graphs are never given to
    assert Size(N, 2, 50_000).solver == 800 * 10**6  # a band
    assert Size(N, 2, 50_000, is_multilevel=True).solver == Size(N, 2, places_rows=False).solver == 0
    with_solver, without = Size(N, 2, 50_000), Size(N, 2, 50_000, places_rows=False)
    assert with_solver.working > without.working + 700 * 10**6
