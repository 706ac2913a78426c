"""Profiles agree with what pandas says about the columns of a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dncsc.cli import main
from report_page import Page

FIT = ["-k", "3", "--landmarks", "80", "-q", "-o", "l.csv", "--report", "r.html"]
ENCODED = ["--dates", "number", "--categorical", "one-hot", "--scale", "standard"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Three groups, with gaps in two columns of numbers, a date and a category."""
    random, group = np.random.default_rng(0), np.arange(900) % 3
    first = pd.Timestamp("2020-01-01") + pd.to_timedelta(200 * group + random.integers(0, 30, 900), unit="D")
    found = pd.DataFrame(
        {
            "price": np.array([3_000, 9_000, 40_000])[group] + random.normal(0, 500, 900),
            "visits": 15 + 10 * (group - 1) + random.integers(-3, 4, 900),  # of which many are the median
            "joined": first.strftime("%Y-%m-%d"),
            "city": np.array(["Rome", "Oslo", "Bern", "Lyon"])[random.integers(0, 4, 900)],
            "member": random.random(900) < 0.3,
        }
    )
    for name in ("price", "visits", "joined", "city"):
        found[name] = found[name].astype(object).mask(random.random(900) < 0.05)
    return found


@pytest.fixture
def written(table, tmp_path, monkeypatch) -> tuple[Page, np.ndarray]:
    """The page of a fit that fills gaps by medians, and its labels."""
    monkeypatch.chdir(tmp_path)
    table.to_csv("rows.csv", index=False)
    assert main(["fit", "rows.csv", *FIT, *ENCODED, "--missing", "median"]) == 0
    return Page(Path("r.html")), pd.read_csv("l.csv")["label"].to_numpy()


def profile(page: Page, cluster: int) -> dict[str, list[str]]:
    return {name: [own, whole] for name, own, whole, _ in page.tables[f"Profile of cluster {cluster}"][1:]}


def numbers(text: str) -> list[float]:
    return [float(each) for each in text.replace(",", "").replace(" days", "").split(" \u00b1 ")]


def test_values_that_were_filled_in_are_not_counted(table, written):
    page, labels = written
    for name in ("price", "visits"):
        raw = table[name].astype(float)
        shown = {cluster: each[name] for cluster in range(3) if name in (each := profile(page, cluster))}
        assert len(shown) >= 2
        for cluster, (own, whole) in shown.items():
            expected = raw.groupby(labels).agg(["mean", "std"]).loc[cluster]
            assert numbers(own) == pytest.approx(expected.tolist(), rel=0.005, abs=0.006)
            assert numbers(whole) == pytest.approx([raw.mean()], rel=0.005, abs=0.006)
    assert "Missing values are left out here; the model saw them filled in." in page.text


def test_dates_are_shown_as_dates_and_their_spread_in_days(table, written):
    page, labels = written
    raw = pd.to_datetime(table["joined"])
    for cluster in range(3):
        shown, whole = profile(page, cluster)["joined"]
        (date, deviation), own = shown.split(" \u00b1 "), raw[labels == cluster]
        assert (date, whole) == (f"{own.mean():%Y-%m-%d}", f"{raw.mean():%Y-%m-%d}")
        assert deviation.endswith(" days")
        assert numbers(deviation) == pytest.approx([own.std(ddof=0) / pd.Timedelta(days=1)], abs=0.6)
    assert page.data["pairs"]["dates"] == [False, False, True, *[False] * 6]
    assert "late joined" in page.text
    assert "early joined" in page.text


def test_categories_and_truth_values_are_shown_as_shares(table, written):
    page, labels = written
    shown = 0
    for cluster in range(3):
        for name, (own, whole) in profile(page, cluster).items():
            column, _, value = name.partition("=")
            if value or name == "member":
                raw = table[column] == value if value else table["member"]
                assert (own, whole) == (f"{raw[labels == cluster].mean():.1%}", f"{raw.mean():.1%}")
                shown += 1
    assert shown
    assert "from 5 columns of the table" in page.text
    assert "in each cluster, of categories the share of rows, and the mean of all rows." in page.text


def test_what_is_missing_in_a_whole_cluster_is_said_to_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = pd.DataFrame(np.random.default_rng(1).normal(size=(900, 3)), columns=["east", "north", "height"])
    raw["east"] += 30 * (np.arange(900) % 3)
    raw.loc[np.arange(900) % 3 == 2, "height"] = np.nan
    raw.to_csv("rows.csv", index=False)
    assert main(["fit", "rows.csv", *FIT, "--scale", "standard", "--missing", "mean"]) == 0
    page, labels = Page(Path("r.html")), pd.read_csv("l.csv")["label"]
    assert profile(page, labels[2])["height"][0] == "all missing"
    assert profile(page, labels[0])["height"][0] != "all missing"


def test_a_table_that_is_neither_scaled_nor_filled_is_not_said_to_be(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table[["price", "visits"]].to_csv("rows.csv", index=False)
    assert main(["fit", "rows.csv", *FIT, "--missing", "drop"]) == 0
    page = Page(Path("r.html"))
    assert "the model saw them" not in page.text
