"""Numbers of CSV are read as people write them, with what stands between thousands and before decimals."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from client_tables import FIT, FRAME, GROUP, N, command_in
from dncsc import DnCSC, TableEncoder
from dncsc.cli import main
from dncsc.metrics import nmi


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_thousands_and_dates_become_numbers(capsys):
    frame = FRAME[["born"]].assign(income=[f"{value:,}" for value in FRAME["income"]])
    frame.to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv", "-q"]) == 2
    assert "--dates drop --thousands ," in capsys.readouterr().err.splitlines()[-1]
    options = ["--thousands", ",", "--dates", "number"]
    assert main(["fit", "t.csv", *FIT, *options, "-o", "l.npy", "--model", "m.npz", "-q"]) == 0
    days = pd.to_datetime(FRAME["born"]).to_numpy().astype("M8[D]").astype(float)
    rows = np.column_stack([days, FRAME["income"]])
    np.testing.assert_array_equal(np.load("l.npy"), DnCSC(3, n_landmarks=40, random_state=0).fit_predict(rows))
    assert main(["predict", "m.npz", "t.csv", "-o", "p.npy", "-q"]) == 0  # the model knows of commas
    np.testing.assert_array_equal(np.load("p.npy"), np.load("l.npy"))
    frame.replace({"income": ","}, {"income": "'"}, regex=True).to_csv("t.csv", index=False)
    assert main(["predict", "m.npz", "t.csv", "-o", "q.npy", "-q"]) == 2
    assert "which is no number" in capsys.readouterr().err
    assert main(["predict", "m.npz", "t.csv", "--thousands", "'", "-o", "q.npy", "-q"]) == 0
    np.testing.assert_array_equal(np.load("q.npy"), np.load("l.npy"))


EUROPEAN = pd.DataFrame({"age": 30 + 15 * GROUP, "spent": 1000.5 * (1 + GROUP) + np.arange(N) / 2})


def european(frame, number):
    """Numbers of a column as 1.234,5."""
    return [f"{value:,}".translate(str.maketrans(",.", ".,")) for value in frame[number]]


def test_a_european_table_is_clustered_in_two_commands(capsys):
    frame = EUROPEAN.assign(client=FRAME["client"], spent=european(EUROPEAN, "spent"))
    frame.assign(when="31/12/2020", rate=FRAME["income"].map("{}%".format)).to_csv("t.csv", sep=";", index=False)
    assert main(["fit", "t.csv", *FIT, "-q"]) == 2
    said = capsys.readouterr().err
    assert "number with decimal comma" in said
    assert "looks like percents: write plain numbers" in said
    again = command_in(said)
    wanted = ["--id", "client", "--drop", "when,rate", "--decimal", ",", "--thousands", "."]
    assert again == ["fit", "t.csv", *FIT, "-q", "-o", "labels.csv", *wanted]
    assert main([*again, "--model", "m.npz"]) == 0
    assert nmi(GROUP, pd.read_csv("labels.csv")["label"].to_numpy()) > 0.95
    assert main(["predict", "m.npz", "t.csv", "--id", "client", "-o", "p.csv", "-q"]) == 0  # the model knows of commas
    assert Path("p.csv").read_text() == Path("labels.csv").read_text()
    EUROPEAN.to_csv("plain.csv", index=False)
    assert main(["predict", "m.npz", "plain.csv", "-o", "q.csv", "-q"]) == 2
    wrong = "column 'spent' holds '1000.5' in row 0, which is no number. Give --decimal . if numbers are written so."
    assert capsys.readouterr().err == f"dncsc: plain.csv: {wrong}\n"
    assert main(["predict", "m.npz", "plain.csv", "--decimal", ".", "-o", "q.csv", "-q"]) == 0
    assert pd.read_csv("q.csv")["label"].tolist() == pd.read_csv("p.csv")["label"].tolist()


@pytest.mark.parametrize("names", [None, ["age, years", "spent, EUR"]])
def test_a_european_table_is_read_without_names_and_with_commas_in_them(names, capsys):
    frame = EUROPEAN.assign(age=EUROPEAN["age"] + 0.5, spent=european(EUROPEAN, "spent"))
    frame.to_csv("t.csv", sep=";", index=False, header=names or False, decimal=",", quoting=csv.QUOTE_NONE)
    assert main(["fit", "t.csv", *FIT, "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert again[-4:] == ["--decimal", ",", "--thousands", "."]
    assert main([*again, "--model", "m.npz"]) == 0
    assert len(pd.read_csv("labels.csv")) == N  # the first line is a row where there are no names
    assert nmi(GROUP, pd.read_csv("labels.csv")["label"].to_numpy()) > 0.95
    assert main(["predict", "m.npz", "t.csv", "-o", "p.csv", "-q"]) == 0
    assert Path("p.csv").read_text() == Path("labels.csv").read_text()


@pytest.mark.parametrize(("mark", "decimal"), [("'", "."), ("\u2019", "."), (" ", ","), ("\u202f", ",")])
def test_a_table_with_apostrophes_or_blanks_between_thousands_is_clustered_in_two_commands(mark, decimal, capsys):
    written = str.maketrans({",": mark, ".": decimal})
    frame = EUROPEAN.assign(age=EUROPEAN["age"] + 0.5).map(lambda value: f"{value:,}".translate(written))
    frame.to_csv("t.csv", sep=";", index=False)
    assert main(["fit", "t.csv", *FIT, "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    wanted = [*(["--decimal", ","] if decimal == "," else []), "--thousands", mark]
    assert again == ["fit", "t.csv", *FIT, "-q", "-o", "labels.csv", *wanted]
    assert main([*again, "--model", "m.npz"]) == 0
    assert nmi(GROUP, pd.read_csv("labels.csv")["label"].to_numpy()) > 0.95
    assert main(["predict", "m.npz", "t.csv", "-o", "p.csv", "-q"]) == 0
    assert Path("p.csv").read_text() == Path("labels.csv").read_text()


def test_numbers_are_read_as_most_columns_are_written(capsys):
    swiss = [f"{value:,}".replace(",", "'") for value in EUROPEAN["spent"]]
    other = [f"{value:,}" for value in EUROPEAN["spent"]]
    EUROPEAN.assign(spent=swiss, paid=swiss, other=other).to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert again[-4:] == ["--drop", "other", "--thousands", "'"]
    assert main(again) == 0


def test_decimal_commas_next_to_decimal_points_are_left_out_of_the_command(capsys):
    frame = EUROPEAN.assign(spent=european(EUROPEAN, "spent"), share=GROUP + 0.5)
    frame.to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert again[-2:] == ["--drop", "spent"]
    assert main(again) == 0


def test_thousands_do_not_swallow_decimal_commas(capsys):
    frame = EUROPEAN.assign(spent=[f"{value:,}" for value in EUROPEAN["spent"]])
    frame.loc[7, "spent"] = "1,5"
    frame.to_csv("slip.csv", index=False)
    assert main(["fit", "slip.csv", *FIT, "--thousands", ",", "-o", "l.csv", "-q"]) == 2
    assert "numbers, but not '1,5' in row 7: correct or empty such cells" in capsys.readouterr().err
    EUROPEAN.assign(spent=[f"{row},{row}" for row in range(N)]).to_csv("comma.csv", index=False)
    assert main(["fit", "comma.csv", *FIT, "--thousands", ",", "-o", "l.csv", "-q"]) == 2
    said = capsys.readouterr().err
    assert "'0,0' in row 0 is not as the options say" in said
    again = command_in(said)
    assert "--decimal , --thousands ." in shlex.join(again)
    assert main(again) == 0


def test_the_same_mark_for_thousands_and_decimals_is_refused(capsys):
    EUROPEAN.to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "--thousands", ".", "-o", "l.csv"]) == 2
    assert "--thousands and --decimal are both '.'" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["median", "refuse"])
def test_a_model_of_python_says_how_to_read_numbers_that_are_written_otherwise(missing, capsys):
    encoder = TableEncoder(missing=missing).set_output(transform="pandas")
    DnCSC(3, random_state=0).fit(encoder.fit_transform(EUROPEAN)).save("m.npz", notes=encoder.notes())
    for thousands, decimal, hint in [
        (",", ".", " Give --thousands , if numbers are written so."),
        ("", ",", " Give --decimal , if numbers are written so."),
        ("'", ".", ' Give --thousands "\'" if numbers are written so.'),
        ("\u202f", ",", ' Give --thousands "\u202f" --decimal , if numbers are written so.'),
        ("*", ".", ""),
    ]:
        marks = str.maketrans({",": thousands, ".": decimal})
        cells = [f"{value:,.3f}".translate(marks) for value in EUROPEAN["spent"]]
        EUROPEAN.assign(spent=cells).to_csv("t.csv", index=False)
        assert main(["predict", "m.npz", "t.csv", "-o", "p.csv", "-q"]) == 2
        wrong = f"t.csv: column 'spent' holds {cells[0]!r} in row 0, which is no number"
        assert capsys.readouterr().err == f"dncsc: {wrong}.{hint}\n"


def test_a_hint_how_numbers_are_written_is_about_all_of_a_column(capsys):
    rows = pd.DataFrame({"a": [7.937, 8.94, -0.5] * 20, "b": np.arange(60.0) % 3})
    rows.to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "--scale", "standard", "--model", "m.npz", "-q"]) == 0
    rows.to_csv("comma.csv", index=False, sep=";", decimal=",")  # 7,937 alone could have thousands
    assert main(["predict", "m.npz", "comma.csv", "-o", "p.csv", "-q"]) == 2
    assert "'7,937' in row 0, which is no number. Give --decimal , if" in capsys.readouterr().err
    pd.concat([rows, rows.head(1).assign(a="8,94")]).to_csv("slip.csv", index=False)
    assert main(["predict", "m.npz", "slip.csv", "-o", "p.csv", "-q"]) == 2
    assert capsys.readouterr().err.endswith("holds '8,94' in row 60, which is no number.\n")
