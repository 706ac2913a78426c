"""`--id`: identifiers stand beside the labels of their rows as they were, or the command refuses them by name."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from dncsc.cli import main
from dncsc.cli.outputs import table_target, table_writer
from dncsc.rows.values import ColumnOverflowError, arrow

FIT = ["-k", "2", "--landmarks", "20", "--quiet"]


def write_rows(path: Path, **identifiers: object) -> None:
    """Twenty rows in two groups, with whatever columns are given."""
    a = np.arange(20.0) + 100 * (np.arange(20) % 2)
    path.parent.mkdir(exist_ok=True)
    pa.parquet.write_table(pa.table({"a": a, "b": a[::-1], **identifiers}), path)


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for tables, in which the work is done."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "parts"


def test_identifiers_of_files_with_other_types_are_kept_in_one_that_holds_both(parts):
    write_rows(parts / "1.parquet", code=pa.array(range(20), pa.int32()))
    write_rows(parts / "2.parquet", code=pa.array(range(2**60, 2**60 + 20), pa.int64()))
    assert main(["fit", "parts", *FIT, "--id", "code", "-o", "l.npz"]) == 0
    stored = np.load("l.npz")
    assert stored["code"].tolist() == [*range(20), *range(2**60, 2**60 + 20)]
    assert len(stored["label"]) == 40


def test_a_gap_in_a_later_block_leaves_identifiers_as_they_are(parts, monkeypatch):
    monkeypatch.setattr("dncsc.cli.labels.BLOCK", 7)
    write_rows(parts / "1.parquet", code=pa.array([*range(7, 26), None]), name=pa.array([*map(str, range(19)), None]))
    assert main(["fit", "parts", *FIT, "--drop", "name", "--id", "code", "-o", "l.npz"]) == 0
    np.testing.assert_array_equal(np.load("l.npz")["code"], [*range(7, 26), np.nan])
    assert main(["fit", "parts", *FIT, "--drop", "code", "--id", "name", "-o", "n.npz"]) == 0
    assert np.load("n.npz")["name"].tolist() == [*map(str, range(19)), ""]


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([pa.array([2**63 - 1, 2]), pa.array([0.5, 2.0])], "values of int64 that change in an array of float64"),
        ([pa.array([1, 2]), pa.array([2**53 + 1, None])], "has gaps, and integers that no float is equal to"),
        ([pa.array([1, 2]), pa.array(["1", "x"])], "holds texts and numbers"),
        ([pa.array([1, 2]), pa.array([1, 2], pa.timestamp("s"))], "holds texts and numbers"),
    ],
)
def test_identifiers_that_no_array_holds_are_refused_by_name(blocks, words, tmp_path, parts):
    def write() -> None:
        with table_writer(table_target("l.npz"), ["code", "label"], 4) as writer:
            for block in blocks:
                writer.write([block, np.zeros(2, np.int32)])

    with pytest.raises(ColumnOverflowError, match=r"column 'code' .* Write .csv or .parquet instead") as refusal:
        write()
    assert words in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_identifiers_that_are_not_there_are_refused_before_any_work(parts, monkeypatch, capsys):
    write_rows(parts / "1.parquet", code=range(20))
    assert main(["fit", "parts", *FIT, "--id", "code", "--model", "m.npz", "-o", "l.csv"]) == 0
    write_rows(parts / "2.parquet", number=range(20))
    Path("rows.csv").write_text("a,b\n1,2\n3,4\n")
    monkeypatch.setattr("dncsc.DnCSC.fit", None)
    monkeypatch.setattr("dncsc.DnCSC.predict", None)
    for command, words in [
        (["predict", "m.npz", "parts/1.parquet", "--id", "coed"], "no column 'coed'. Did you mean 'code'?"),
        (["predict", "m.npz", "rows.csv", "--id", "code"], "--id: rows.csv has no column 'code'. It has: a, b."),
        (["predict", "m.npz", "parts", "--id", "code"], "2.parquet has no column 'code'. It has: a, b, number."),
        (["fit", "parts", *FIT, "--columns", "a,b", "--id", "code"], "2.parquet has no column 'code'"),
        (["compare", "parts", *FIT, "--columns", "a,b", "--truth", "code"], "--truth: "),
    ]:
        outputs = [] if command[0] == "compare" else ["-o", "new.csv"]
        assert main([*command, *outputs]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize("output", ["l.parquet", "l.feather"])
@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (pa.array(range(20), pa.int32()), pa.array(range(2**40, 2**40 + 20), pa.int64()), pa.int64()),
        (pa.array([*range(19), None], pa.int64()), pa.array([None] * 20, pa.null()), pa.int64()),
        (pa.array(["x", "y"] * 10).dictionary_encode(), pa.array(["z", "x"] * 10).dictionary_encode(), pa.string()),
        (pa.array(range(20)), pa.array(["x", "y"] * 10), pa.string()),
        (pa.array(range(20), pa.date32()), pa.array(range(20), pa.date32()), pa.date32()),
    ],
    ids=["widths", "gaps", "categories", "text and numbers", "dates"],
)
def test_a_column_has_one_type_that_holds_the_identifiers_of_all_files(parts, first, second, kind, output):
    write_rows(parts / "1.parquet", code=first)
    write_rows(parts / "2.parquet", code=second)
    assert main(["fit", "parts", *FIT, "--id", "code", "-o", output]) == 0
    read = pa.parquet.read_table if output.endswith("parquet") else pa.feather.read_table
    column = read(output)["code"]
    wanted = [*first.to_pylist(), *second.to_pylist()]
    assert column.type == kind
    assert column.to_pylist() == [str(each) if kind == pa.string() else each for each in wanted]


@pytest.mark.parametrize(
    ("identifiers", "wanted"),
    [
        (pa.array([0, 1] * 10, pa.date32()), ["1970-01-01", "1970-01-02"]),
        (
            pa.array([0, 10**9] * 10, pa.timestamp("us", "UTC")),
            ["1970-01-01 00:00:00+00:00", "1970-01-01 00:16:40+00:00"],
        ),
        (pa.array([b"x0", b"\xff"] * 10), ["x0", "\\xff"]),
        (pa.array(["x", None] * 10).dictionary_encode(), ["x", ""]),
    ],
    ids=["dates", "times", "bytes", "categories"],
)
def test_what_is_no_number_is_the_same_text_in_arrays_as_in_csv(parts, identifiers, wanted):
    write_rows(parts / "1.parquet", code=identifiers)
    assert main(["fit", "parts", *FIT, "--id", "code", "-o", "l.npz"]) == 0
    assert main(["fit", "parts", *FIT, "--id", "code", "-o", "l.csv"]) == 0
    assert np.load("l.npz")["code"].tolist() == wanted * 10
    assert pd.read_csv("l.csv", dtype=str, keep_default_na=False)["code"].tolist() == wanted * 10


@pytest.mark.parametrize(
    ("identifiers", "wanted", "kind"),
    [
        (np.array([b"x0", b"x1"] * 10), ["x0", "x1"], pa.string()),
        (np.array([0, 1] * 10, "M8[s]"), ["1970-01-01T00:00:00", "1970-01-01T00:00:01"], pa.timestamp("ms")),
        (np.array([0, 1] * 10, "M8[h]"), ["1970-01-01T00", "1970-01-01T01"], pa.string()),
        (np.array([3, 4] * 10, ">i4"), ["3", "4"], pa.int32()),
    ],
    ids=["bytes", "times", "hours", "other byte order"],
)
def test_identifiers_in_arrays_are_carried_over_to_every_format(parts, identifiers, wanted, kind, monkeypatch):
    a = np.arange(20.0) + 100 * (np.arange(20) % 2)
    np.savez("rows.npz", X=np.c_[a, a[::-1]], code=identifiers)
    command = ["fit", "rows.npz", *FIT, "--id", "code", "-o"]
    assert main([*command, "l.parquet"]) == 0
    assert pa.parquet.read_schema("l.parquet").field("code").type == kind
    arrow.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # which arrays and text need not
    assert main([*command, "l.npz"]) == 0
    assert main([*command, "l.csv"]) == 0
    assert np.load("l.npz")["code"].astype(str).tolist() == wanted * 10
    assert [line.partition(",")[0] for line in Path("l.csv").read_text().splitlines()[1:]] == wanted * 10


@pytest.mark.parametrize("command", [["fit", *FIT], ["predict", "m.npz"]])
def test_identifiers_that_cannot_be_read_are_refused_before_any_work(command, parts, monkeypatch, capsys):
    X = np.random.default_rng(0).normal(size=(20, 2))
    np.savez("short.npz", X=X, code=np.arange(19))
    np.savez("wide.npz", X=X, code=np.zeros((20, 2)))
    np.savez("objects.npz", X=X, code=np.array(["x", 1] * 10, object))
    for part, code in enumerate((np.arange(20), np.arange(20).astype(str))):
        parts.mkdir(exist_ok=True)
        np.savez(parts / f"{part}.npz", X=X, code=code)
    write_rows(Path("lists/1.parquet"), code=pa.array([[1, 2]] * 20))
    write_rows(Path("lists/2.parquet"), code=pa.array(["x"] * 20))
    lines = [f"{row},{row % 7},k{row}\n".encode() for row in range(100_000)]
    Path("late.csv").write_bytes(b"a,b,code\n" + b"".join(lines) + b"1,2,caf\xe9\n")
    assert main(["fit", "short.npz", *FIT, "--model", "m.npz"]) == 0
    monkeypatch.setattr("dncsc.DnCSC.fit", None)
    monkeypatch.setattr("dncsc.DnCSC.predict", None)
    assert main([*command, "parts", "--id", "code", "-o", "l.npz"]) == 2
    assert "--id: 'code' holds text in some files and numbers in others" in capsys.readouterr().err
    assert main([*command, "lists", "--id", "code", "-o", "l.npz"]) == 2
    assert "values of list<element: int64> that have no place in a column of string" in capsys.readouterr().err
    for data, words in [
        ("short.npz", "short.npz: the array 'code' has shape (19,); one value for each of the 20 rows is needed."),
        ("wide.npz", "wide.npz: the array 'code' has shape (20, 2); one value"),
        ("objects.npz", "objects.npz: the array 'code' holds Python objects"),
        ("late.csv", "late.csv is text in another encoding than UTF-8, as line 100002 shows: save it in UTF-8, as"),
    ]:
        for output in ("l.csv", "l.parquet"):
            assert main([*command, data, "--id", "code", "-o", output]) in (2, 3)
            assert words in capsys.readouterr().err


FORMULAS = ["=1+1", "+cmd", "-x", "@SUM(A1)", " =1", "\t=1", "\u3000=1", "-5", "+1e3", "a=b", "", "'x", "5"]


@pytest.mark.parametrize("output", ["l.csv", "l.tsv"])
def test_identifiers_are_written_as_they_are_or_as_no_formulas(parts, output, capsys):
    cells = (FORMULAS * 2)[:20]
    write_rows(parts / "1.parquet", **{"=id": cells})
    delimiter = "," if output.endswith("csv") else "\t"
    for option in ([], ["--escape-formulas"]):
        assert main(["fit", "parts", *FIT, "--id", "=id", *option, "-o", output, "--force"]) == 0
        with open(output, newline="") as file:
            (title, _), *lines = csv.reader(file, delimiter=delimiter)
        written = [cell for cell, _ in lines]
        if not option:
            assert (title, written) == ("=id", cells)
    assert title == "'=id"
    assert written[:7] == [f"'{cell}" for cell in FORMULAS[:7]]
    assert written[7:13] == FORMULAS[7:]


def test_formulas_are_escaped_only_where_there_are_any(parts, capsys):
    write_rows(parts / "1.parquet", code=["=1"] * 20)
    for arguments in (["-o", "l.csv"], ["--id", "code", "-o", "l.parquet"], ["--model", "m.npz"]):
        assert main(["fit", "parts", *FIT, *arguments, "--escape-formulas"]) == 2
        assert "--escape-formulas is for cells of --id in .csv and .tsv" in capsys.readouterr().err
