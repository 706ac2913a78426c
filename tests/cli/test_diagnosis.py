"""A table that cannot be used as it is is answered with what its columns hold, and a command that works."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client_tables import CHOSEN, ENCODED, FIT, FRAME, GROUP, N, command_in, write
from dncsc import load_model
from dncsc.cli import main
from dncsc.metrics import nmi


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow"])
def test_a_messy_table_is_clustered_in_two_commands_from_its_first_error(name, capsys):
    write(FRAME, name)
    assert main(["fit", name, *FIT, "-o", "l.csv", "-q"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"dncsc: {name} has columns that cannot be used as they are.\n")
    lines = {line.split()[0]: line for line in said.err.splitlines() if line}
    assert "counts up: looks like an id" in lines["client"]
    assert "1950-01-01 to" in lines["born"]
    assert f"{100 * FRAME['age'].isna().mean():.1f} %" in lines["age"]
    assert "category, 3 values" in lines["city"]
    assert "true/false" in lines["member"]
    assert "too many different" in lines["note"]
    again = command_in(said.err)
    assert again == ["fit", name, *FIT, "-o", "l.csv", "-q", *ENCODED]
    assert main(again) == 0
    found = FRAME.merge(pd.read_csv("l.csv"), on="client", validate="one_to_one")
    assert nmi(GROUP, found["label"].to_numpy()) > 0.95
    assert main(["fit", name, *FIT, "-o", "l.csv", "-q"]) == 2  # as there is one now, it is refused before any work
    assert "l.csv exists already" in capsys.readouterr().err


def test_marks_for_gaps_are_missing_and_what_is_left_out_is_told(capsys):
    frame = FRAME[["age", "income", "city"]].assign(price=[f"${10 + row / 4}" for row in range(N)])
    frame = frame.astype(object)
    frame.iloc[::9, [0, 1, 2, 3]] = "-"
    frame.to_csv("t.csv", index=False, na_rep="?")
    assert main(["fit", "t.csv", *FIT]) == 2
    said = capsys.readouterr().err
    assert "looks like money" in said
    assert "This command works, but without 'price': see what to do about them above." in said
    command = command_in(said)
    assert "--missing median" in " ".join(command)
    assert main(command) == 0


def test_numbers_with_a_unit_and_ids_that_repeat_are_no_categories(capsys):
    weights, clients = [f"{60 + row % 15} kg" for row in range(N)], [f"c{row % 60}" for row in range(N)]
    frame = FRAME[["age", "income"]].fillna(0)
    frame.assign(weight=weights, client_id=clients).to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT]) == 2
    said = capsys.readouterr().err
    assert "looks like numbers with a unit: write plain numbers" in said
    assert "but without 'weight'" in said
    assert "--id client_id" in shlex.join(command_in(said))


def test_codes_of_numbers_and_letters_are_categories(capsys):
    frame = FRAME[["age"]].fillna(0).assign(code=[f"{row % 12}{'AB'[row % 2]}" for row in range(N)])
    frame.to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT]) == 2
    assert "category, 12 values" in capsys.readouterr().err


def test_columns_that_were_asked_for_are_not_left_out_without_a_word(capsys):
    frame = FRAME[["age", "income"]].fillna(0).assign(size=[f"{row}.5" for row in range(N)])
    frame.loc[7, "size"] = "unknown"
    frame.to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "--columns", "age,income,size"]) == 2
    assert "This command works, but without 'size': see what to do" in capsys.readouterr().err


def test_numbers_with_a_typographic_minus_are_not_left_out_without_a_word(capsys):
    random = np.random.default_rng(0)
    change = [f"{value:.2f}".replace("-", "\u2212") for value in random.normal(size=N)]
    FRAME[["age", "income"]].fillna(0).assign(change=change).to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT]) == 2
    said = capsys.readouterr().err
    assert "looks like numbers with the minus sign \u2212: write -, as on keyboards" in said
    assert "This command works, but without 'change': see what to do" in said


def test_several_columns_left_out_are_listed_as_a_sentence_lists_them(capsys):
    money = [f"${10 + row / 4}" for row in range(N)]
    FRAME[["age", "income"]].fillna(0).assign(price=money, cost=money, tax=money).to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT]) == 2
    assert "but without 'price', 'cost' and 'tax': see what to do" in capsys.readouterr().err


def test_thousands_are_not_read_as_decimals_since_others_have_a_decimal_comma(capsys):
    price = [["950", "1,050", "2,500"][row % 3] for row in range(N)]
    share, load = ([f"{row % 7 + shift},{row % 10}" for row in range(N)] for shift in (0, 3))
    pd.DataFrame({"price": price, "share": share, "load": load}).to_csv("t.csv", index=False, sep=";")
    assert main(["fit", "t.csv", *FIT]) == 2
    said = capsys.readouterr().err
    assert "but without 'price': their numbers are written in another way than others" in said
    assert "--drop price" in shlex.join(command_in(said))


def test_the_first_command_needs_to_say_nothing_but_the_number_of_clusters(capsys):
    write(FRAME.assign(invoice=[f"INV-{row}" for row in range(N)], row=range(N)), "t.csv")
    Path("labels.csv").touch()
    assert main(["fit", "t.csv", *FIT]) == 2
    again = command_in(capsys.readouterr().err)
    chosen = ["--id", "client,invoice", "--drop", "note,row"]
    assert again == ["fit", "t.csv", *FIT, "-o", "labels-2.csv", *chosen, *ENCODED[len(CHOSEN) :]]
    assert main([*again, "-q"]) == 0
    assert pd.read_csv("labels-2.csv").columns.tolist() == ["client", "invoice", "label"]
    write(FRAME[["income"]], "clean.csv")
    assert main(["fit", "clean.csv", *FIT]) == 2
    assert capsys.readouterr().err.startswith("dncsc: nothing would be kept. Say where results go: -o FILE")


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        (["--columns", "age,city,note"], ["--columns", "age,city"]),
        (["--drop=born"], ["--drop", "born,note"]),
        (["--id", "note", "--dates", "number"], ["--drop", "client"]),
        (["--missing", "mean", "--scale", "robust"], ["--missing", "mean", "--scale", "robust"]),
        (["--categorical", "drop"], ["--categorical", "drop"]),
    ],
)
def test_the_command_keeps_what_was_typed(typed, wanted, capsys):
    write(FRAME, "t.csv")
    assert main(["fit", "t.csv", *FIT, *typed, "-o", "l.csv", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    where = again.index(wanted[0])
    assert again[where : where + 2] == wanted[:2]
    assert main(again) == 0


def test_names_that_need_quotes_are_quoted(capsys):
    FRAME.rename(columns={"note": 'a "note", long', "born": "it's"}).to_csv("my table.csv", index=False)
    assert main(["fit", "my table.csv", *FIT, "-o", "l.csv", "-q"]) == 2
    assert main(command_in(capsys.readouterr().err)) == 0


def test_columns_that_cannot_be_carried_over_or_used_are_left_out_of_the_command(capsys):
    odd = {"label": FRAME["client"], "ratio": np.where(GROUP, 1.0, np.inf), "spans": pd.to_timedelta(GROUP, unit="s")}
    FRAME[["income", "city"]].assign(**odd).to_parquet("t.parquet")
    assert main(["fit", "t.parquet", *FIT, "-o", "l.csv", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert again[again.index("--drop") + 1] == "label,spans"
    assert again[again.index("--missing") + 1] == "median"  # for those of ratio that are infinite
    assert "--id" not in again
    assert main(again) == 0


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_an_infinite_number_does_not_cost_a_column(name, capsys):
    age = 30.0 + 15 * GROUP
    age[5] = np.inf
    write(pd.DataFrame({"age": age, "height": 2.0 * GROUP}), name)
    assert main(["fit", name, *FIT, "-o", "l.csv", "-q"]) == 2
    said = capsys.readouterr().err
    assert ", 1 infinite counted as missing" in said
    assert command_in(said)[-2:] == ["--missing", "median"]
    assert main(command_in(said)) == 0


def test_columns_without_names_are_diagnosed_by_number(capsys):
    FRAME.to_csv("t.csv", index=False, header=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv", "--model", "m.npz", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert "--drop 6 " in shlex.join(again)
    assert main(again) == 0
    assert main(["predict", "m.npz", "t.csv", "--id", "0", "-o", "p.csv", "-q"]) == 2
    assert "the model knows 4, which were called 2, 3, 4, 5. Choose" in capsys.readouterr().err
    assert main(["predict", "m.npz", "t.csv", "--drop", "1,6", "--id", "0", "-o", "p.csv", "-q"]) == 0
    assert Path("p.csv").read_text() == Path("l.csv").read_text()


def test_standard_input_is_diagnosed_and_read_again(capsys, monkeypatch):
    write(FRAME, "t.csv")
    with open("t.csv") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["fit", "-", *FIT, "-o", "l.csv", "-q"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("dncsc: standard input has columns")
    with open("t.csv") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(command_in(said)) == 0


def test_no_command_is_given_that_asks_for_more_clusters_than_rows_or_for_no_number(capsys):
    FRAME.head(7).to_csv("t.csv", index=False)
    for output in ([], ["-o", "l.csv"]):
        assert main(["fit", "t.csv", "-k", "8", *output]) == 2
        assert capsys.readouterr().err.startswith("dncsc: -k 8: t.csv has only 7 rows")
        assert main(["fit", "t.csv", "-k", "many", *output]) == 2
        assert "-k must be a number of clusters" in capsys.readouterr().err


def test_a_table_without_any_feature_gets_no_command(capsys):
    FRAME[["note"]].to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv"]) == 2
    assert capsys.readouterr().err.endswith("None of them can be a feature.\n")


def test_of_ids_and_dates_alone_dates_can_be_features_as_it_is_told(capsys):
    FRAME[["client", "born"]].to_csv("t.csv", index=False)
    fit = ["fit", "t.csv", *FIT, "-o", "l.csv"]
    assert main(fit) == 2
    assert "None of them can be a feature, unless --dates number makes days of dates.\n" in capsys.readouterr().err
    assert main([*fit, "--dates", "number"]) == 0


def test_the_command_has_each_repeated_option_once(capsys):
    write(FRAME, "t.csv")
    assert main(["fit", "t.csv", *FIT, "--drop", "born", "--drop=age", "-o", "l.csv", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert again.count("--drop") == 1
    assert again[again.index("--drop") + 1] == "born,age,note"
    assert main(again) == 0


def test_a_hint_beside_the_command_does_what_it_says_when_it_is_added_to_it(capsys):
    write(FRAME.dropna().assign(born=lambda frame: frame["born"].where(frame["age"] > 31)), "t.csv")
    for typed in ([], ["--columns", "age,born"]):
        assert main(["fit", "t.csv", *FIT, "--model", "m.npz", "-q", "--force", *typed]) == 2
        said = capsys.readouterr().err
        assert "--dates number makes days of dates." in said
        assert main([*command_in(said), "--dates", "number"]) == 0
        assert "born" in load_model("m.npz").feature_names_in_


def test_info_tells_what_columns_hold(capsys):
    write(FRAME, "t.csv")
    assert main(["info", "t.csv"]) == 0
    *lines, empty, how_many = capsys.readouterr().out.splitlines()
    assert (empty, how_many) == ("", f"{N:,} rows, {len(FRAME.columns)} columns")
    assert [line.split()[0] for line in lines] == ["column", *FRAME.columns]
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv"]) == 2
    assert capsys.readouterr().err.splitlines()[2 : 2 + len(lines)] == lines  # the error shows the same table
    assert main(["info", "t.csv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["rows"] == N
    city = {each["name"]: each for each in facts["columns"]}["city"]
    assert (city["kind"], city["values"]) == ("category", ["Bern, old", "Oslo", "Rome"])


CELLS = {
    "number": st.floats(-1e6, 1e6).map(lambda value: f"{value:.3f}"),
    "whole": st.integers(-(10**6), 10**6).map(str),
    "grouped": st.integers(0, 10**8).map("{:,}".format),
    "comma": st.floats(-1e6, 1e6).map(lambda value: f"{value:.2f}".replace(".", ",")),
    "European": st.integers(0, 10**8).map(lambda value: f"{value:,}".replace(",", ".")),
    "percent": st.integers(0, 100).map("{} %".format),
    "truth": st.sampled_from(["true", "False"]),
    "date": st.dates().map(str),
    "time": st.datetimes().map(lambda value: value.isoformat(timespec="seconds")),
    "category": st.sampled_from(["a", "b, c", 'd"e', "nan", "é"]),
    "text": st.text("xyz ,\n", min_size=1, max_size=8),
    "infinite": st.sampled_from(["1.5", "inf"]),
    "mixed": st.sampled_from(["1", "two", "2024-01-01"]),
    "empty": st.just(""),
}
NAMES = st.sampled_from(["a", "b c", "label", "d,e", 'f"g', "-h", "ü", "0", "i=j"])
SUFFIXES = ["csv", "tsv", "csv.gz"]


@pytest.mark.filterwarnings("default")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), names=st.lists(NAMES, min_size=1, max_size=5, unique=True), suffix=st.sampled_from(SUFFIXES))
def test_the_command_in_an_answer_works_for_any_mix_of_columns(data, names, suffix, folder, capsys):
    n = data.draw(st.integers(6, 30))
    frame = pd.DataFrame({"first": range(n)})
    for name in names:
        kind = data.draw(st.sampled_from(sorted(CELLS)))
        cells = st.one_of(CELLS[kind], st.just("")) if data.draw(st.booleans()) else CELLS[kind]
        frame[name] = data.draw(st.lists(cells, min_size=n, max_size=n))
    path = folder / f"t.{suffix}"
    write(frame, str(path))
    fit = ["fit", str(path), "-k", "2", "--method", "k-means", "--force", "-q", "-o", str(folder / "l.csv")]
    capsys.readouterr()
    if main(fit) == 0:
        return
    said = capsys.readouterr().err
    if "can be a feature" in said or "values that are not finite" in said:
        return  # there is nothing to use, or but a number to correct
    assert main(command_in(said)) == 0, said + capsys.readouterr().err
    assert len(pd.read_csv(folder / "l.csv", skip_blank_lines=False)) == n
