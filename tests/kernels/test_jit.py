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
from typing import NamedTuple

import numpy as np
import pytest

import dncsc

FIT = """
import numpy as np
from numba.core.event import install_recorder
from dncsc import DnCSC

random = np.random.default_rng(0)
y = np.arange(240) % 3
X = (30.0 * y[:, None] + random.standard_normal((240, 2))).astype(np.float32)
model = DnCSC(3, n_landmarks=20, random_state=0)
with install_recorder("numba:compile") as events:
    model.fit(X)
    assert (model.predict(X) == model.labels_).all()
print(*model.labels_)
print(*{event.data["dispatcher"].py_func.__name__ for _, event in events.buffer})
"""
"""Labels, and the functions that were compiled."""

OWN_KERNEL = """
from dncsc.kernels._jit import jit

@jit()
def unused(values):
    return values[0]

@jit()
def halve(values):
    total = values[0] * 0
    for i in range(values.shape[0]):
        values[i] = values[i] / 2
        total += values[i]
    return total
"""
"""Small kernels; the one that is called is soon compiled."""

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


class Fitted(NamedTuple):
    """What a process that ran `FIT` had to say."""

    labels: str
    compiled: set[str]
    complaints: str

    @classmethod
    def of(cls, process: subprocess.Popen[str]) -> Fitted:
        out, complaints = finish(process)
        labels, compiled = out.splitlines()
        return cls(labels, set(compiled.split()), complaints)

    @property
    def right(self) -> bool:
        found = np.array(self.labels.split(), int)
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


# Many processes

EARLY = ("survey", "hashing", "grouping")
"""Modules of kernels that are called first in a fit."""


@pytest.fixture(scope="module")
def begun_together(tmp_path_factory) -> tuple[Path, list[Fitted]]:
    """A copy of the package in which two processes started a fit at once when the early kernels were not compiled.

    Of the others, it has what is in the cache of the package under test; what is not, these processes compile as well.
    Times of files are kept in a copy, so that its cache is valid.
    """
    folder = tmp_path_factory.mktemp("crowded")
    ignored = shutil.ignore_patterns("*.pyc", "*.tmp.*", *(f"{module}.*.nb?" for module in EARLY))
    shutil.copytree(Path(dncsc.__file__).parent, folder / "dncsc", ignore=ignored)
    processes = [start(FIT, clean(folder)) for _ in range(2)]
    return folder, [Fitted.of(process) for process in processes]


@pytest.mark.long
def test_two_processes_that_start_cold_at_once_find_the_same_labels(begun_together):
    _, fits = begun_together
    assert fits[0].right
    assert len({fit.labels for fit in fits}) == 1
    assert {"survey_rows", "row_keys", "group_rows"} <= set.union(*(fit.compiled for fit in fits))


@pytest.mark.long
def test_four_processes_that_start_cold_at_once_are_all_right_and_so_is_what_they_leave(cold, tmp_path):
    gate = tmp_path / "gate"
    processes = [start(CALL, clean(cold), kind, gate) for kind in KINDS[:2] * 2]
    while len(list(tmp_path.glob("gate.*"))) < 4 and all(process.poll() is None for process in processes):
        time.sleep(0.01)
    gate.touch()
    for process in processes:
        finish(process)
    run(CALL, clean(cold), ",".join(KINDS))


# Changed sources


COMPILED = """
import sys
from numba.core.event import install_recorder
with install_recorder("numba:compile") as events:
    exec(sys.argv.pop(1))
print(*{event.data["dispatcher"].py_func.__name__ for _, event in events.buffer})
"""


def test_a_change_of_any_kernel_source_compiles_all_again(cold):
    """Kernels have code of others compiled in, which Numba's own cache does not look at."""
    assert run(COMPILED, clean(cold), CALL, "f4")[0].split() == ["halve"]
    assert run(COMPILED, clean(cold), CALL, "f4")[0].split() == []
    with open(cold / "dncsc" / "kernels" / "distance.py", "a") as file:
        file.write("# changed\n")
    assert run(COMPILED, clean(cold), CALL, "f4")[0].split() == ["halve"]


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


DAMAGES = {
    "survey_rows": ("nbi", truncated),
    "row_keys": ("nbi", emptied),
    "rows_below": ("nbi", garbled),
    "scale_and_shift": ("nbc", truncated),
    "places_below": ("nbc", garbled),
    "put_rows": ("nbc", beheaded),
    "add_distances": ("nbc", Path.unlink),
}
"""Of an index or of the data that it names: each of another kernel, all in one cache."""


@pytest.fixture(scope="module")
def damaged(begun_together) -> tuple[Fitted, Fitted, bool]:
    """A fit with a damaged cache, the one after it, and whether that one left all files as they were."""
    folder, _ = begun_together
    for kernel, (ending, damage) in DAMAGES.items():
        for path in cached(folder, kernel, ending):
            damage(path)
    first = Fitted.of(start(FIT, clean(folder)))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}
    second = Fitted.of(start(FIT, clean(folder)))
    return first, second, before == {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}


@pytest.mark.long
def test_fits_are_right_whatever_is_damaged(damaged, begun_together):
    first, second, _ = damaged
    assert first.right
    assert first.labels == second.labels == begun_together[1][0].labels


@pytest.mark.parametrize("kernel", DAMAGES)
def test_a_damaged_cache_is_compiled_again(kernel, damaged):
    assert kernel in damaged[0].compiled


def test_what_is_not_damaged_is_not_compiled_again(damaged):
    assert not damaged[0].compiled & {"spread", "nearest_across_rows", "search_across_rows", "label_rows"}


def test_damage_is_said_once_a_kind(damaged):
    said = [line for line in damaged[0].complaints.splitlines() if "CacheWarning" in line]
    assert len(said) == len(set(said)) > 1
    assert all("is damaged" in line for line in said)


def test_a_damaged_cache_is_mended_and_the_next_process_finds_the_kernels_compiled(damaged):
    _, second, untouched = damaged
    assert second.compiled == set()
    assert second.complaints == ""
    assert untouched


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
    (cold / "__pycache__").write_text("nor here")
    nowhere = {name: str(blocked / "folder") for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "LOCALAPPDATA")}
    _, complaints = run(CALL, clean(cold, **nowhere), ",".join(KINDS))
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
