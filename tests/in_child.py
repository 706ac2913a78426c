"""Fits in a process of their own, which may be killed or held to limits without harm to the tests."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dncsc import clusterer, open_rows, watch
from dncsc.estimators.inputs import size_of
from dncsc.memory import resident

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["dncsc.estimators.registry", "dncsc.rows"])


def run_in_child(function: Callable[..., None], *arguments: Any) -> int:
    """Exit code of a process that calls a function of this module; -9 for one that was killed."""
    child = SERVER.Process(target=function, args=arguments)
    child.start()
    child.join(120)
    assert child.exitcode is not None, "it did not end"
    return child.exitcode


def too_little_memory(model: Any, rows: Any) -> int:
    """A `max_memory` with which a fit runs, but has to keep its columns in scratch files."""
    size = size_of(model, rows)
    return resident() + size.working + size.columns // 2


class Killer:
    """A watcher that kills its own process in the middle of a phase, when that has begun for the n-th time."""

    def __init__(self, phase: str, times: int = 1) -> None:
        self.phase, self.times = phase, times
        self.last = ""

    def __call__(self, phase: str, done: int, n_rows: int) -> None:
        if phase != self.last:
            self.times -= phase == self.phase
            self.last = phase
        if phase == self.phase and self.times == 0 and done:
            os.kill(os.getpid(), signal.SIGKILL)


def fit_and_be_killed(path: Path, method: str, params: dict[str, Any], phase: str, times: int = 1) -> None:
    """Fit the rows of a file until a phase."""
    with watch(Killer(phase, times)):
        clusterer(method, **params).fit(open_rows(path))


def fit_in_scratch_and_be_killed(path: Path, folder: Path, phase: str) -> None:
    """The same with columns in scratch files of a folder."""
    rows = open_rows(path)
    model = clusterer("dnc-sc", 3, n_landmarks=60, scratch_dir=folder)
    with watch(Killer(phase)):
        model.set_params(max_memory=too_little_memory(model, rows)).fit(rows)


def fit_where_files_are_small(path: Path, folder: Path, limit: int, report: Path, to_file: bool) -> None:
    """A fit whose labels (or else scratch files) are larger than files may be; its error goes into the report."""
    rows = open_rows(path)
    model = clusterer("dnc-sc", 3, n_landmarks=60, scratch_dir=folder, random_state=0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        if to_file:
            with watch(lambda phase, done, n_rows: report.write_text("it ran")):
                model.fit(rows, labels_to=folder / "labels.npy", overwrite=True)
        else:
            model.set_params(max_memory=too_little_memory(model, rows)).fit(rows)
    except OSError as error:
        report.write_text(f"{report.read_text() if report.exists() else ''}{error}"[:limit])


def fit_and_tell_peak(path: Path, report: Path) -> None:
    """What a fit was allowed, the most memory that this process had during it, and how the labels were kept."""
    rows = open_rows(path)
    model = clusterer("dnc-sc", 3, n_landmarks=500, n_init=1, random_state=0, n_jobs=2)
    model.fit(rows.read(0, 5_000))  # libraries loaded, kernels compiled or read
    model.set_params(max_memory=resident() + size_of(model, rows).working + 10 * 2**20)
    Path("/proc/self/clear_refs").write_text("5")  # the highest so far is forgotten
    model.fit(rows)
    lines = Path("/proc/self/status").read_text().splitlines()
    [peak] = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
    report.write_text(f"{model.max_memory} {peak} {isinstance(model.labels_, np.memmap)}")
