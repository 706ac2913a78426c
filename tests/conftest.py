"""Data and helpers that several test files share. Arrays are read-only: no test can change what another one sees."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from dncsc.datasets import load

Table = tuple[np.ndarray, np.ndarray]

LONG = ("methods", "dask_engine", "run", "jit", "app", "promises", "base", "few_rows", "checkpoint", "columns", "demo")
"""Files that take long begin first, so that no worker is left alone with one; those that compile for others lead."""


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # xdist would begin with the files of most tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"test_{name}.py": place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def _frozen(*arrays: np.ndarray) -> Table:
    for array in arrays:
        array.setflags(write=False)
    return arrays


@pytest.fixture(scope="session")
def moons() -> Table:
    """Two moons, 2,000 rows of float64 on a grid of 2**-20, so that powers of two and offsets change no digit."""
    X, y = load("tm-1m", n=2_000)
    return _frozen(np.round(X.astype(np.float64) * 2**20) / 2**20, y)


@pytest.fixture(scope="session")
def mixture() -> Table:
    """Four Gaussians in five dimensions that overlap, 700 rows, and their classes."""
    random = np.random.default_rng(3)
    places = 1.2 * random.standard_normal((4, 5))
    y = random.integers(4, size=700)
    return _frozen(places[y] + random.standard_normal((700, 5)), y)


@pytest.fixture(scope="session")
def flower() -> Table:
    """Three blocks of the flower, float32."""
    return _frozen(*load("fl-20m", n=150_000))


@pytest.fixture(scope="session")
def blobs() -> Callable[..., Table]:
    """A maker of round groups of deviation 1, on a diagonal of length `apart` but shuffled feature by feature."""

    def make(n: int, d: int = 2, k: int = 4, dtype: str = "float64", apart: float = 40.0, seed: int = 0) -> Table:
        random = np.random.default_rng(seed)
        steps = random.permuted(np.tile(np.arange(k), (d, 1)), axis=1).T
        centres = steps * apart / max(k - 1, 1) / np.sqrt(d)
        y = random.permutation(n) % k
        return _frozen((centres[y] + random.standard_normal((n, d))).astype(dtype), y)

    return make


@pytest.fixture(scope="session")
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program in a fresh interpreter, in which nothing has been imported or compiled."""

    def run(program: str, *arguments: object, path: Path | None = None, **environment: str):
        variables = {**os.environ, **environment}
        if path is not None:
            variables["PYTHONPATH"] = str(path)
        command = [sys.executable, "-c", program, *map(str, arguments)]
        return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)

    return run


@pytest.fixture
def one_thread() -> Iterator[None]:
    """As in an engine: what a solver returns may depend on the threads below it."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT interrupts this process and those that it starts.

    It would not where the tests themselves are started in the background of a shell without job control: such a shell
    has its children ignore the signal, which they hand down.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def passes_of(monkeypatch):
    """Lists the names of the tasks that an engine sweeps over the rows from then on, "a+b" where two go together."""

    def watch(engine):
        tasks, sweep = [], engine.sweep

        def counted(self, task):
            tasks.append("+".join(type(each).__name__ for each in getattr(task, "tasks", [task])))
            return sweep(self, task)

        monkeypatch.setattr(engine, "sweep", counted)
        return tasks

    return watch
