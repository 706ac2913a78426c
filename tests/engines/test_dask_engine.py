"""A Dask array gives what an array gives, wherever its rows are and whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, SchedulerPlugin, wait
from hypothesis import given, settings
from hypothesis import strategies as st

from dncsc import LSC, LSEC, USPEC, DnCSC, LloydKMeans, NystromSC, watch
from dncsc.engines import dask_workers
from dncsc.engines.dask_workers import ClusterError
from dncsc.engines.layout import Layout, block_rows
from dncsc.estimators import labels_file

N = 200_000
BLOCK = Layout(N, 2).block_rows
SMALL = {"n_clusters": 6, "n_landmarks": 60, "random_state": 0}
ESTIMATORS = {
    "DnCSC": DnCSC(**{**SMALL, "n_landmarks": 150}),  # selected in several rounds; those of LSEC settle after them
    "DnCSC, many clusters": DnCSC(60, n_landmarks=3200, random_state=0),  # whose graph is added up in a sparse table
    "USPEC": USPEC(**SMALL),
    "LSC": LSC(**SMALL),
    "LSEC": LSEC(**SMALL, n_members=4, n_graphs=2),
    "LloydKMeans": LloydKMeans(6, random_state=0),
    "NystromSC": NystromSC(**SMALL),
}
FOUND = [
    "labels_",
    "landmarks_",
    "eigenvalues_",
    "cluster_centers_",
    "cluster_sizes_",
    "inertia_",
    "confidence_",
    "tree_",
]


@pytest.fixture(name="X", scope="module")
def rows_of_groups(blobs):
    """Four blocks in two shards, of groups that overlap."""
    return blobs(N, k=6, dtype="float32", apart=9.0)[0]


@pytest.fixture(scope="module")
def cluster():
    # A worker that was killed may take its time to come back: on a busy machine longer than the 15 s that Dask grants.
    patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": "4GB"}
    with patience, LocalCluster(**given) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client of two workers; without it there is none, and Dask means threads here."""
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=180)
        yield client


@pytest.fixture(params=["cluster", "threads"])
def where(request):
    """On the cluster, or on threads where there is no client."""
    if request.param == "cluster":
        request.getfixturevalue("client")


anywhere = pytest.mark.usefixtures("where")


@pytest.fixture(scope="module")
def fitted(X):
    """Estimators fitted by the local engine, once for each name and kind of rows."""
    known = {}

    def fit(name="DnCSC", rows=X, **given):
        key = name, rows.dtype.str, len(rows), tuple(given)
        if key not in known:
            known[key] = fresh(name).fit(rows, **given)
        return known[key]

    return fit


def fresh(name="DnCSC", **changes):
    return type(ESTIMATORS[name])(**{**ESTIMATORS[name].get_params(), **changes})


def assert_same_fit(model, local):
    for name in FOUND:
        assert hasattr(model, name) == hasattr(local, name)
        if hasattr(local, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(local, name), err_msg=name)


def rows_of(path, start, stop):
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def in_file(folder, X, chunk):
    """A Dask array whose chunks are read from a file by whoever needs them."""
    np.save(folder / "rows.npy", X)
    read = dask.delayed(rows_of)
    parts = [
        da.from_delayed(read(folder / "rows.npy", s, s + chunk), X[s : s + chunk].shape, X.dtype)
        for s in range(0, len(X), chunk)
    ]
    return da.concatenate(parts)


CHUNKS = {
    "of a block": (BLOCK, 2),
    "even": (50_000, 2),
    "ragged": ((1, 65_535, 70_001, 3, 64_460), 2),
    "tiny": (4_999, 2),
    "one": (N, 2),
    "some empty": ((0, 100_000, 0, 0, 100_000, 0), 2),
    "of features too": (70_000, 1),
}


# The same answer


@pytest.mark.parametrize("chunks", ["ragged", "tiny", "of features too"])
def test_chunks_change_nothing_on_a_cluster(client, X, fitted, chunks):
    model = fresh().fit(da.from_array(X, chunks=CHUNKS[chunks]))
    assert_same_fit(model, fitted())


@pytest.mark.parametrize("chunks", CHUNKS)
def test_chunks_change_nothing_without_a_client(X, fitted, chunks):
    model = fresh().fit(da.from_array(X, chunks=CHUNKS[chunks]))
    assert_same_fit(model, fitted())


cuts = st.lists(st.integers(1, N - 1), max_size=12, unique=True).map(sorted)


@settings(max_examples=6, deadline=None)
@given(cuts)
def test_no_chunking_changes_anything(X, fitted, cuts):
    chunks = tuple(np.diff([0, *cuts, N]).tolist())
    assert_same_fit(fresh().fit(da.from_array(X, chunks=(chunks, 2))), fitted())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_method_finds_the_same_on_a_cluster(client, X, fitted, name):
    assert_same_fit(fresh(name).fit(da.from_array(X, chunks=(70_001, 2))), fitted(name))


@pytest.mark.parametrize("name", ["LSEC", "NystromSC"])
def test_methods_of_other_passes_find_the_same_without_a_client(X, fitted, name):
    assert_same_fit(fresh(name).fit(da.from_array(X, chunks=(70_001, 2))), fitted(name))


@pytest.mark.parametrize("dtype", ["float64", "int32", "uint8", ">f4"])
def test_every_dtype_gives_the_same(X, fitted, dtype):
    rows = np.round(X * 4 + 100).astype(dtype)
    assert_same_fit(fresh().fit(da.from_array(rows, chunks=(70_001, 2))), fitted(rows=rows))


@pytest.mark.parametrize("dtype", ["float16", "int8", "bool"])
def test_small_numbers_on_a_cluster_get_the_labels_of_float32(client, X, dtype):
    bits = np.unpackbits(np.round(X * 4 + 100).astype(np.uint8), axis=1)
    rows = bits.astype(bool) if dtype == "bool" else np.round(X * 4).astype(dtype)
    expected = fresh().fit(rows.astype(np.float32))
    model = fresh().fit(da.from_array(rows, chunks=(70_001, rows.shape[1])))
    assert_same_fit(model, expected)
    np.testing.assert_array_equal(model.predict(da.from_array(rows, chunks=50_000)), expected.labels_)


def test_sparse_chunks_give_the_same(fitted):
    import scipy.sparse

    dense = np.random.default_rng(0).random((40_000, 100), np.float32)
    rows = scipy.sparse.csr_matrix(np.where(dense < 0.05, 20 * dense, 0))
    parts = [
        da.from_delayed(dask.delayed(rows[i : i + 13_000]), (min(13_000, 40_000 - i), 100), np.float32, meta=rows[:0])
        for i in range(0, 40_000, 13_000)
    ]
    np.testing.assert_array_equal(fresh().fit(da.concatenate(parts)).labels_, fresh().fit(rows).labels_)


@pytest.mark.parametrize("form", ["numpy", "dask"])
@anywhere
def test_sample_weights_count_the_same(X, fitted, form):
    weight = np.random.default_rng(0).integers(0, 4, N).astype(float)
    given = weight if form == "numpy" else da.from_array(weight, chunks=33_333)
    model = fresh().fit(da.from_array(X, chunks=(70_001, 2)), sample_weight=given)
    assert_same_fit(model, fitted(sample_weight=weight))


@anywhere
def test_weights_of_a_frame_count_the_same(X, fitted):
    weight = np.random.default_rng(0).integers(0, 4, N)
    frame = dd.from_pandas(pd.DataFrame({"east": X[:, 0], "north": X[:, 1], "count": weight}), npartitions=3)
    model = fresh().fit(frame[["east", "north"]], sample_weight=frame["count"])
    assert_same_fit(model, fitted(sample_weight=weight))


def test_weights_that_are_a_column_of_rows_of_unknown_number_count_the_same(X, fitted):
    weight = np.random.default_rng(0).integers(0, 4, N).astype(float)
    whole = da.from_array(np.column_stack([X, weight]), chunks=(70_001, 3))
    whole = whole[whole[:, 0] > -1e9]
    model = fresh().fit(whole[:, :2].astype(np.float32), sample_weight=whole[:, 2])
    assert np.isnan(whole.chunks[0]).all()
    assert_same_fit(model, fitted(sample_weight=weight))


BAD_WEIGHTS = [
    (lambda w: w[:-1], ValueError, "199999 weights for 200000 rows"),
    (lambda w: w[:, None], ValueError, "has to have one dimension"),
    (lambda w: w.astype(str), TypeError, "sample_weight has to hold real numbers"),
    (lambda w: w * 0, ValueError, "sample_weight is 0 for every row"),
    (lambda w: da.where(da.arange(N) >= 150_000, -w, w), ValueError, "the first is -1.0 in row 150000"),
    (lambda w: da.where(da.arange(N) == 66_000, np.nan, w), ValueError, "the first is nan in row 66000"),
    (lambda w: da.where(da.arange(N) == 66_000, np.inf, w), ValueError, "the first is inf in row 66000"),
    (lambda w: w.map_blocks(broken, dtype=float), ClusterError, r"rows \d+ to \d+ .*the disk is gone"),
]


@pytest.mark.parametrize(("what", "error", "words"), BAD_WEIGHTS)
def test_weights_that_cannot_be_used_are_refused(X, what, error, words):
    model = fresh()
    with pytest.raises(error, match=words):
        model.fit(da.from_array(X, chunks=(70_001, 2)), sample_weight=what(da.ones(N, chunks=33_333)))
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize(("what", "error", "words"), BAD_WEIGHTS[-2:])
def test_weights_that_cannot_be_used_are_refused_on_a_cluster(client, X, what, error, words):
    test_weights_that_cannot_be_used_are_refused(X, what, error, words)


@anywhere
def test_rows_of_unknown_number_give_the_same_and_stay_unknown(X, fitted):
    whole = da.from_array(X, chunks=(70_001, 2))
    low = X[:, 0].mean()
    some = whole[whole[:, 0] > low]
    model = fresh().fit(some)
    assert np.isnan(some.shape[0])
    assert np.isnan(some.chunks[0]).all()
    assert_same_fit(model, fresh().fit(X[X[:, 0] > low]))
    np.testing.assert_array_equal(model.predict(some), model.labels_)
    assert np.isnan(some.chunks[0]).all()


@anywhere
def test_a_frame_gives_the_same_and_its_names(X, fitted):
    frame = dd.from_pandas(pd.DataFrame(X, columns=["east", "north"]), npartitions=3)
    model = fresh().fit(frame)
    assert_same_fit(model, fitted())
    assert list(model.feature_names_in_) == ["east", "north"]
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    with pytest.raises(ValueError, match="column 0 was 'east' and is now 'west'"):
        model.predict(frame.rename(columns={"east": "west"}))


@anywhere
@pytest.mark.parametrize("name", ["DnCSC", "USPEC", "LSEC", "LloydKMeans", "NystromSC"])
def test_directions_are_those_of_an_array(X, name):
    local = fresh(name, metric="cosine").fit(X)
    rows = da.from_array(X, chunks=CHUNKS["ragged"])
    model = fresh(name, metric="cosine").fit(rows)
    assert_same_fit(model, local)
    np.testing.assert_array_equal(model.predict(rows), local.labels_)
    frame = dd.from_pandas(pd.DataFrame(X.astype(np.float64) * 2.0**200), npartitions=3)
    np.testing.assert_array_equal(model.predict(frame), local.labels_)


def test_names_that_are_no_words_are_no_names(X):
    model = fresh().fit(dd.from_pandas(pd.DataFrame(X), npartitions=3))
    assert not hasattr(model, "feature_names_in_")
    assert len(model.predict(X[:10])) == 10  # without a warning that names are missing


def test_large_weights_and_landmarks_go_to_workers_without_a_warning(client, tmp_path, X, fitted, monkeypatch):
    rows = in_file(tmp_path, X, N)
    monkeypatch.setattr(dask_workers, "MOST_BYTES", 100_000)
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "150kB"}):
        model = fresh().fit(rows, sample_weight=np.ones(N))
    assert_same_fit(model, fitted())


# Lazy where it can be


def chunk_read(folder, number, rows):
    """A chunk that leaves a line in a file each time it is read."""
    with open(folder / f"{number}.reads", "a") as file:
        file.write("read\n")
    return rows


def counted(folder, X, chunk=BLOCK):
    """A Dask array whose reads are counted, and a function that says how often each chunk has been read."""
    starts = range(0, len(X), chunk)
    parts = [
        da.from_delayed(dask.delayed(chunk_read)(folder, i, X[s : s + chunk]), X[s : s + chunk].shape, X.dtype)
        for i, s in enumerate(starts)
    ]

    def reads():
        files = [folder / f"{i}.reads" for i in range(len(parts))]
        return [len(file.read_text().split()) if file.exists() else 0 for file in files]

    return da.concatenate(parts), reads


@anywhere
def test_predict_and_transform_compute_nothing_until_asked(tmp_path, X, fitted):
    rows, reads = counted(tmp_path, X, 70_001)
    labels, places = fitted().predict(rows), fitted().transform(rows)
    assert sum(reads()) == 0
    assert labels.chunks == (rows.chunks[0],)
    assert places.chunks == (rows.chunks[0], (places.shape[1],))
    np.testing.assert_array_equal(labels[:3], fitted().labels_[:3])
    assert reads() == [1, 0, 0]
    np.testing.assert_array_equal(labels, fitted().labels_)
    np.testing.assert_array_equal(places, fitted().transform(X))
    assert (labels.dtype, places.dtype) == (np.int32, np.float32)


def test_prediction_of_unknown_sizes_is_lazy_and_says_where_a_value_is_not_finite(tmp_path, X, fitted):
    bad = X.copy()
    bad[150_000, 1] = np.nan
    rows, reads = counted(tmp_path, bad, 70_000)
    labels = fitted().predict(rows[rows[:, 0] > -1e9])
    assert sum(reads()) == 0
    with pytest.raises(ValueError, match=r"In chunk 2, .* row 10000, column 1"):
        labels.compute()
    with pytest.raises(ValueError, match="row 150000, column 1"):
        fitted().predict(rows).compute()


def test_prediction_of_chunks_without_rows_is_empty(X, fitted):
    none = da.from_array(X, chunks=(70_000, 2))
    none = none[none[:, 0] > 1e9]
    assert fitted().predict(none).compute().shape == (0,)
    assert fitted().transform(none).compute().shape == (0, fitted().cluster_centers_.shape[1])


@anywhere
def test_labels_are_a_dask_array_in_the_chunks_of_the_input(X, fitted):
    rows = da.from_array(X, chunks=((1, 99_999, 60_000, 40_000), 1))
    labels = fresh().fit(rows).labels_
    assert isinstance(labels, da.Array)
    assert labels.chunks == (rows.chunks[0],)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels[120_000:130_000], fitted().labels_[120_000:130_000])


def test_labels_go_to_a_file(client, tmp_path, X, fitted):
    model = fresh().fit(da.from_array(X, chunks=(70_001, 2)), labels_to=tmp_path / "labels.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), fitted().labels_)
    np.testing.assert_array_equal(model.labels_, fitted().labels_)


@pytest.mark.parametrize("chunks", [70_001, 4_999, 1_000, (0, 3, 0, 149_997, 50_000, 0)])
def test_labels_go_to_a_file_in_few_parts_of_bounded_size(tmp_path, monkeypatch, chunks):
    monkeypatch.setattr(labels_file, "ROWS_OF_A_CLUSTER_AT_A_TIME", 60_000)
    labels = da.arange(N, chunks=chunks, dtype=np.int32)
    sizes = []

    def compute(*parts):
        found = dask_compute(*parts)
        sizes.append(sum(map(len, found)))
        return found

    dask_compute = dask.compute
    monkeypatch.setattr(dask, "compute", compute)
    with labels_file.labels_file(tmp_path / "labels.npy", N) as file:
        file.write(labels)
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), np.arange(N))
    assert max(sizes) <= 60_000
    assert len(sizes) <= 8


def test_each_chunk_of_labels_that_go_to_a_file_is_computed_once(tmp_path, monkeypatch):
    monkeypatch.setattr(labels_file, "ROWS_AT_A_TIME", 60_000)
    monkeypatch.setattr(labels_file, "ROWS_OF_A_CLUSTER_AT_A_TIME", 60_000)
    labels, reads = counted(tmp_path, np.arange(N, dtype=np.int32), 4_999)
    with labels_file.labels_file(tmp_path / "labels.npy", N) as file:
        file.write(labels)
    assert reads() == [1] * len(labels.chunks[0])
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), np.arange(N))


# Where rows are, and how often they are read


def bytes_received(client):
    """What workers got from one another until now."""
    logs = client.run(lambda dask_worker: [each["total"] for each in dask_worker.transfer_incoming_log])
    return sum(map(sum, logs.values()))


def test_rows_travel_to_no_one(client, tmp_path, blobs):
    X = blobs(400_000, 16, k=6, dtype="float32", apart=9.0)[0]
    rows, half = in_file(tmp_path, X, BLOCK), 4 * BLOCK
    halves = zip((rows[:half], rows[half:]), client.run(os.getpid), strict=True)
    rows = da.concatenate([client.persist(part, workers=[worker]) for part, worker in halves])
    wait(client.persist(rows))
    before = bytes_received(client)
    model = fresh().fit(rows)
    wait(model.labels_)
    assert bytes_received(client) - before < X.nbytes / 20
    np.testing.assert_array_equal(model.labels_, fresh().fit(X).labels_)


def test_rows_have_no_home_while_no_worker_is_known():
    """As a client may see it for a moment, while a worker starts anew."""
    with LocalCluster(n_workers=0, dashboard_address=":0") as empty, Client(empty) as nobody:
        assert dask_workers._PersistedParts(nobody, [], []).placement() == []


def bytes_handed_out(client):
    """What workers gave to others than workers until now: to the scheduler, and by it or directly to the caller."""

    def given(dask_worker):
        return [(each["who"], each["total"]) for each in dask_worker.transfer_outgoing_log]

    logs = client.run(given)
    return sum(total for log in logs.values() for who, total in log if who not in logs)


def test_weights_stay_on_the_cluster_beside_their_rows(client, tmp_path, X):
    rows, weight = in_file(tmp_path, X, BLOCK), da.random.default_rng(0).random(N, chunks=BLOCK) // 0.25
    halves = zip((rows[: 2 * BLOCK], rows[2 * BLOCK :]), client.run(os.getpid), strict=True)
    rows = da.concatenate([client.persist(part, workers=[worker]) for part, worker in halves])
    wait(client.persist(rows))

    def travelled(**given):
        before = bytes_handed_out(client), bytes_received(client)
        model = fresh("LloydKMeans").fit(rows, **given)
        wait(model.labels_)
        return bytes_handed_out(client) - before[0], bytes_received(client) - before[1], model

    handed_out, received, model = travelled(sample_weight=weight)
    without = travelled()
    assert handed_out - without[0] < weight.nbytes / 4
    assert received - without[1] <= 1.5 * weight.nbytes  # made by any worker, moved to the rows once
    np.testing.assert_array_equal(model.labels_, fresh("LloydKMeans").fit(X, sample_weight=weight.compute()).labels_)


def test_rows_that_one_worker_has_all_of_move_once_to_be_shared(client, tmp_path, X, fitted):
    first = next(iter(client.run(os.getpid)))
    rows = client.persist(in_file(tmp_path, X, BLOCK), workers=[first])
    wait(rows)
    before = bytes_received(client)
    model = fresh().fit(rows)
    wait(model.labels_)
    assert X.nbytes / 8 < bytes_received(client) - before < X.nbytes
    assert_same_fit(model, fitted())


def bytes_held(dask_scheduler):
    """What is in the memory of all workers."""
    return sum(task.nbytes for task in dask_scheduler.tasks.values() if task.state == "memory")


def test_rows_that_workers_hold_already_are_not_held_twice(client):
    rows = client.persist(da.random.default_rng(0).random((400_000, 16), np.float32, chunks=(150_000, 16)))
    wait(rows)
    held = {}
    with watch(lambda phase, done, n_rows: held.update({phase: client.run_on_scheduler(bytes_held)})):
        fresh("LloydKMeans").fit(rows)
    a_block_a_chunk = 3 * block_rows(16) * 16 * 4
    assert held["survey"] < 1.1 * rows.nbytes + a_block_a_chunk


def passes_of(run):
    """How many passes over the rows a call makes, by phase."""
    begun = Counter()
    with watch(lambda phase, done, n_rows: begun.update([phase] * (done == 0))):
        run()
    return begun


@anywhere
def test_rows_that_fit_into_memory_are_read_once(tmp_path, X, fitted):
    rows, reads = counted(tmp_path, X)
    model = fresh().fit(rows)
    assert_same_fit(model, fitted())
    assert reads() == [1] * 4


@anywhere
def test_rows_that_do_not_fit_are_read_in_every_pass(tmp_path, X, fitted, monkeypatch):
    monkeypatch.setattr(dask_workers, "SHARE_OF_MEMORY", 0)
    rows, reads = counted(tmp_path, X)
    model = fresh()
    passes = passes_of(lambda: model.fit(rows))
    assert reads() == [passes.total()] * 4
    assert_same_fit(model, fitted())


# Workers that die, rows that cannot be read


class KillOnce(SchedulerPlugin):
    """Kills the worker that is given the first work of a phase, when it is given it."""

    name = "kill-once"

    def __init__(self, scheduler, pids, phase):
        self.scheduler, self.pids, self.phase = scheduler, pids, phase
        self.killed = None
        self.done_afterwards = 0

    def transition(self, key, start, finish, *args, **kwargs):
        if not str(key).startswith(f"dncsc.{self.phase}.") or ".work-" in key:
            return
        if self.killed is None and finish == "processing":
            self.killed = self.pids[self.scheduler.tasks[key].processing_on.address]
            os.kill(self.killed, signal.SIGKILL)
        elif self.killed is not None and finish == "memory":
            self.done_afterwards += 1


def gone(client, pid):
    """Whether a worker is no more, and another one has come."""
    client.wait_for_workers(2, timeout=180)
    return pid not in client.run(os.getpid).values()


@pytest.mark.parametrize(
    ("name", "phase"),
    [
        pytest.param("DnCSC", "select", marks=pytest.mark.long),
        ("DnCSC", "nearest"),
        pytest.param("LSC", "affinity", marks=pytest.mark.long),
        pytest.param("DnCSC", "partition", marks=pytest.mark.long),
        pytest.param("DnCSC", "discretize", marks=pytest.mark.long),
    ],
)
def test_a_worker_may_die_in_any_phase(client, cluster, X, fitted, name, phase):
    plugin = KillOnce(cluster.scheduler, client.run(os.getpid), phase)
    cluster.scheduler.add_plugin(plugin)
    try:
        model = fresh(name).fit(da.from_array(X, chunks=(50_000, 2)))
        assert_same_fit(model, fitted(name))
    finally:
        cluster.scheduler.remove_plugin(plugin.name)
    assert plugin.killed is not None
    assert plugin.done_afterwards > 0
    assert gone(client, plugin.killed)


def test_a_worker_may_die_when_all_is_done(client, X, fitted):
    model = fresh().fit(da.from_array(X, chunks=(50_000, 2)))
    model.labels_[:1].compute()
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    np.testing.assert_array_equal(model.labels_, fitted().labels_)
    assert gone(client, victim)


def broken(rows):
    raise OSError("the disk is gone")


@pytest.mark.parametrize("fits", [True, False])
@anywhere
def test_a_chunk_that_cannot_be_read_is_one_error_that_names_its_rows(X, monkeypatch, fits):
    if not fits:
        monkeypatch.setattr(dask_workers, "SHARE_OF_MEMORY", 0)
    starts = range(0, N, BLOCK)
    parts = [da.from_array(X[s : s + BLOCK], chunks=(BLOCK, 2)) for s in starts]
    parts[2] = da.from_delayed(dask.delayed(broken)(2), parts[2].shape, X.dtype)
    model = fresh()
    begin = time.monotonic()
    with pytest.raises(ClusterError, match=rf"rows {2 * BLOCK} to {3 * BLOCK} .*survey.*the disk is gone"):
        model.fit(da.concatenate(parts))
    assert time.monotonic() - begin < 60
    assert not hasattr(model, "labels_")


@anywhere
def test_so_is_one_that_the_last_block_of_the_chunk_before_needs(X, monkeypatch):
    monkeypatch.setattr(dask_workers, "SHARE_OF_MEMORY", 0)
    good = da.from_array(X[:100_000], chunks=(100_000, 2))
    bad = da.from_delayed(dask.delayed(broken)(2), (N - 100_000, 2), X.dtype)
    with pytest.raises(ClusterError, match=r"rows \d+ to \d+ .*survey.*the disk is gone"):
        fresh().fit(da.concatenate([good, bad]))


@anywhere
def test_a_value_that_is_not_finite_is_named_by_row_and_column(X):
    bad = X.copy()
    bad[150_000, 1] = np.nan
    with pytest.raises(ValueError, match=r"1 x NaN; the first is in row 150000, column 1\."):
        fresh().fit(da.from_array(bad, chunks=(70_001, 2)))
    frame = dd.from_pandas(pd.DataFrame(bad, columns=["east", "north"]), npartitions=3)
    with pytest.raises(ValueError, match=r"row 150000, column 1 \('north'\)"):
        fresh().fit(frame)


@pytest.mark.parametrize(
    ("what", "error", "words"),
    [
        (lambda X: dask.delayed(X), TypeError, "a Dask array or frame; got a Dask Delayed"),
        (lambda X: da.from_array(X[:, 0], chunks=1000), ValueError, "got 1 dimensions"),
        (lambda X: da.from_array(X[:100] + 1j, chunks=10), TypeError, "dtype is complex"),
        (lambda X: da.from_array(X[:5], chunks=2), ValueError, "n_samples=5 should be >= n_clusters=6"),
        (lambda X: da.from_array(X[:0], chunks=2), ValueError, "nothing to cluster"),
        (lambda X: dd.from_pandas(pd.DataFrame({"a": [1.0] * 9, "b": ["x"] * 9})), TypeError, "'b' holds no numbers"),
    ],
)
def test_what_cannot_be_clustered_is_refused(X, what, error, words):
    with pytest.raises(error, match=words):
        fresh().fit(what(X))


def test_a_sparse_matrix_of_a_dask_array_is_refused(X, fitted):
    with pytest.raises(TypeError, match="Compute X first"):
        fitted().affinity(da.from_array(X, chunks=(70_001, 2)))


# Side by side, and seen from outside


def test_fits_of_several_threads_on_one_client_do_not_disturb_each_other(client, X, fitted):
    rows = da.from_array(X, chunks=(70_001, 2))
    names = ["DnCSC", "USPEC", "LSC"]
    with ThreadPoolExecutor(3) as threads:
        models = list(threads.map(lambda name: fresh(name).fit(rows), names))
    for name, model in zip(names, models, strict=True):
        assert_same_fit(model, fitted(name))


def test_tasks_are_named_after_phases(client, cluster, X):
    fresh("LSC").fit(da.from_array(X, chunks=(70_001, 2)))
    names = {prefix for prefix in list(cluster.scheduler.task_prefixes) if prefix.startswith("dncsc.")}
    phases = {name.split(".")[1] for name in names}
    assert phases >= {"survey", "select", "nearest", "affinity", "partition", "discretize"}
    assert {"dncsc.survey.survey", "dncsc.nearest.link", "dncsc.discretize.label"} <= names
    assert not any(digit in name for name in names for digit in "0123456789")  # one group a phase, not one a fit


def test_nothing_is_left_on_the_workers_but_labels(client, X):
    model = fresh().fit(da.from_array(X, chunks=(70_001, 2)))
    wait(model.labels_)
    end = time.monotonic() + 20
    while (
        client.run_on_scheduler(bytes_held) > 4 * N and time.monotonic() < end
    ):  # what is let go of goes a little later
        time.sleep(0.05)
    assert client.run_on_scheduler(bytes_held) == 4 * N


@anywhere
def test_finished_phases_are_kept_in_a_checkpoint(tmp_path, X, fitted):
    rows = da.from_array(X, chunks=(70_001, 2))
    first, second = (fresh(checkpoint=tmp_path / "work") for _ in range(2))
    assert set(passes_of(lambda: first.fit(rows))) == {"survey", "select", "nearest", "partition", "discretize"}
    assert passes_of(lambda: second.fit(rows)) == {"survey": 1, "discretize": 1}
    assert_same_fit(first, fitted())
    assert_same_fit(second, fitted())
