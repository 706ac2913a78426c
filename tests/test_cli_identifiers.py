"""`--id`: identifiers stand beside the labels of their rows as they were, or the command refuses them by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from dncsc.cli import main
from dncsc.cli.errors import Refused
from dncsc.cli.outputs import table_target
from dncsc.cli.writers import table_writer

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
        ([pa.array([1, 2]), pa.array([1, 2], pa.timestamp("s"))], "values of the types datetime64[s], int64"),
    ],
)
def test_identifiers_that_no_array_holds_are_refused_by_name(blocks, words, tmp_path, parts):
    def write() -> None:
        with table_writer(table_target("l.npz"), ["code", "label"], 4) as writer:
            for block in blocks:
                writer.write([block, np.zeros(2, np.int32)])

    with pytest.raises(Refused, match=r"column 'code' .* Write .csv or .parquet instead") as refusal:
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
