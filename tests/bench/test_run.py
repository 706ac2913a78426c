"""Suites run cell by cell, each in its own process; whatever happens to one, nothing else is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from typer.testing import CliRunner

from dncsc import __version__
from dncsc.bench import process
from dncsc.bench.measure import ENGINES, outcome
from dncsc.bench.process import Limits, run_cell
from dncsc.bench.results import Cell, Plan, Results
from dncsc.bench.run import run_plan
from dncsc.cli.bench import app

HERE = Path(__file__).parent
ROOMY = Limits(120, 2**33)
ODD_CELL = [sys.executable, str(HERE / "odd_cell.py")]
COMMAND = f"from dncsc.bench import process; process.CELL_COMMAND = {ODD_CELL}; from dncsc.cli.bench import app; app()"
OPTIONS = {"--sets": "tm-1m", "--rows": "300", "--repeats": "2", "--jobs": "1", "--methods": "k-means"}
WAITING = ["simulation", *(each for pair in OPTIONS.items() for each in pair), "-o"]


@pytest.fixture(autouse=True)
def clusterers_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]))


@pytest.fixture
def odd_cells(monkeypatch, tmp_path):
    """Cells that behave as their method says, and measure nothing."""
    monkeypatch.setattr(process, "CELL_COMMAND", ODD_CELL)
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


def outcome_here(cell):
    """What the process of a cell would tell, and the stages it would go through, without the process."""
    stages = []
    return outcome(asdict(cell), stages.append), stages


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def runs_of(path):
    return [line for line in lines_of(path) if line["kind"] == "run"]


@pytest.mark.long
def test_a_suite_measures_every_method_and_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "new" / "results.jsonl"
    command = ["price", "-o", str(path), "--sets", "tm-1m", "--rows", "3000", "--repeats", "1", "--jobs", "1"]
    narrow = [*command, "--methods", "dnc-sc"]
    done = CliRunner().invoke(app, narrow)
    assert done.exit_code == 0, done.output
    before = path.read_bytes()
    again = CliRunner().invoke(app, narrow)
    assert again.exit_code == 0
    assert again.output == f"Nothing to run: all 1 cells are in {path} already.\n"
    assert path.read_bytes() == before

    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert path.read_bytes().startswith(before)
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
    assert ours["cpu_seconds"] > 0
    assert ours["threads"] == 1
    assert ours["n_rows"] == 3000
    assert ours["versions"]["dncsc"] == __version__
    assert ours["machine"]["cores"] == os.cpu_count()
    assert ours["load"] >= 0
    assert ours["compiled"] == 0, "kernels were not warm"


def test_a_clusterer_is_found_by_its_import_path():
    told, _ = outcome_here(cell_of("bench_clusterers:Halves"))
    assert told["status"] == "ok"
    assert told["phases"] == {}


def test_outliers_of_a_shape_do_not_count_in_scores():
    told, _ = outcome_here(cell_of("dnc-sc", name="moons-outliers", rows=300))
    assert (told["n_rows"], told["n_classes"]) == (315, 2)
    assert told["ari"] > 0.95


@pytest.mark.parametrize(
    ("method", "limits", "status", "reason"),
    [
        ("vanishing", ROOMY, "failed", "ended while warming up with exit code 3: so long"),
        ("endless", Limits(0.5, 2**33), "timeout", "more than 0.5 s of warming up"),
        ("greedy", Limits(120, 3 * 10**8), "memory", "more than 300 MB while warming up"),
    ],
)
def test_a_cell_that_goes_wrong_says_why(method, limits, status, reason, odd_cells):
    told = run_cell(cell_of(method), limits)
    assert told["status"] == status
    assert reason in told["reason"]


def test_a_cell_that_nobody_asks_for_anything_ends():
    alone = {"capture_output": True, "text": True, "timeout": 60, "check": True, "start_new_session": True}
    for asked in ("", '{"set": '):
        done = subprocess.run(process.CELL_COMMAND, input=asked, **alone)
        assert (done.stdout, done.stderr) == ("", "")


def test_a_suite_in_which_nothing_succeeds_fails(tmp_path):
    options = {**OPTIONS, "--repeats": "1", "--methods": "bench_clusterers:Crashing", "-o": str(tmp_path / "r.jsonl")}
    command = ["simulation", *(each for pair in options.items() for each in pair)]
    first, again = CliRunner().invoke(app, command), CliRunner().invoke(app, command)
    assert (first.exit_code, again.exit_code) == (1, 1)
    assert first.output.endswith("failed: RuntimeError: the sky fell\nNo cell gave a result.\n")
    assert "--retry runs those again" in again.output


def test_parameters_that_a_method_refuses_are_a_failed_cell():
    told, _ = outcome_here(cell_of("dnc-sc", n_landmarks=1))
    assert told["status"] == "failed"
    assert "n_landmarks=1 must be at least n_clusters=2" in told["reason"]
    assert told["refused"]


def test_a_set_that_cannot_be_had_is_skipped(monkeypatch, tmp_path):
    monkeypatch.setenv("DNCSC_DATA", str(tmp_path))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    told, stages = outcome_here(cell_of("dnc-sc", name="usps", rows=None))
    assert told["status"] == "skipped"
    assert "'usps'" in told["reason"]
    assert stages == ["loading"]


def test_the_selection_is_a_clusterer_by_itself():
    told, stages = outcome_here(cell_of("divide-and-conquer", name="blobs-500", rows=20_000))
    assert told["status"] == "ok"
    assert told["nmi"] > 0.9
    assert set(told["phases"]) == {"survey", "select", "partition", "discretize"}
    assert stages == ["loading", "warming up", "fitting", "scoring"]


def test_repeats_of_what_exceeded_a_limit_are_skipped_until_the_limit_is_raised(tmp_path, odd_cells):
    plan = Plan("paper", (("tm-1m", 300),), ("endless",), repeats=2)

    def run(limits):
        onlooker = Onlooker()
        with Results.open(tmp_path / "results.jsonl") as results:
            run_plan(plan, results, limits, onlooker)
        return [(status, anew) for _, _, status, anew in onlooker.finished], onlooker.stages

    assert run(Limits(0.3, 2**33))[0] == [("timeout", True), ("skipped", True)]
    assert run(Limits(0.3, 2**33)) == ([("timeout", False), ("skipped", False)], [])
    finished, stages = run(Limits(0.4, 2**33))
    assert finished == [("timeout", True), ("skipped", True)]
    assert list(dict.fromkeys(stages)) == ["starting", "loading", "warming up"]
    first, second, *_ = runs_of(tmp_path / "results.jsonl")
    assert first["limits"]["seconds"] == 0.3
    assert second["reason"] == "repeat 1: more than 0.3 s of warming up"


@contextmanager
def waiting(folder):
    """A suite in whose second cell nothing moves, and the process of that cell."""
    (folder / "pid").unlink(missing_ok=True)
    suite = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *WAITING, str(folder / "results.jsonl")],
        env={**os.environ, "BENCH_TEST_FOLDER": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
    )
    with suite:
        try:
            deadline = time.monotonic() + 120
            while not (folder / "pid").exists() or not (folder / "pid").read_text():
                assert suite.poll() is None, suite.stderr.read()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            child = int((folder / "pid").read_text())
            yield suite, child
            assert has_ended(child)
        finally:
            suite.kill()
            with suppress(FileNotFoundError, ProcessLookupError):
                os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


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


looks_at_processes = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Folder of a suite that was killed in the second of its two cells."""
    folder = tmp_path_factory.mktemp("killed")
    with waiting(folder) as (suite, _):
        suite.kill()
    return folder


@looks_at_processes
def test_a_killed_suite_leaves_no_process_and_goes_on_where_it_stopped(killed, tmp_path, odd_cells):
    path = tmp_path / "results.jsonl"
    shutil.copy(killed / "results.jsonl", path)
    (first,) = runs_of(path)
    assert first["repeat"] == 0

    with path.open("a") as file:
        file.write('{"kind": "run", "key": "half a li')
    (tmp_path / "go").touch()
    again = CliRunner().invoke(app, [*WAITING, str(path)])
    assert again.exit_code == 0, again.output
    assert "[2/2]" in again.output
    assert "[1/2]" not in again.output
    assert runs_of(path)[0] == first
    assert [run["repeat"] for run in runs_of(path)] == [0, 1]


@looks_at_processes
def test_an_interrupt_ends_at_once_and_says_how_to_go_on(killed, tmp_path, interruptible):
    shutil.copy(killed / "results.jsonl", tmp_path)
    with waiting(tmp_path) as (suite, _):
        suite.send_signal(signal.SIGINT)
        said = suite.stderr.read()
        assert suite.wait(20) == 130
    assert "1 of 2 cells are in" in said
    assert "The same command goes on" in said


@pytest.mark.long
def test_labels_do_not_depend_on_where_the_rows_are():
    pytest.importorskip("distributed")
    cells = {engine: cell_of("dnc-sc", rows=8000, engine=engine) for engine in ENGINES}
    on_dask = run_cell(cells.pop("dask"), ROOMY)  # whose workers have to start from the process of a cell
    told = [on_dask, *(outcome_here(cell)[0] for cell in cells.values())]
    assert [each["status"] for each in told] == ["ok"] * 4, told
    assert len({each["labels"] for each in told}) == 1


@pytest.mark.parametrize("engine", ["files", "dask"])
def test_what_cannot_run_on_an_engine_is_skipped(engine):
    told, _ = outcome_here(cell_of("sklearn-kmeans", engine=engine))
    assert told["status"] == "skipped"
    assert "KMeans cannot fit rows from" in told["reason"]
