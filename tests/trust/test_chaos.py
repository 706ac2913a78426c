"""Commands that are interrupted, killed, out of room, or in each other's way: files stay whole, and work goes on."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dncsc import load_model
from dncsc.datasets import load
from trust.effort import times
from trust.oracle import contents, judge
from trust.processes import Running

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of Linux")]

FIT = ["fit", "rows.npy", "-k", "3", "--landmarks", "60", "--jobs", "1"]
COMMANDS = {
    "fit": [*FIT, "-o", "l.csv", "--model", "m.npz", "--report", "r.html"],
    "over": [*FIT, "-o", "l.csv", "--model", "m.npz", "--force"],
    "resume": [*FIT, "-o", "l.csv", "--resume", "work"],
    "pipe": ["fit", "-", "-k", "3", "--landmarks", "60", "-o", "l.csv"],
    "predict": ["predict", "model.npz", "rows.npy", "-o", "l.parquet"],
    "make": ["datasets", "make", "tm-1m", "--rows", "60000", "-o", "l.npz"],
    "info": ["info", "rows.csv"],
}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
OUTPUTS = ("l.csv", "l.parquet", "l.npz", "m.npz", "r.html")
ABANDONED = re.compile(r"\..+\.[0-9a-f]{12}\.part|dncsc-stdin-[0-9a-f]{12}\.csv")


class Place:
    """A folder with rows and a model, one aside for temporary files, and what each command writes if left alone."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.aside = folder / "work here", folder / "aside"
        self.folder.mkdir()
        self.aside.mkdir()
        X = load("fl-20m", 30_000)[0].astype(np.float64)
        np.save(self.folder / "rows.npy", X)
        np.savetxt(self.folder / "rows.csv", X, "%.6f", ",", header="a,b", comments="")
        assert self.start([*FIT, "--model", "model.npz"]).answer().code == 0
        self.inputs = contents(self.folder)
        self.wanted: dict[str, dict[str, bytes | None]] = {}
        self.seconds: dict[str, float] = {}
        for name in COMMANDS:
            answer = self.run(name)
            assert answer.code == 0, answer.err
            self.wanted[name], self.seconds[name] = contents(self.folder), answer.seconds
            self.clear()

    def start(self, arguments, **given) -> Running:
        return Running(arguments, self.folder, self.aside, **given)

    def begin(self, name) -> Running:
        return self.start(COMMANDS[name], typed=self.folder / "rows.csv" if name == "pipe" else None)

    def run(self, name):
        return self.begin(name).answer()

    @property
    def has_labels(self) -> bool:
        return (self.folder / "l.csv").exists()

    def clear(self) -> None:
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if str(path.relative_to(self.folder)) not in self.inputs:
                path.rmdir() if path.is_dir() else path.unlink()

    def check(self, name: str, was_killed: bool) -> list[str]:
        """Every file is as it was, or whole; gives what a killed process left."""
        found, left = contents(self.folder), []
        for path, content in found.items():
            if path in self.inputs:
                assert content == self.inputs[path], path
            elif path in ("l.csv", "l.parquet", "l.npz"):
                assert content in (self.wanted[name][path], b"old"), path
            elif path == "m.npz":
                assert content == b"old" or load_model(self.folder / path).n_clusters_ == 3
            elif path == "r.html":
                assert content.endswith(b"</html>\n"), path
            elif not path.startswith("work"):
                left.append(path)
        left += [path for path in contents(self.aside) if not path.startswith("said-")]
        assert was_killed or not left, left
        assert all(ABANDONED.fullmatch(each) for each in left), left
        return left


@pytest.fixture(scope="module", name="shared_place")
def make_place(tmp_path_factory) -> Place:
    return Place(tmp_path_factory.mktemp("chaos"))


@pytest.fixture
def place(shared_place) -> Iterator[Place]:
    """The place without what an earlier test left."""
    yield shared_place
    shared_place.clear()


def test_a_signal_at_any_moment_leaves_whole_files_and_nothing_else(place):
    random, counts = np.random.default_rng(0), Counter()
    for trial in times(200):
        name, number = list(COMMANDS)[trial % len(COMMANDS)], SIGNALS[random.integers(len(SIGNALS))]
        if name == "over":
            (place.folder / "l.csv").write_bytes(b"old")
            (place.folder / "m.npz").write_bytes(b"old")
        running = place.begin(name)
        time.sleep(random.uniform(0, 0.9 * place.seconds[name]))
        running.send(number)
        answer = running.answer()
        killed = number == signal.SIGKILL
        assert answer.code in (0, -number, *(() if killed else (128 + number,))), answer
        assert "Traceback" not in answer.err, answer.err
        counts["done" if answer.code == 0 else signal.Signals(number).name] += 1
        counts["abandoned"] += len(place.check(name, killed))
        if name == "resume" and answer.code and not place.has_labels:  # a signal may come when they are written
            assert place.run(name).code == 0
            counts["resumed"] += 1
        place.check(name, killed)
        if place.check(name, True):  # what was abandoned goes with the next run
            for path in OUTPUTS:
                (place.folder / path).unlink(missing_ok=True)
            assert place.run(name).code == 0
            assert place.check(name, True) == []
        place.clear()
    print(dict(counts))
    assert counts["done"] < 0.75 * len(times(200))


def test_a_fit_that_is_killed_again_and_again_ends_with_the_labels_of_one_that_is_not(place):
    random, n_killed = np.random.default_rng(1), 0
    for _ in times(10):
        for _ in range(15):
            running = place.begin("resume")
            time.sleep(random.uniform(0, place.seconds["resume"]))
            running.send(signal.SIGKILL)
            if running.answer().code == 0 or place.has_labels:
                break
            n_killed += 1
        else:
            assert place.run("resume").code == 0
        assert (place.folder / "l.csv").read_bytes() == place.wanted["resume"]["l.csv"]
        place.clear()
    print(f"{n_killed} times killed")


@pytest.mark.parametrize("name", ["fit", "over", "predict", "make", "pipe", "resume"])
def test_files_that_may_not_grow_are_named_with_their_option_and_leave_nothing(place, name):
    random, counts = np.random.default_rng(2), Counter()
    typed = place.folder / "rows.csv" if name == "pipe" else None
    for _ in times(15):
        before = contents(place.folder)
        limit = int(2 ** random.uniform(8, 21))
        answer = place.start(COMMANDS[name], typed=typed, largest=limit).answer()
        counts[answer.code] += 1
        if answer.code:
            assert answer.code == 3, answer
            assert "ile too large" in answer.err, answer.err
            assert re.search(r"dncsc: (-o |--model |--report |work/|/.*TMPDIR)", answer.err), answer.err
            after = {path: each for path, each in contents(place.folder).items() if not path.startswith("work")}
            judge(answer, before, after, may_write=[*OUTPUTS])
        place.check(name, was_killed=False)
        place.clear()
    print(name, dict(counts))
    assert counts[3] > 0


def test_a_full_disk_is_named_and_what_was_there_stays(place, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        (disk / "l.csv").write_bytes(b"old")
        (disk / "fill").write_bytes(bytes(210 * 1024))
        for option, output in (("-o", "l.csv"), ("--model", "m.npz"), ("--report", "r.html"), ("-o", "l.npz")):
            before = contents(disk)
            arguments = [*FIT, option, str(disk / output), "--force"]
            answer = place.start(arguments).answer()
            assert answer.code == 3, (option, output, answer)
            assert f"{option} {disk / output}: no space left on device. Make room" in answer.err
            judge(answer, before, contents(disk))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_of_several_that_write_one_new_file_one_does_and_no_result_is_lost(place):
    for _ in times(5):
        several = [place.start([*FIT, "-o", "l.csv"]) for _ in range(3)]
        codes = sorted(each.answer().code for each in several)
        assert codes in ([0, 3, 3], [0, 2, 3], [0, 2, 2]), codes  # 2 where it was there before any work
        labels = place.wanted["resume"]["l.csv"]
        found = {name: each for name, each in contents(place.folder).items() if name not in place.inputs}
        assert set(found.values()) == {labels}
        assert len(found) == 1 + codes.count(3)
        place.clear()


def test_several_may_share_one_checkpoint(place):
    for _ in times(5):
        several = [place.start([*FIT, "-o", f"{number}.csv", "--resume", "work"]) for number in range(3)]
        assert [each.answer().code for each in several] == [0, 0, 0]
        assert {(place.folder / f"{number}.csv").read_bytes() for number in range(3)} == {
            place.wanted["resume"]["l.csv"]
        }
        place.clear()


def test_no_checkpoint_mixes_the_work_of_two(place):
    wanted = {}
    for k in ("3", "4"):
        assert place.start([*FIT, "-k", k, "-o", f"{k}.csv"]).answer().code == 0
        wanted[k] = (place.folder / f"{k}.csv").read_bytes()
    place.clear()
    for _ in times(10):
        both = {k: place.start([*FIT, "-k", k, "-o", f"{k}.csv", "--resume", "work"]) for k in wanted}
        for k, running in both.items():
            answer = running.answer()
            assert answer.code in (0, 2, 3), answer
            assert answer.code or (place.folder / f"{k}.csv").read_bytes() == wanted[k]
        place.clear()


def test_a_scheduler_that_dies_is_trouble_with_the_cluster(tmp_path):
    pytest.importorskip("distributed")
    np.save(tmp_path / "rows.npy", load("fl-20m", 4_000_000)[0])
    known, aside = tmp_path / "aside" / "scheduler.json", tmp_path / "aside"
    aside.mkdir()
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-dashboard", "--death-timeout", "30"]
    for delay in (3.0, 2.0, 1.0, 0.3):  # until one comes before the end of the fit
        about = {"cwd": aside, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        scheduler = subprocess.Popen([*dask, "--scheduler-file", str(known)], **about)
        others = [subprocess.Popen([*worker, "--scheduler-file", str(known)], **about)]
        try:
            while not known.exists():
                time.sleep(0.1)
            time.sleep(2)  # until the worker is there
            address = re.search(r"tcp://[^\"]+", known.read_text())[0]
            running = Running(["fit", "rows.npy", "-k", "13", "-o", "l.npy", "--cluster", address], tmp_path, aside)
            time.sleep(delay)
            scheduler.kill()
            answer = running.answer(120)
        finally:
            for process in (scheduler, *others):
                process.kill()
                process.wait()
            known.unlink()
        assert "Traceback" not in answer.err
        assert answer.code == 0 or "--cluster: " in answer.err
        assert (tmp_path / "l.npy").exists() == (answer.code == 0)
        (tmp_path / "l.npy").unlink(missing_ok=True)
        if answer.code:
            break
    assert answer.code == 4
