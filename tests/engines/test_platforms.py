"""Fits need no function that only some systems have."""

from __future__ import annotations

import os
import sys
import tempfile

import numpy as np
import psutil
import pytest

from dncsc import DnCSC, memory, open_rows
from in_child import too_little_memory

MISSING = ("sysconf", "pread", "preadv", "pwrite", "pwritev", "posix_fallocate", "sched_getaffinity", "O_TMPFILE")
SMALL = {"n_landmarks": 60, "random_state": 0, "n_jobs": 4}


@pytest.fixture(scope="module")
def fitted(flower):
    return DnCSC(3, **SMALL).fit(flower[0])


@pytest.fixture
def elsewhere(fitted, monkeypatch):
    """A system without the functions and modules that only some have."""
    for name in MISSING:
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(tempfile, "_O_TMPFILE_WORKS", False)  # of its import, when the flag was still there
    monkeypatch.setitem(sys.modules, "resource", None)


@pytest.fixture
def no_proc(monkeypatch, tmp_path):
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))


@pytest.mark.usefixtures("elsewhere")
def test_a_fit_in_memory_needs_no_function_of_some_systems(flower, fitted):
    np.testing.assert_array_equal(DnCSC(3, **SMALL).fit(flower[0]).labels_, fitted.labels_)


@pytest.mark.usefixtures("elsewhere")
def test_a_fit_in_scratch_files_needs_no_function_of_some_systems(flower, fitted, tmp_path):
    np.save(tmp_path / "rows.npy", flower[0])
    rows = open_rows(tmp_path / "rows.npy")
    model = DnCSC(3, **SMALL)
    model.set_params(max_memory=too_little_memory(model, rows)).fit(rows)
    assert isinstance(model.labels_, np.memmap)
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    model.set_params(max_memory=None).fit(rows, labels_to=tmp_path / "labels.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), fitted.labels_)


@pytest.mark.usefixtures("elsewhere")
def test_a_full_disk_is_found_before_the_work_without_fallocate(flower, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": 1000}))
    with pytest.raises(OSError, match=r"no room for the labels: 600 kB are needed .* 1 kB are free"):
        DnCSC(3, **SMALL).fit(flower[0], labels_to=tmp_path / "labels.npy")


@pytest.mark.usefixtures("elsewhere")
def test_memory_is_known_where_there_is_no_sysconf():
    assert 10**7 < memory.resident() < psutil.virtual_memory().total
    assert 10**6 < memory.free() <= psutil.virtual_memory().total
    assert memory.peak() == 0


@pytest.mark.usefixtures("no_proc")
def test_a_fit_needs_no_proc(flower, fitted):
    assert memory.resident() == memory.peak() > 10**7
    assert memory.free() == min(memory.UNKNOWN, memory._free_of_container())
    np.testing.assert_array_equal(DnCSC(3, **SMALL).fit(flower[0]).labels_, fitted.labels_)
