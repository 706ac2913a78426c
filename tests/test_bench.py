"""Suites run cell by cell, each in its own process; whatever happens to one, nothing else is lost."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from typer.testing import CliRunner

from dncsc import __version__
from dncsc.bench.cells import Cell, Plan
from dncsc.bench.engines import ENGINES
from dncsc.bench.limits import Limits
from dncsc.bench.process import run_cell
from dncsc.bench.results import Results
from dncsc.bench.run import run_plan
from dncsc.cli.bench import app

ROOMY = Limits(120, 2**33)
COMMAND = [sys.executable, "-c", "from dncsc.cli.bench import app; app()"]
OPTIONS = {"--sets": "tm-1m", "--rows": "300", "--repeats": "2", "--jobs": "1", "--methods": "bench_clusterers:Waiting"}
WAITING = ["simulation", *(each for pair in OPTIONS.items() for each in pair), "-o"]


@pytest.fixture(autouse=True)
def clusterers_can_be_imported(monkeypatch, tmp_path):
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))
    monkeypatch.setenv("BENCH_TEST_FOLDER", str(tmp_path))


class Onlooker:
    def __init__(self):
        self.stages, self.finished = [], []

    def begin(self, cell, stage):
        self.stages.append(stage)

    def finish(self, cell, record, anew):
        self.finished.append((cell.method, cell.repeat, record["status"], anew))


def cell_of(method, *, name="tm-1m", rows=300, engine="threads", **params):
    return Cell("paper", name, rows, method, params, engine, 1, 0, 0)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def runs_of(path):
    return [line for line in lines_of(path) if line["kind"] == "run"]


def test_a_suite_measures_every_method_and_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "new" / "results.jsonl"
    command = ["price", "-o", str(path), "--sets", "tm-1m", "--rows", "3000", "--repeats", "1", "--jobs", "1"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    ours, theirs = runs_of(path)
    assert (ours["method"], theirs["method"]) == ("dnc-sc", "sklearn-kmeans")
    assert ours["status"] == theirs["status"] == "ok"
    assert ours["acc"] > 0.95 > theirs["acc"] > 0.6
    assert ours["nmi"] > 0.8
    assert ours["ari"] > 0.8
    assert ours["purity"] > 0.95
    assert 0 < sum(ours["phases"].values()) <= ours["seconds"]
    assert {"survey", "select", "nearest", "partition", "discretize"} <= set(ours["phases"])
    assert ours["peak_bytes"] > ours["extra_bytes"] >= 0
    assert ours["threads"] == 1
    assert ours["n_rows"] == 3000
    assert ours["versions"]["dncsc"] == __version__
    assert ours["machine"]["cores"] == os.cpu_count()
    assert ours["load"] >= 0
    assert ours["compiled"] == 0, "kernels were not warm"

    before = path.read_bytes()
    assert CliRunner().invoke(app, command).exit_code == 0
    assert path.read_bytes() == before

    wider = [*command, "--methods", "bench_clusterers:Halves"]
    assert CliRunner().invoke(app, wider).exit_code == 0
    assert path.read_bytes().startswith(before)
    assert [run["method"] for run in runs_of(path)] == ["dnc-sc", "sklearn-kmeans", "bench_clusterers:Halves"]


@pytest.mark.parametrize(
    ("method", "limits", "status", "reason"),
    [
        ("bench_clusterers:Crashing", ROOMY, "failed", "RuntimeError: the sky fell"),
        ("bench_clusterers:Vanishing", ROOMY, "failed", "ended while warming up with exit code 3: so long"),
        ("bench_clusterers:Endless", Limits(0.5, 2**33), "timeout", "more than 0.5 s of warming up"),
        ("bench_clusterers:Greedy", Limits(120, 10**9), "memory", "more than 1.0 GB while warming up"),
    ],
)
def test_a_cell_that_goes_wrong_says_why(method, limits, status, reason):
    outcome = run_cell(cell_of(method), limits)
    assert outcome["status"] == status
    assert reason in outcome["reason"]


def test_parameters_that_a_method_refuses_are_a_failed_cell():
    outcome = run_cell(cell_of("dnc-sc", n_landmarks=1), ROOMY)
    assert outcome["status"] == "failed"
    assert "n_landmarks=1 must be at least n_clusters=2" in outcome["reason"]
    assert outcome["refused"]


def test_a_set_that_cannot_be_had_is_skipped(monkeypatch, tmp_path):
    monkeypatch.setenv("DNCSC_DATA", str(tmp_path))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    outcome = run_cell(cell_of("dnc-sc", name="usps", rows=None), ROOMY)
    assert outcome["status"] == "skipped"
    assert "'usps'" in outcome["reason"]


def test_the_selection_is_a_clusterer_by_itself():
    outcome = run_cell(cell_of("divide-and-conquer", name="blobs-500", rows=20_000), ROOMY)
    assert outcome["status"] == "ok"
    assert outcome["nmi"] > 0.9
    assert set(outcome["phases"]) == {"survey", "select", "partition", "discretize"}


def test_repeats_of_what_exceeded_a_limit_are_skipped_until_the_limit_is_raised(tmp_path):
    plan = Plan("paper", (("tm-1m", 300),), ("bench_clusterers:Endless",), repeats=2)
    halves = Plan("paper", (("tm-1m", 300),), ("bench_clusterers:Halves",), repeats=1)

    def run(limits, planned=plan):
        onlooker = Onlooker()
        with Results.open(tmp_path / "results.jsonl") as results:
            run_plan(planned, results, limits, onlooker)
        return [(status, anew) for _, _, status, anew in onlooker.finished], onlooker.stages

    assert run(Limits(0.3, 2**33))[0] == [("timeout", True), ("skipped", True)]
    assert run(Limits(0.3, 2**33)) == ([("timeout", False), ("skipped", False)], [])
    assert run(Limits(0.4, 2**33))[0] == [("timeout", True), ("skipped", True)]
    first, second, *_ = runs_of(tmp_path / "results.jsonl")
    assert first["limits"]["seconds"] == 0.3
    assert second["reason"] == "repeat 1: more than 0.3 s of warming up"
    finished, stages = run(ROOMY, halves)
    assert finished == [("ok", True)]
    assert stages[0] == "starting"
    assert set(stages) <= {"starting", "loading", "warming up", "fitting", "scoring"}


def started(tmp_path):
    """A suite in whose second cell nothing moves, and the process of that cell."""
    suite = subprocess.Popen([*COMMAND, *WAITING, str(tmp_path / "results.jsonl")], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert suite.poll() is None, suite.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return suite, int((tmp_path / "pid").read_text())


def has_ended(pid):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
def test_a_killed_suite_leaves_no_process_and_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "results.jsonl"
    suite, child = started(tmp_path)
    suite.send_signal(signal.SIGKILL)
    suite.wait()
    suite.stderr.close()
    assert has_ended(child)
    (first,) = runs_of(path)
    assert first["repeat"] == 0

    with path.open("a") as file:
        file.write('{"kind": "run", "key": "half a li')
    (tmp_path / "go").touch()
    again = subprocess.run([*COMMAND, *WAITING, str(path)], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "[2/2]" in again.stderr
    assert "[1/2]" not in again.stderr
    assert runs_of(path)[0] == first
    assert [run["repeat"] for run in runs_of(path)] == [0, 1]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
def test_an_interrupt_ends_at_once_and_says_how_to_go_on(tmp_path):
    suite, child = started(tmp_path)
    suite.send_signal(signal.SIGINT)
    _, said = suite.communicate(timeout=20)
    assert suite.returncode == 130
    assert "1 of 2 cells are in" in said
    assert "The same command goes on" in said
    assert has_ended(child)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


def test_labels_do_not_depend_on_where_the_rows_are():
    pytest.importorskip("distributed")
    outcomes = [run_cell(cell_of("dnc-sc", rows=8000, engine=engine), ROOMY) for engine in ENGINES]
    assert [outcome["status"] for outcome in outcomes] == ["ok"] * 4, outcomes
    assert len({outcome["labels"] for outcome in outcomes}) == 1


@pytest.mark.parametrize("engine", ["files", "dask"])
def test_what_cannot_run_on_an_engine_is_skipped(engine):
    outcome = run_cell(cell_of("sklearn-kmeans", engine=engine), ROOMY)
    assert outcome["status"] == "skipped"
    assert "KMeans cannot fit rows from" in outcome["reason"]
