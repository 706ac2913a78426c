"""The cache of compiled kernels may be unwritable, damaged or crowded: slower then, never wrong, never dead.

Each test works on a copy of the package, whose kernels are kept in its own `__pycache__`; what is compiled here never
touches the cache of the package under test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dncsc

FIT = """
import numpy as np
from dncsc import DnCSC

random = np.random.default_rng(0)
y = np.arange(240) % 3
X = (30.0 * y[:, None] + random.standard_normal((240, 2))).astype(np.float32)
model = DnCSC(3, n_landmarks=20, random_state=0).fit(X)
assert (model.predict(X) == model.labels_).all()
print(*model.labels_)
"""
"""All kernels, on float32."""

OWN_KERNEL = """
from dncsc.kernels._jit import jit

@jit()
def halve(values):
    total = values[0] * 0
    for i in range(values.shape[0]):
        values[i] = values[i] / 2
        total += values[i]
    return total
"""
"""One small kernel, soon compiled."""

CALL = """
import os, sys, time
import numpy as np
from own_kernel import halve

kinds, gate = sys.argv[1].split(","), sys.argv[2:]
for path in gate:  # all processes begin to compile at the same moment
    open(path + "." + str(os.getpid()), "w").close()
    while not os.path.exists(path):
        time.sleep(0.001)
for kind in kinds:
    values = np.array([2, 4, 6, 8], kind)
    total = halve(values)
    assert values.tolist() == [1, 2, 3, 4], (kind, values)
    assert total == 10, (kind, total)
"""

KINDS = ["f4", "i4", "f8", "i8"]
"""Pairs of the same size: taking one for the other raises nothing by itself."""


def clean(folder: Path | None = None, **more: str) -> dict[str, str]:
    """Environment in which a copy of the package is the only one, and Numba decides by itself where its cache is."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "PYTHON"))}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder), **more}


def start(program: str, environment: dict[str, str], *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process printed and what it complained of; it has to end well."""
    out, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, complaints
    return out, complaints


def run(program: str, environment: dict[str, str], *arguments: object) -> tuple[str, str]:
    return finish(start(program, environment, *arguments))


def right(labels: str) -> bool:
    found = np.array(labels.split(), int)
    return len(found) == 240 and len(set(zip(found, np.arange(240) % 3, strict=True))) == len(set(found)) == 3


def cached(folder: Path, kernel: str, ending: str) -> list[Path]:
    found = sorted(folder.rglob(f"*.{kernel}-*.{ending}"))
    assert found
    return found


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """A folder with a copy of the package and of a kernel of our own; nothing compiled yet."""
    folder = tmp_path_factory.mktemp("cold")
    package = Path(dncsc.__file__).parent
    shutil.copytree(package, folder / "dncsc", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "own_kernel.py").write_text(OWN_KERNEL)
    return folder


@pytest.fixture
def cold(source, tmp_path) -> Path:
    return Path(shutil.copytree(source, tmp_path / "cold"))


@pytest.fixture(scope="module")
def begun_together(source, tmp_path_factory) -> tuple[Path, list[str]]:
    """A copy of the package in which three processes started a whole fit at once, and what each of them printed."""
    folder = Path(shutil.copytree(source, tmp_path_factory.mktemp("warm") / "package"))
    processes = [start(FIT, clean(folder)) for _ in range(3)]
    return folder, [finish(process)[0] for process in processes]


@pytest.fixture
def warm(begun_together, tmp_path) -> Path:
    """A copy of the package with its cache; times of files are kept, so that the cache is valid."""
    return Path(shutil.copytree(begun_together[0], tmp_path / "warm"))


# Many processes


def test_three_processes_that_start_cold_at_once_find_the_same_labels(begun_together):
    _, printed = begun_together
    assert right(printed[0])
    assert len(set(printed)) == 1


def test_the_next_process_finds_the_kernels_compiled(warm):
    before = {path: path.stat().st_mtime_ns for path in warm.rglob("*.nb?")}
    labels, complaints = run(FIT, clean(warm))
    assert right(labels)
    assert complaints == ""
    assert {path: path.stat().st_mtime_ns for path in warm.rglob("*.nb?")} == before


def test_eight_processes_that_start_cold_at_once_are_all_right_and_so_is_what_they_leave(cold, tmp_path):
    gate = tmp_path / "gate"
    processes = [start(CALL, clean(cold), kind, gate) for kind in KINDS * 2]
    while len(list(tmp_path.glob("gate.*"))) < 8 and all(process.poll() is None for process in processes):
        time.sleep(0.01)
    gate.touch()
    for process in processes:
        finish(process)
    run(CALL, clean(cold), ",".join(KINDS))


# Damaged files


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def garbled(path: Path) -> None:
    path.write_bytes(np.random.default_rng(0).bytes(path.stat().st_size))


def beheaded(path: Path) -> None:
    """The right version and source, then nonsense: what a disk error leaves."""
    path.write_bytes(path.read_bytes()[:40] + b"\xff" * 100)


DAMAGES = {"nbi": [truncated, emptied, garbled], "nbc": [truncated, garbled, beheaded]}
"""of an index and of the data it names"""


@pytest.mark.parametrize(("ending", "damage"), [(ending, each) for ending in DAMAGES for each in DAMAGES[ending]])
def test_a_damaged_cache_is_compiled_again(warm, ending, damage):
    for path in cached(warm, "group_rows", ending):
        damage(path)
    labels, complaints = run(FIT, clean(warm))
    assert right(labels)
    assert "CacheWarning" in complaints


def test_a_damaged_cache_is_mended_where_that_is_possible(warm):
    for path in [*cached(warm, "group_rows", "nbi"), *cached(warm, "add_by_group", "nbc")]:
        truncated(path)
    assert "CacheWarning" in run(FIT, clean(warm))[1]
    assert run(FIT, clean(warm))[1] == ""


def test_data_that_is_missing_is_compiled_again(warm):
    for path in cached(warm, "group_rows", "nbc"):
        path.unlink()
    assert right(run(FIT, clean(warm))[0])


def test_data_of_another_signature_is_not_taken(cold):
    """What is left when two processes give the same file name to two signatures."""
    run(CALL, clean(cold), "f4,i4")
    first, second = cached(cold, "halve", "nbc")
    swapped = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(swapped)
    run(CALL, clean(cold), "f4,i4")
    run(CALL, clean(cold), "i4,f4")


# Unwritable folders


def test_a_cache_that_can_be_written_nowhere_costs_only_time(cold, tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("no folder can be made in here, not even by root")
    (cold / "dncsc" / "kernels" / "__pycache__").write_text("nor here")
    nowhere = {name: str(blocked / "folder") for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "LOCALAPPDATA")}
    labels, complaints = run(FIT, clean(cold, **nowhere))
    assert right(labels)
    assert complaints.count("CacheWarning: compiled kernels cannot be kept") == 1
    assert not list(cold.rglob("*.nb?"))


LOSE_THE_CACHE = """
import os, shutil, sys
import own_kernel  # the folder for the cache is made here

folder = own_kernel.halve.stats.cache_path
shutil.rmtree(folder)
open(folder, "w").close()
"""


def test_a_cache_that_becomes_unwritable_later_costs_only_time(cold):
    _, complaints = run(LOSE_THE_CACHE + CALL, clean(cold), "f4,f8")
    assert "CacheWarning" in complaints
