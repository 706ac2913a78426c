"""The Python that a page shows for new rows works when it is pasted, without a warning."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dncsc.cli import main
from dncsc.tables.cells import GAPS

FIT = ["-k", "2", "--landmarks", "40", "-q", "-o", "l.csv", "--model", "model.npz", "--report", "r.html"]


def pasted(names: dict | None = None) -> np.ndarray:
    """Labels by the code on the page; `names` gets all that it names."""
    code = re.search(r"<h3>In Python</h3>\s*<pre><code>(.*?)</code>", Path("r.html").read_text("utf-8"), re.DOTALL)
    assert code
    names = {} if names is None else names
    exec(unescape(code[1]), names)
    return names["labels"]


@pytest.fixture
def table(tmp_path, monkeypatch) -> pd.DataFrame:
    """Two groups with a date, a category, thousands and gaps."""
    monkeypatch.chdir(tmp_path)
    random, group = np.random.default_rng(0), np.arange(200) % 2
    found = pd.DataFrame(
        {
            "price": [f"{value:,.2f}" for value in 5_000 * (1 + 4 * group) + random.normal(0, 300, 200)],
            "joined": pd.to_datetime("2020-01-01") + pd.to_timedelta(random.integers(0, 90, 200), unit="D"),
            "city": random.choice(["Rome", "Oslo"], 200),
            "visits": random.normal(size=200) + 20 * group,
        }
    )
    found.loc[random.random(200) < 0.1, "visits"] = np.nan
    found.to_csv("new.csv", index=False)
    return found


@pytest.mark.parametrize("missing", ["median", "drop"])
def test_code_for_new_rows_of_a_table_has_the_encoder(missing, table):
    encoded = ["--categorical", "one-hot", "--dates", "number", "--thousands", ",", "--scale", "standard"]
    assert main(["fit", "new.csv", *FIT, *encoded, "--missing", missing]) == 0
    np.testing.assert_array_equal(pasted(), pd.read_csv("l.csv")["label"].dropna())


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("missing", ["median", "drop"])
def test_code_for_new_rows_takes_points_between_thousands_for_what_they_are(missing, separator, table):
    whole = [f"{value:,}".replace(",", ".") for value in 1_001 * (1 + np.arange(200) % 2) + np.arange(200)]
    table.assign(price=whole, visits=table["visits"].map("{:.3f}".format).str.replace(".", ",")).to_csv(
        "new.csv", index=False, sep=separator
    )
    encoded = ["--categorical", "one-hot", "--dates", "number", "--decimal", ",", "--thousands", "."]
    assert main(["fit", "new.csv", *FIT, *encoded, "--missing", missing]) == 0
    np.testing.assert_array_equal(pasted(), pd.read_csv("l.csv", sep=separator)["label"].dropna())


@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_code_for_new_rows_takes_marks_for_gaps(missing, table):
    numbers = table[["visits"]].assign(size=np.arange(200.0)).astype(object)
    numbers.iloc[::9, 0], numbers.iloc[::7, 1] = "-", "?"
    numbers.to_csv("new.csv", index=False)
    assert main(["fit", "new.csv", *FIT, "--missing", missing]) == 0
    np.testing.assert_array_equal(pasted(), pd.read_csv("l.csv")["label"].dropna())


def test_code_for_new_rows_takes_marks_for_gaps_but_those_that_are_values(table):
    marks = [mark for mark in GAPS if mark != "-"]
    size = [f"{50 * (row % 2)}.5" if row % 5 else marks[row // 5 % len(marks)] for row in range(200)]
    rh = np.random.default_rng(0).choice(["+", "-"], 200)
    table[["visits"]].assign(size=size, rh=rh).to_csv("new.csv", index=False)
    assert main(["fit", "new.csv", *FIT, "--missing", "mean", "--categorical", "one-hot", "--scale", "standard"]) == 0
    names: dict = {}
    np.testing.assert_array_equal(pasted(names), pd.read_csv("l.csv")["label"])
    assert set(names["rows"]["rh"]) == {"+", "-"}


@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_code_for_new_rows_without_names_has_the_encoder(missing, table):
    np.save("new.npy", table[["visits", "visits"]].to_numpy())
    assert main(["fit", "new.npy", *FIT, "--scale", "robust", "--missing", missing]) == 0
    np.testing.assert_array_equal(pasted(), pd.read_csv("l.csv")["label"].dropna())
