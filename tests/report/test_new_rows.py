"""The Python that a page shows for new rows works when it is pasted, without a warning."""

from __future__ import annotations

import gzip
import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
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


def write(table: pd.DataFrame, name: str, above: str = "", **options) -> None:
    """A table in the format of a suffix."""
    if name.endswith(".parquet"):
        table.to_parquet(name, index=False)
    elif name.endswith(".feather"):
        table.to_feather(name)
    elif name.endswith(".arrows"):
        found = pa.Table.from_pandas(table, preserve_index=False)
        with pa.OSFile(name, "wb") as sink, pa.ipc.new_stream(sink, found.schema) as writer:
            writer.write_table(found)
    else:
        text = above + table.to_csv(index=False, **options)
        Path(name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


FORMATS = {
    "parquet": ("new.parquet", {}),
    "feather": ("new.feather", {}),
    "stream": ("new.arrows", {}),
    "tabs": ("new.tsv", {"sep": "\t"}),
    "tabs in csv": ("new.csv", {"sep": "\t"}),
    "semicolons": ("new.csv", {"sep": ";"}),
    "bars": ("new.csv.gz", {"sep": "|"}),
    "a line above the names": ("new.csv", {"sep": ";", "above": "sep=;\n"}),
    "no names": ("new.csv", {"header": False}),
}


@pytest.mark.parametrize("missing", ["median", "drop"])
@pytest.mark.parametrize("form", FORMATS)
def test_code_for_new_rows_reads_the_format_of_the_file_that_was_fitted(form, missing, table):
    name, options = FORMATS[form]
    Path("new.csv").unlink()
    write(table.assign(price=table["price"].str.replace(",", "").astype(float)), name, **options)
    encoded = ["--categorical", "one-hot", "--dates", "number", "--scale", "standard", "--missing", missing]
    drop = ["--drop", "1"] if form == "no names" else []  # so that numbers are not those of places
    assert main(["fit", name, *FIT, *encoded, *drop]) == 0
    np.testing.assert_array_equal(pasted(), pd.read_csv("l.csv")["label"].dropna())
    command = re.search(r"<pre><code>(dncsc predict .*?)</code>", Path("r.html").read_text("utf-8"))
    assert command
    assert command[1].split()[3] == name


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


WITHOUT_NAMES = {
    "new.npy": np.save,
    "new.npz": np.savez,
    "new.csv": lambda name, values: np.savetxt(name, values, delimiter=","),
}


@pytest.mark.parametrize("name", WITHOUT_NAMES)
@pytest.mark.parametrize("encoded", [[], ["--scale", "standard"]], ids=["plain", "encoded"])
def test_code_and_command_for_new_rows_take_the_columns_of_the_fit(name, encoded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(0).normal(size=(200, 4)) + 9.5 * (np.arange(200) % 2)[:, None]
    WITHOUT_NAMES[name](name, values)
    assert main(["fit", name, *FIT, *encoded, "--columns", "3,0"]) == 0
    labels = pd.read_csv("l.csv")["label"]
    command = re.search(r"<pre><code>dncsc (predict .*?)</code>", Path("r.html").read_text("utf-8"))
    assert command
    assert main([*command[1].split(), "--force", "-q"]) == 0
    np.testing.assert_array_equal(pd.read_csv("labels.csv")["label"], labels)
    names = {"new_rows": values[:, [3, 0]]}
    np.testing.assert_array_equal(pasted(names), labels)
    assert '# columns: "3", "0"' in unescape(Path("r.html").read_text("utf-8"))


@pytest.mark.parametrize("name", ["new.npy", "new.npz"])
@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_code_for_new_rows_without_names_has_the_encoder(missing, name, table):
    values = table[["visits", "visits"]].to_numpy()
    np.save(name, values) if name == "new.npy" else np.savez(name, rows=values, y=np.zeros(len(values)))
    assert main(["fit", name, *FIT, "--scale", "robust", "--missing", missing]) == 0
    np.testing.assert_array_equal(pasted(), pd.read_csv("l.csv")["label"].dropna())
