"""`dncsc fit --cluster`: the same labels from the workers of a Dask cluster, and what is said when there is trouble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from dncsc import load_model
from dncsc.cli import main

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore:::distributed", "ignore::ResourceWarning")

FIT = ["fit", "rows.parquet", "-k", "3", "--landmarks", "40", "--quiet", "--scale", "standard"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    options = {"processes": False, "protocol": "tcp://", "dashboard_address": ":0", "threads_per_worker": 1}
    with distributed.LocalCluster(n_workers=1, **options) as started:
        yield started


@pytest.fixture
def rows(blobs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, _ = blobs(2_000, k=3, apart=60.0)
    pa.parquet.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), "rows.parquet")
    return tmp_path


def test_labels_and_model_are_those_of_this_machine(cluster, rows, monkeypatch):
    monkeypatch.setattr("dncsc.cli.cluster.CHUNK_BYTES", 2**13)
    assert main([*FIT, "-o", "here.npy", "--model", "here.npz"]) == 0
    assert main([*FIT, "-o", "there.npy", "--model", "there.npz", "--cluster", cluster.scheduler_address]) == 0
    np.testing.assert_array_equal(np.load("there.npy"), np.load("here.npy"))
    assert load_model("there.npz").feature_names_in_.tolist() == ["a", "b"]


def test_workers_fill_gaps_and_encode_categories_as_this_machine_does(cluster, blobs, rows, monkeypatch, capfd):
    monkeypatch.setattr("dncsc.cli.cluster.CHUNK_BYTES", 2**13)
    X, y = blobs(2_000, k=3, apart=60.0)
    gaps = pa.array(X[:, 0], mask=np.arange(2_000) % 9 == 0)
    table = pa.table({"a": gaps, "b": X[:, 1], "kind": pa.array(["u", "v", "w"]).take(pa.array(y))})
    pa.parquet.write_table(table, "rows.parquet", row_group_size=300)
    encoded = [*FIT, "--missing", "median", "--categorical", "one-hot"]
    assert main([*encoded, "-o", "here.npy"]) == 0
    assert main([*encoded, "-o", "there.npy", "--cluster", cluster.scheduler_address]) == 0
    np.testing.assert_array_equal(np.load("there.npy"), np.load("here.npy"))
    dropping = [*FIT, "--missing", "drop", "--cluster", cluster.scheduler_address]
    assert main([*dropping, "-o", "l.npy"]) == 2
    assert "--missing drop leaves out rows while it reads" in capfd.readouterr().err


def test_an_ensemble_brings_all_home_that_a_report_needs(cluster, rows):
    ensemble = [*FIT, "--method", "lsec", "--report", "r.html"]
    assert main([*ensemble, "--cluster", cluster.scheduler_address]) == 0
    assert (rows / "r.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://127.0.0.1:9", "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ("nonsense://", "no Dask scheduler answers"),
    ],
)
def test_a_cluster_that_does_not_answer_is_trouble_with_the_cluster(address, words, rows, monkeypatch, capfd):
    monkeypatch.setattr("dncsc.cli.cluster.TIMEOUT", 1)
    assert main([*FIT, "-o", "l.npy", "--cluster", address]) == 4
    (line,) = capfd.readouterr().err.splitlines()
    assert words in line
    assert not (rows / "l.npy").exists()
    assert dask.config.get("scheduler", None) is None


def test_a_cluster_without_workers_is_trouble_with_the_cluster(cluster, rows, capfd):
    with distributed.LocalCluster(n_workers=0, protocol="tcp://", dashboard_address=":0", processes=False) as empty:
        assert main([*FIT, "-o", "l.npy", "--cluster", empty.scheduler_address]) == 4
    assert "has no workers" in capfd.readouterr().err


@pytest.mark.parametrize(("n_failing", "code"), [(1, 0), (2, 4)])
def test_a_client_that_stumbles_over_the_first_message_tries_once_more(n_failing, code, cluster, rows, monkeypatch):
    real, failures = distributed.Client, [AssertionError] * n_failing

    def client(*args, **options):
        if failures:
            raise failures.pop()
        return real(*args, **options)

    monkeypatch.setattr(distributed, "Client", client)
    assert main([*FIT, "-o", "l.npy", "--cluster", cluster.scheduler_address]) == code


def test_a_file_that_can_only_be_read_from_its_beginning_is_refused(cluster, rows, capfd):
    (rows / "rows.csv").write_text("a,b\n" + "1,2\n3,4\n" * 50)
    assert main(["fit", "rows.csv", "-k", "2", "-o", "l.npy", "--cluster", cluster.scheduler_address]) == 2
    assert "Convert it to Parquet" in capfd.readouterr().err
