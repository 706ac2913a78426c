"""Rows of a report may be kept in anything, are read block by block, and bad ones are refused."""

from __future__ import annotations

import copy
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from dncsc import DnCSC, LloydKMeans
from dncsc.engines.layout import block_rows
from dncsc.report import write_report
from dncsc.report.reader import BlockReader, gather_moments, sample_numbers
from dncsc.rows import open_rows
from report_page import Lazy, Page, four_groups

K = 4


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return four_groups()


@pytest.fixture(scope="module")
def model(frame: pd.DataFrame) -> DnCSC:
    return DnCSC(K, n_landmarks=80, random_state=7).fit(frame)


def facts_of(path: Path) -> tuple:
    page = Page(path)
    profiles = {caption: lines for caption, lines in page.tables.items() if caption.startswith("Profile")}
    return page.data, profiles, page.tables["Agreement of re-runs with the model"]


def test_rows_in_any_container_give_the_same_page(tmp_path, frame):
    rows = frame.to_numpy()
    model = DnCSC(K, n_landmarks=80, random_state=0).fit(rows)
    plain = pd.DataFrame(rows, columns=[f"x{i}" for i in range(3)])
    lazy = Lazy(rows)
    lazy.names = list(plain)
    mapped = np.memmap(tmp_path / "rows", rows.dtype, "w+", shape=rows.shape)
    mapped[:] = rows
    kinds = [rows, plain, pl.from_pandas(plain), scipy.sparse.coo_matrix(rows), lazy, mapped, rows.tolist()]
    found = []
    for place, each in enumerate(kinds):
        write_report(tmp_path / f"{place}.html", model, each, reruns=1)
        found.append(facts_of(tmp_path / f"{place}.html"))
    assert all(each == found[0] for each in found[1:])


def test_rows_and_labels_in_files_have_a_page(tmp_path, frame):
    np.save(tmp_path / "rows.npy", frame.to_numpy())
    rows = open_rows(tmp_path / "rows.npy")
    kept = tmp_path / "kept"
    model = DnCSC(K, n_landmarks=80, random_state=0, checkpoint=kept).fit(rows, labels_to=tmp_path / "labels.npy")
    before = sorted(each.name for each in kept.rglob("*"))
    write_report(tmp_path / "page.html", model, rows, reruns=2)
    assert sorted(each.name for each in kept.rglob("*")) == before
    page = Page(tmp_path / "page.html")
    sizes = {int(line[0]): int(line[2]) for line in page.tables[f"Clusters 1 to {K} by size"][1:]}
    assert sizes == dict(enumerate(np.bincount(np.load(tmp_path / "labels.npy"))))
    assert len(page.tables["Agreement of re-runs with the model"]) == 5


def test_rows_are_read_block_by_block(tmp_path):
    rows = np.random.default_rng(0).normal(size=(3 * block_rows(64) + 5, 64)).astype(np.float32)
    model = LloydKMeans(3, random_state=0).fit(rows)
    lazy = Lazy(rows)
    write_report(tmp_path / "page.html", model, lazy, reruns=0)
    assert lazy.longest == block_rows(64)
    page = Page(tmp_path / "page.html")
    assert page.pairs["Rows"] == f"{len(rows):,}"
    assert "of 64 features, the 6 that differ most" in page.text.lower()


def test_a_sample_is_spread_over_all_rows():
    chosen = sample_numbers(1_000_003, 2, 1000)
    assert len(np.unique(chosen)) == 1000
    assert (np.diff(chosen) > 0).all()
    assert np.bincount(chosen // 100_001).tolist() == pytest.approx([100] * 10, abs=1)
    assert len(sample_numbers(10**9, 10**6, 10**6)) == 67


def test_moments_keep_their_digits_far_from_zero():
    random = np.random.default_rng(0)
    rows = random.normal(size=(3 * block_rows(40) + 7, 40)) + 1e8
    labels = random.integers(0, 5, len(rows))
    labels[labels == 3] = 2  # cluster 3 stays empty
    chosen = sample_numbers(len(rows), 40, 1000)
    found = gather_moments(BlockReader(rows), labels, 5, chosen)
    for cluster in (0, 1, 2, 4):
        own = rows[labels == cluster]
        np.testing.assert_allclose(found.mean[cluster] - 1e8, own.mean(axis=0) - 1e8, atol=1e-5)
        np.testing.assert_allclose(found.deviation[cluster], own.std(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.whole_deviation, rows.std(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(found.count, np.bincount(labels, minlength=5))
    np.testing.assert_array_equal(found.sample, rows[chosen])
    assert (found.effect[3] == 0).all()


def test_memory_does_not_grow_with_the_rows(tmp_path):
    peaks, sizes = [], []
    for n in (500_000, 1_500_000):
        rows = np.random.default_rng(0).normal(size=(n, 2))
        model = LloydKMeans(3, n_init=1, max_iter=2, random_state=0).fit(rows)
        tracemalloc.start()
        write_report(tmp_path / "page.html", model, rows, reruns=0, sample_rows=10_000)
        peaks.append(tracemalloc.get_traced_memory()[1])
        sizes.append(rows.nbytes)
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 4


def test_a_limit_on_the_memory_of_a_fit_is_not_one_for_its_page(tmp_path, model, frame):
    limited = copy.copy(model).set_params(max_memory="1MB")  # as when the process has grown since the fit
    with pytest.raises(MemoryError, match="max_memory"):
        clone(limited).fit(frame)
    write_report(tmp_path / "page.html", limited, frame, reruns=1)
    assert "1MB" in Page(tmp_path / "page.html").pairs["max_memory"]


def test_a_failure_leaves_what_was_there(tmp_path):
    rows = np.random.default_rng(0).normal(size=(2 * block_rows(64), 64)).astype(np.float32)
    model = LloydKMeans(2, random_state=0).fit(rows)
    path = tmp_path / "page.html"
    path.write_text("the last one")
    with pytest.raises(OSError, match="the disk is gone"):
        write_report(path, model, Lazy(rows, fail_at=block_rows(64)), reruns=0)
    assert path.read_text() == "the last one"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_nothing_partial_is_left_where_the_page_cannot_be_put(tmp_path, model, frame, monkeypatch):
    def replace(*paths):
        raise PermissionError("not here")

    monkeypatch.setattr("os.replace", replace)
    with pytest.raises(PermissionError, match="not here"):
        write_report(tmp_path / "page.html", model, frame, reruns=0)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_done_is_said_at_once(tmp_path, model, frame):
    path = tmp_path / "page.html"
    loaded = copy.copy(model)
    del loaded.labels_
    holed = frame.copy()
    holed.loc[5, "north"] = np.nan
    calls = [
        (NotFittedError, "not fitted", path, DnCSC(2), frame, {}),
        (ValueError, "no labels_, which files of models leave out", path, loaded, frame, {}),
        (FileNotFoundError, "no folder", tmp_path / "none" / "page.html", model, frame, {}),
        (IsADirectoryError, "is a folder", tmp_path, model, frame, {}),
        (ValueError, "fitted to 1,000 rows of 3 features; the rows given are 999 of 3", path, model, frame[1:], {}),
        (ValueError, "two dimensions", path, model, frame["east"], {}),
        (ValueError, "reruns must be an integer of at least 0; got -1", path, model, frame, {"reruns": -1}),
        (ValueError, "sample_rows must be", path, model, frame, {"sample_rows": 0}),
        (ValueError, "sample_rows=3 are too few", path, model, frame, {"sample_rows": 3}),
        (ValueError, "row 5 has a value in 'north' that is not finite", path, model, holed, {}),
    ]
    for error, message, target, fitted, rows, options in calls:
        with pytest.raises(error, match=message):
            write_report(target, fitted, rows, **options)
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told_step_by_step(tmp_path, model, frame):
    told: list[tuple[str, float]] = []
    write_report(tmp_path / "page.html", model, frame, reruns=2, progress=lambda step, done: told.append((step, done)))
    assert told == [("profiles", 1.0), ("map", 1.0), ("re-runs", 0.5), ("re-runs", 1.0)]
