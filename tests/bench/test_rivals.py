"""Clusterers of other packages: run where they are installed, and left out with a line where they are not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from typer.testing import CliRunner

from dncsc.bench import process
from dncsc.bench.methods import check, make
from dncsc.bench.process import Limits, run_cell
from dncsc.bench.results import Cell, Results
from dncsc.bench.rivals import RIVALS, n_found
from dncsc.bench.suites import SUITES, plan
from dncsc.cli.bench import app
from dncsc.datasets import embeddings
from dncsc.metrics import nmi

HERE = Path(__file__).parent
MODULES = {rival.module for rival in RIVALS.values()}


@pytest.fixture
def nothing_installed(monkeypatch):
    for module in MODULES:
        monkeypatch.setitem(sys.modules, module, None)


def test_spherical_k_means_of_faiss_clusters_all_rows_the_same_way_with_the_same_seed():
    pytest.importorskip("faiss")
    X, y = embeddings(2000, 32, 5, width=0.3, noise=0.3, near=0)
    models = [make("faiss-kmeans", 5, {}, seed, 1) for seed in (3, 3)]
    first, again = (model.fit(X).labels_ for model in models)
    assert (models[0].random_state, models[0].n_jobs) == (3, 1)
    np.testing.assert_array_equal(first, again)
    assert first.shape == (2000,)
    assert nmi(y, first) > 0.8


@pytest.mark.long
@pytest.mark.parametrize("method", [name for name, rival in RIVALS.items() if rival.module == "evoc"])
def test_of_the_layers_of_evoc_the_one_with_about_as_many_clusters_counts(method):
    pytest.importorskip("evoc")
    told = run_cell(Cell("embeddings", "10-topics-64d", 3000, method, {}, "threads", 1, 0, 0), Limits(300, 2**33))
    assert told["status"] == "ok", told
    assert 3 <= told["n_clusters"] <= 60
    assert 0 <= told["noise"] < 1
    assert told["nmi"] > 0.2


def test_noise_is_no_cluster():
    assert n_found(np.array([3, -1, 3, 0, -1])) == 2
    assert n_found(np.array([-1, -1])) == 0


def test_what_is_not_installed_is_left_out_and_said_in_a_line_each(nothing_installed, monkeypatch, tmp_path):
    monkeypatch.setattr(process, "CELL_COMMAND", [sys.executable, str(HERE / "odd_cell.py")])
    monkeypatch.setenv("BENCH_TEST_FOLDER", str(tmp_path))
    path = tmp_path / "results.jsonl"
    command = ["embeddings", "--sets", "10-topics-64d", "--rows", "300", "--repeats", "1", "-o", str(path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert [line for line in done.output.splitlines() if "Left out" in line] == [
        "Left out: faiss-kmeans needs faiss, which is not installed (pip install faiss-cpu).",
        "Left out: evoc needs evoc, which is not installed (pip install evoc).",
        "Left out: evoc-told-k needs evoc, which is not installed (pip install evoc).",
    ]
    assert [run["method"] for run in Results.read(path).runs.values()] == [
        "dnc-sc",
        "sklearn-kmeans",
        "sklearn-minibatch",
    ]


@pytest.mark.parametrize("method", RIVALS)
def test_what_is_not_installed_is_refused_where_it_is_asked_for(method, nothing_installed):
    with pytest.raises(ValueError, match=f"{method} needs .*, which is not installed .pip install"):
        plan(SUITES["embeddings"], methods=["dnc-sc", method])


def test_other_methods_need_nothing(nothing_installed):
    for method in ("dnc-sc", "sklearn-minibatch"):
        check(method)
