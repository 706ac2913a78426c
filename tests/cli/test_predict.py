"""A model remembers what columns become, and tells what is new or missing in other rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from client_tables import ENCODED, FIT, FRAME, N, write
from dncsc import load_model
from dncsc.cli import main
from dncsc.tables.cells import GAPS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_model_remembers_what_columns_become(name, capsys):
    write(FRAME, name)
    assert main(["fit", name, *FIT, *ENCODED, "-o", "l.csv", "--model", "m.npz", "-q"]) == 0
    other = FRAME.sample(frac=1, random_state=0).assign(more="x")
    write(other[sorted(other.columns)], "other.csv")
    assert main(["predict", "m.npz", "other.csv", "--id", "client", "-o", "p.csv", "-q"]) == 0
    both = pd.read_csv("l.csv").merge(pd.read_csv("p.csv"), on="client", validate="one_to_one")
    np.testing.assert_array_equal(both["label_x"], both["label_y"])
    write(FRAME.head(5).assign(city="Nowhere", age=None, member=None), "new.csv")
    assert main(["predict", "m.npz", "new.csv", "-o", "n.csv", "-q"]) == 0
    assert pd.read_csv("n.csv")["label"].tolist() == pd.read_csv("l.csv")["label"].head(5).tolist()
    write(FRAME.assign(age="old"), "bad.csv")
    capsys.readouterr()
    assert main(["predict", "m.npz", "bad.csv", "-o", "b.csv", "-q"]) == 2
    assert capsys.readouterr().err == "dncsc: bad.csv: column 'age' holds 'old' in row 0, which is no number.\n"
    names = load_model("m.npz").feature_names_in_.tolist()
    assert names == ["age", "income", "city=Bern, old", "city=Oslo", "city=Rome", "city is missing", "member"]


@pytest.mark.parametrize("mark", GAPS)
@pytest.mark.parametrize("missing", ["median", "drop"])
def test_what_was_missing_for_the_fit_is_missing_for_predict(mark, missing, capsys):
    holes = FRAME[["age", "income", "city", "born"]].astype(object)
    holes.iloc[[3, 5, 8, 9], [0, 1, 2, 3]] = mark
    holes.to_csv("t.csv", index=False, na_rep=mark)
    encoded = ["--missing", missing, "--categorical", "one-hot", "--dates", "number", "--scale", "standard"]
    assert main(["fit", "t.csv", *FIT, *encoded, "-o", "l.csv", "--model", "m.npz", "-q"]) == 0
    assert main(["predict", "m.npz", "t.csv", "-o", "p.csv", "-q"]) == 0
    assert Path("p.csv").read_text() == Path("l.csv").read_text()
    assert "did not see" not in capsys.readouterr().err
    assert f"city={mark}" not in load_model("m.npz").feature_names_in_


def test_marks_that_are_values_of_a_category_stay_values(capsys):
    signs = FRAME[["income"]].assign(sign=["+", "-"] * (N // 2))
    signs.to_csv("t.csv", index=False)
    encoded = ["--missing", "median", "--categorical", "one-hot", "--scale", "standard"]
    assert main(["fit", "t.csv", *FIT, *encoded, "-o", "l.csv", "--model", "m.npz", "-q"]) == 0
    assert load_model("m.npz").feature_names_in_.tolist() == ["income", "sign=+", "sign=-"]
    assert main(["predict", "m.npz", "t.csv", "-o", "p.csv", "-q"]) == 0
    assert Path("p.csv").read_text() == Path("l.csv").read_text()
    assert "warning" not in capsys.readouterr().err


def test_rows_in_the_place_of_the_model_are_told(capsys):
    write(FRAME[["income", "member"]], "t.csv")
    assert main(["fit", "t.csv", *FIT, "--model", "m.npz", "-q"]) == 0
    capsys.readouterr()
    assert main(["predict", "t.csv", "m.npz", "-o", "p.csv", "-q"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("dncsc: t.csv is damaged, or no file of dncsc:")
    assert said.endswith("The model comes first, then the rows.\n")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_what_is_new_to_a_model_is_told_or_refused_by_the_name_of_its_column(name, capsys):
    whole = FRAME[["age", "income", "city"]].assign(age=FRAME["income"] / 7, city=FRAME["city"].fillna("Rome"))
    write(whole, "whole.csv")
    encoded = ["--categorical", "one-hot", "--scale", "standard", "-q"]
    for missing in ("median", "refuse"):
        fit = ["fit", "whole.csv", *FIT, *encoded, "--missing", missing]
        assert main([*fit, "-o", f"{missing}.csv", "--model", f"{missing}.npz"]) == 0
    holes = whole.assign(city=[None, *whole["city"][1:-1], None])
    write(holes, name)
    capsys.readouterr()
    assert main(["predict", "median.npz", name, "-o", "p.csv", "-q"]) == 0  # gaps of a category that had none
    assert Path("p.csv").read_text() == Path("median.csv").read_text()
    assert main(["predict", "refuse.npz", name, "-o", "r.csv", "-q"]) == 2
    assert capsys.readouterr().err == (
        f"dncsc: column 'city' has no value in 2 of {N} rows, the first of which is row 0. Fill them or leave out such "
        "rows, or fit again with --missing median.\n"
    )
    write(whole.assign(city=["Bern", *whole["city"][1:]], age=[np.nan] * N), name)
    assert main(["predict", "median.npz", name, "-o", "n.csv", "-q"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"dncsc: warning: column 'age' is empty: all {N} rows get what fills gaps.",
        f"dncsc: warning: column 'city': 1 of {N} rows have values that the fit did not see, which count as none of "
        "its categories.",
    ]
