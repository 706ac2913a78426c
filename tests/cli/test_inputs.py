"""Files of text as people have them, through the command line: which columns and rows they hold, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dncsc import load_model
from dncsc.cli import main

ROWS = np.random.default_rng(0).normal(size=(60, 2)) + np.array([[0.0, 0.0], [40.0, 9.0]]).repeat(30, axis=0)
FRAME = pd.DataFrame(ROWS, columns=["a", "b"]).assign(kind=["u", "v"] * 30)
FIT = ["-k", "2", "--landmarks", "20", "--quiet"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("options", [["--drop", "kind"], ["--id", "kind"]])
def test_the_nameless_index_of_a_data_frame_is_left_out_and_that_is_said(options, capsys):
    FRAME.to_csv("rows.csv")
    assert main(["fit", "rows.csv", *FIT, *options, "-o", "l.csv", "--model", "m.npz"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    left_out = "rows.csv: a column has no name, as pandas' index has none: it is left out."
    assert line == f"dncsc: {left_out} --id '' carries it over to the labels."
    assert load_model("m.npz").feature_names_in_.tolist() == ["a", "b"]


def test_the_nameless_index_of_a_data_frame_can_be_the_identifier(capsys):
    FRAME.to_csv("rows.csv")
    assert main(["fit", "rows.csv", *FIT, "--drop", "kind", "--id", "", "-o", "l.csv"]) == 0
    assert capsys.readouterr().err == ""
    assert pd.read_csv("l.csv", index_col=0).index.tolist() == list(range(60))


def test_empty_columns_without_names_at_the_end_are_left_out_and_that_is_said(capsys):
    rows = [f"{a},{b},," for a, b in ROWS.tolist()]
    Path("rows.csv").write_text("\n".join(["a,b,,", *rows, ""]))
    assert main(["fit", "rows.csv", *FIT, "-o", "l.csv", "--model", "m.npz"]) == 0
    assert capsys.readouterr().err == "dncsc: rows.csv: 2 columns have no names: they are left out.\n"
    assert main(["predict", "m.npz", "rows.csv", "-o", "p.csv", "-q"]) == 0
    assert Path("p.csv").read_text() == Path("l.csv").read_text()


@pytest.mark.parametrize(
    "command", [["info", "rows.csv"], ["fit", "rows.csv", *FIT], ["fit", "rows.csv", *FIT, "-o", "l.csv"]]
)
def test_columns_of_the_same_name_are_refused_and_not_shown_as_each_other(command, capsys):
    FRAME.rename(columns={"b": "a"}).to_csv("rows.csv", index=False)
    assert main(command) == 2
    said = capsys.readouterr()
    assert said.err == "dncsc: rows.csv has more than one column called 'a'. Rename them: names must differ.\n"
    assert said.out == ""


def test_no_row_of_a_file_without_names_is_taken_for_names():
    Path("rows.csv").write_text("M,3,1,2\nF,9,5,7\nM,3,2,2\nF,8,5,6\n")
    assert main(["fit", "rows.csv", *FIT[:2], "-q", "--drop", "0", "-o", "l.csv"]) == 0
    labels = pd.read_csv("l.csv")["label"].tolist()
    assert labels == [labels[0], labels[1]] * 2
    assert labels[0] != labels[1]


def test_quoted_cells_hold_line_ends_in_large_files_too():
    notes = [f"{number}, first line\nsecond line {'x' * 100}\n" for number in range(15_000)]
    pd.DataFrame({"note": notes, "a": np.tile(ROWS[:, 0], 250)}).to_csv("rows.csv", index=False)
    assert Path("rows.csv").stat().st_size > 2**21  # more than is looked at a time
    assert main(["fit", "rows.csv", *FIT, "--id", "note", "-o", "l.parquet"]) == 0
    found = pd.read_parquet("l.parquet")
    assert found["note"].tolist() == notes
    assert found["label"].nunique() == 2


def test_columns_with_other_names_are_chosen_in_the_order_of_the_model(capsys):
    FRAME.drop(columns="kind").to_csv("rows.csv", index=False)
    assert main(["fit", "rows.csv", *FIT, "--scale", "standard", "-o", "l.csv", "--model", "m.npz"]) == 0
    other = FRAME.rename(columns={"a": "x", "b": "y"})
    other.to_csv("other.csv", index=False)
    assert main(["predict", "m.npz", "other.csv", "-q", "-o", "no.csv"]) == 2
    assert "choose them in the order of the model with --columns" in capsys.readouterr().err
    other[["kind", "y", "x"]].to_parquet("other.parquet")
    for command in (["other.csv", "--columns", "x,y"], ["other.csv", "--drop", "kind"]):
        assert main(["predict", "m.npz", *command, "-q", "--force", "-o", "p.csv"]) == 0
        assert Path("p.csv").read_text() == Path("l.csv").read_text()
    assert main(["predict", "m.npz", "other.parquet", "--columns", "x,y", "-q", "-o", "p.parquet"]) == 0
    assert pd.read_parquet("p.parquet")["label"].tolist() == pd.read_csv("l.csv")["label"].tolist()


@pytest.mark.parametrize("columns", ["b,a", "b,x"])
def test_a_column_of_the_model_does_not_stand_for_another(columns, capsys):
    FRAME.assign(x=FRAME["a"]).drop(columns="kind").to_csv("rows.csv", index=False)
    assert main(["fit", "rows.csv", *FIT, "--columns", "a,b", "--model", "m.npz"]) == 0
    assert main(["predict", "m.npz", "rows.csv", "-q", "--columns", columns, "-o", "p.csv"]) == 2
    line = capsys.readouterr().err
    assert "column 'b' would stand for 'a' of the model" in line
    assert "in the order of the model, which is: a, b." in line
    assert not Path("p.csv").exists()
