"""What is told while a command runs, and at its end: nothing of what is over at once but one line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np
import pytest

from dncsc.cli import main
from dncsc.cli.fit import format_summary
from dncsc.cli.progress import ProgressDisplay

FACTS = {
    "diagnosis": "There is a clear gap: the eigenvalue behind 3 clusters is 7 times that of the last (5 are enough).",
    "is_clear": True,
    "is_doubtful": False,
    "rows": 12_345,
    "features": 7,
    "n_clusters": 3,
    "sizes": [10_000, 345, 2_000],
    "noise": 0,
    "timings": {"select": 0.25, "nearest": 0.25},
    "peak_memory": 2_000_000,
    "seconds": 0.75,
    "outputs": ["l.csv", "m.npz"],
}


def test_a_fit_below_a_second_is_told_in_one_line():
    assert format_summary(FACTS) == "12,345 rows of 7 features in 3 clusters, 0.75 s. Written: l.csv, m.npz"
    assert "in 3 clusters and 1,234 of noise, " in format_summary({**FACTS, "noise": 1_234})
    without = {**FACTS, "diagnosis": "", "is_clear": None}
    assert format_summary(without) == format_summary(FACTS)


def test_a_fit_below_a_second_tells_a_cut_that_is_not_clear():
    first, second = format_summary({**FACTS, "is_clear": False}).splitlines()
    assert (first, second) == (format_summary(FACTS), FACTS["diagnosis"])


def test_what_a_warning_has_told_is_not_told_again():
    doubtful = {**FACTS, "is_clear": False, "is_doubtful": True}
    assert format_summary(doubtful) == format_summary(FACTS)
    longer = {**doubtful, "timings": {"select": 1.5}, "seconds": 1.5}
    assert FACTS["diagnosis"] not in format_summary(longer)


def test_a_short_fit_stays_one_line_beside_a_report_that_takes_longer():
    told = "12,345 rows of 7 features in 3 clusters, 0.5 s of 1.5 s in the fit. Written: l.csv, m.npz"
    assert format_summary({**FACTS, "seconds": 1.5}) == told


def test_a_longer_fit_is_told_with_memory_and_sizes():
    facts = {**FACTS, "timings": {"select": 0.5, "nearest": 0.75}, "seconds": 1.5}
    first, sizes, diagnosis, written = format_summary(facts).splitlines()
    assert first.startswith("12,345 rows of 7 features in 3 clusters, 1.2 s of 1.5 s in the fit, ")
    assert (sizes, written) == ("Rows in each, largest first: 10,000, 2,000, 345", "Written: l.csv, m.npz")
    assert diagnosis == FACTS["diagnosis"]


@pytest.mark.parametrize(("n_groups", "n_lines"), [(2, 1), (1, 2)])
def test_a_cut_that_is_clear_is_told_in_one_line_and_another_in_two(n_groups, n_lines, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dncsc.cli.progress.PATIENCE", 60.0)
    rows = np.random.default_rng(0).normal(size=(200, 2))
    rows[:100] += 20 * (n_groups - 1)
    np.save("rows.npy", rows)
    fit = ["fit", "rows.npy", "-k", "2", "--landmarks", "50", "--force", "-o", "l.csv"]
    assert main([*fit, "--quiet"]) == 0  # the first fit may compile
    assert main(fit) == 0
    first, *doubt = capfd.readouterr().err.splitlines()
    assert first.endswith("Written: l.csv")
    assert len(doubt) == n_lines - 1
    assert all("the eigenvalue behind 2 clusters is" in line for line in doubt)


def show(seconds: float) -> None:
    """Two passes of so many seconds each, and a short one between."""
    with ProgressDisplay(quiet=False) as progress:
        progress("select", 5, 5)
        time.sleep(seconds)
        progress("nearest", 5, 5)
        progress("partition", 5, 5)
        time.sleep(seconds)


def test_passes_that_take_a_while_are_told_and_short_ones_are_not(monkeypatch, capfd):
    monkeypatch.setattr("dncsc.cli.progress.PATIENCE", 60.0)
    show(0.0)
    assert capfd.readouterr().err == ""
    monkeypatch.setattr("dncsc.cli.progress.PATIENCE", 0.05)
    show(0.3)
    told = capfd.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in told] == ["select", "partition"]  # of the short one it would say 0.0 s


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], object]], str]]:
    """Run something with a terminal for standard error; gives what is written there."""
    pty = pytest.importorskip("pty", reason="no terminals here")
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    monkeypatch.setenv("TERM", "xterm")

    def run(work: Callable[[], object]) -> str:
        monkeypatch.setattr("sys.stderr", stream)  # here: pytest sets its own between a fixture and a test
        work()
        parts = []
        with suppress(BlockingIOError):  # when all is read
            while True:
                parts.append(os.read(ours, 2**16))
        return b"".join(parts).decode()

    with os.fdopen(theirs, "w") as stream:
        yield run
        monkeypatch.undo()
    os.close(ours)


def test_a_display_does_not_flicker_for_what_is_over_at_once(tmp_path, on_terminal, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("rows.npy", np.random.default_rng(0).normal(size=(60, 2)))
    monkeypatch.setattr("dncsc.cli.progress.PATIENCE", 60.0)
    said = on_terminal(lambda: main(["fit", "rows.npy", "-k", "2", "--landmarks", "20", "-o", "l.csv"]))
    assert said.startswith("60 rows of 2 features in 2 clusters, ")
    assert "\x1b" not in said


def test_a_display_shows_what_takes_a_while_and_goes_away(on_terminal, monkeypatch):
    monkeypatch.setattr("dncsc.cli.progress.PATIENCE", 0.05)
    said = on_terminal(lambda: show(0.6))
    assert "select" in said
    *_, last = said.split("rows/s")
    assert "\x1b[?25h" in last  # the cursor is there again
    assert "\x1b[2K" in last  # and the lines are not
