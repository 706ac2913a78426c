"""Tables as people have them, through the command line: an id, dates, gaps, categories, scales."""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dncsc import DnCSC, TableEncoder, load_model
from dncsc.cli import main
from dncsc.metrics import nmi
from dncsc.rows.values import arrow

FIT = ["-k", "3", "--landmarks", "40"]
N = 240
GROUP = np.arange(N) % 3


def clients() -> pd.DataFrame:
    """Three groups of clients that numbers, but not the city, tell apart."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "client": np.arange(1001, 1001 + N),
            "born": pd.date_range("1950-01-01", periods=N, freq="11D").strftime("%Y-%m-%d"),
            "age": np.round(30 + 15.0 * GROUP + random.normal(size=N), 1),
            "income": 20_000 + 30_000 * GROUP + random.integers(0, 3_000, N),
            "city": random.choice(["Oslo", "Rome", "Bern, old"], N),
            "member": random.random(N) < 0.5,
            "note": [f"note {row // 2}" for row in range(N)],
        }
    )
    frame.loc[random.random(N) < 0.05, "age"] = np.nan
    frame.loc[random.random(N) < 0.03, "city"] = None
    return frame


FRAME = clients()
CHOSEN = ["--id", "client", "--drop", "born,note"]
ENCODED = [*CHOSEN, "--missing", "median", "--categorical", "one-hot", "--scale", "standard"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(frame: pd.DataFrame, name: str) -> None:
    if name.endswith(".parquet"):
        frame.to_parquet(name, row_group_size=70)
    elif name.endswith((".feather", ".arrow")):
        frame.to_feather(name)
    else:
        frame.to_csv(name, index=False, sep="\t" if ".tsv" in name else ",")


def command_in(said: str) -> list[str]:
    """The command in the last line of an answer, as a shell takes it."""
    name, *arguments = shlex.split(said.splitlines()[-1])
    assert name == "dncsc"
    return arguments


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


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        (["--columns", "age,city,born"], ["--columns", "age,city"]),
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
    assert again[again.index("--drop") + 1] == "label,ratio,spans"
    assert "--id" not in again
    assert main(again) == 0


def test_columns_without_names_are_diagnosed_by_number(capsys):
    FRAME.to_csv("t.csv", index=False, header=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv", "--model", "m.npz", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert "--drop 1,6" in shlex.join(again)
    assert main(again) == 0
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


def test_a_table_without_any_feature_gets_no_command(capsys):
    FRAME[["note", "born"]].to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv"]) == 2
    assert capsys.readouterr().err.endswith("None of them can be a feature.\n")


def test_labels_are_those_of_the_transformer_in_python():
    write(FRAME, "t.csv")
    assert main(["fit", "t.csv", *FIT, *ENCODED, "-o", "l.csv", "-q"]) == 0
    encoder = TableEncoder().set_output(transform="pandas")
    features = encoder.fit_transform(FRAME.drop(columns=["client", "born", "note"]))
    expected = DnCSC(3, n_landmarks=40, random_state=0).fit_predict(features)
    np.testing.assert_array_equal(pd.read_csv("l.csv")["label"], expected)


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
    assert "column 'age' holds 'old', which is no number" in capsys.readouterr().err
    names = load_model("m.npz").feature_names_in_.tolist()
    assert names == ["age", "income", "city=Bern, old", "city=Oslo", "city=Rome", "city is missing", "member"]


@pytest.mark.parametrize("output", ["l.csv", "l.parquet", "l.npz", "l.npy"])
def test_rows_that_lack_a_value_are_left_out_and_get_no_label(output):
    write(FRAME, "t.csv")
    whole = FRAME.dropna(subset=["age", "city"])
    write(whole, "whole.csv")
    drop = ["--drop", "client,born,note", "--missing", "drop", "--categorical", "one-hot", "--scale", "standard"]
    layers = [] if output == "l.npy" else ["--layers", "2"]
    fit = ["fit", "t.csv", *FIT, *drop, *layers, "-q"]
    assert main([*fit, "-o", output, "--model", "m.npz", "--report", "r.html"]) == 0
    assert main(["fit", "whole.csv", *FIT, *drop, *layers, "-q", "-o", "whole.npz" if layers else "whole.npy"]) == 0
    assert main(["predict", "m.npz", "t.csv", *layers, "-q", "-o", f"p{output}"]) == 0
    for name in (output, f"p{output}"):
        if layers:
            stored = np.load("whole.npz")
            read = {"l.csv": pd.read_csv, "l.parquet": pd.read_parquet}.get(output)
            found = pd.DataFrame(dict(np.load(name))).replace(-1, np.nan) if read is None else read(name)
            for column in ("label", "label_2"):
                assert found[column].isna().tolist() == (~FRAME.index.isin(whole.index)).tolist()
                np.testing.assert_array_equal(found[column].dropna(), stored[column])
        else:
            labels = np.load(name)
            np.testing.assert_array_equal(labels >= 0, FRAME.index.isin(whole.index))
            np.testing.assert_array_equal(labels[labels >= 0], np.load("whole.npy"))


def test_several_identifiers_are_carried_over_in_order():
    write(FRAME, "t.parquet")
    fit = ["fit", "t.parquet", *FIT, "--columns", "income", "-q"]
    assert main([*fit, "--id", "note,client", "-o", "l.csv"]) == 0
    assert main([*fit, "--id", "client,born,note", "-o", "l.parquet"]) == 0
    found = pd.read_csv("l.csv")
    assert found.columns.tolist() == ["note", "client", "label"]
    np.testing.assert_array_equal(found["client"], FRAME["client"])
    found = pd.read_parquet("l.parquet")
    pd.testing.assert_frame_equal(found[["client", "born", "note"]], FRAME[["client", "born", "note"]])


def test_options_that_take_a_list_add_up_when_they_are_repeated(capsys):
    write(FRAME.rename(columns={"note": "a, note"}), "t.csv")
    fit = ["fit", "t.csv", *FIT, "--drop", "born,age", "--drop", "city", "--drop", "member", "--layers", "1"]
    ids = ["--id", "client", "--id", "a, note"]
    assert main([*fit, *ids, "--layers", "2", "-o", "l.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"] == ["income"]
    assert pd.read_csv("l.csv").columns.tolist() == ["client", "a, note", "label", "label_1", "label_2"]
    chosen = ["--columns", "income", "--columns", "age", "--missing", "median"]
    compare = ["compare", "t.csv", *FIT, *chosen, "--methods", "k-means", "--methods", "dnc-sc", "--json", "-q"]
    assert main(compare) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["features"], [each["method"] for each in facts["results"]]) == (2, ["k-means", "dnc-sc"])


def test_the_command_has_each_repeated_option_once(capsys):
    write(FRAME, "t.csv")
    assert main(["fit", "t.csv", *FIT, "--drop", "born", "--drop=age", "-o", "l.csv", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert again.count("--drop") == 1
    assert again[again.index("--drop") + 1] == "born,age,note"
    assert main(again) == 0


def test_a_name_with_a_comma_is_one_identifier():
    write(FRAME.rename(columns={"client": "client, number"}), "t.csv")
    fit = ["fit", "t.csv", *FIT, "--columns", "income", "-q"]
    assert main([*fit, "--id", "client, number", "-o", "l.csv"]) == 0
    assert main([*fit, "--id", '"client, number",note', "-o", "m.csv"]) == 0
    assert pd.read_csv("m.csv").columns.tolist() == ["client, number", "note", "label"]


def test_identifiers_of_several_columns_that_are_not_there_are_refused(capsys):
    write(FRAME, "t.csv")
    assert main(["fit", "t.csv", *FIT, "--columns", "income", "--id", "client,nam", "-o", "l.csv"]) == 2
    assert "--id: t.csv has no column 'nam'." in capsys.readouterr().err


def test_thousands_and_dates_become_numbers(capsys):
    frame = FRAME[["born"]].assign(income=[f"{value:,}" for value in FRAME["income"]])
    frame.to_csv("t.csv", index=False)
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv", "-q"]) == 2
    assert "--drop born --thousands ," in capsys.readouterr().err.splitlines()[-1]
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


def test_gaps_in_arrays_are_diagnosed_and_filled(capsys):
    X = np.random.default_rng(0).normal(size=(N, 2)) + 30 * GROUP[:, None]
    X[::9, 1] = np.nan
    np.save("rows.npy", X)
    assert main(["fit", "rows.npy", *FIT, "-o", "l.npy", "-q"]) == 2
    again = command_in(capsys.readouterr().err)
    assert again[-2:] == ["--missing", "median"]
    assert main(again) == 0
    filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    np.testing.assert_array_equal(np.load("l.npy"), DnCSC(3, n_landmarks=40, random_state=0).fit_predict(filled))


def test_arrays_with_gaps_are_refused_as_before_where_pyarrow_is_not_installed(capsys, monkeypatch):
    np.save("rows.npy", [[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
    arrow.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["fit", "rows.npy", "-k", "2", "-o", "l.npy", "-q"]) == 2
    assert "not finite: 1 x NaN; the first is in row 1, column 1" in capsys.readouterr().err


def test_several_files_are_one_table(capsys):
    Path("parts").mkdir()
    for part in range(3):
        write(FRAME[part * 80 : part * 80 + 80].assign(city=["Oslo", "Rome"][part % 2]), f"parts/{part}.csv")
    assert main(["fit", "parts", *FIT, "-o", "l.csv", "-q"]) == 2
    assert "category, 2 values" in capsys.readouterr().err
    assert main(["fit", "parts", *FIT, *ENCODED, "-o", "l.csv", "-q"]) == 0
    assert pd.read_csv("l.csv")["client"].tolist() == FRAME["client"].tolist()
    write(FRAME.drop(columns="city"), "parts/3.csv")
    assert main(["fit", "parts", *FIT, *ENCODED, "-o", "m.csv", "-q"]) == 2
    assert "3.csv has no column 'city'" in capsys.readouterr().err


def test_what_fit_takes_the_other_commands_take(capsys):
    write(FRAME.assign(truth=GROUP), "t.csv")
    for command in (["estimate", "t.csv", *FIT], ["compare", "t.csv", *FIT, "--methods", "k-means", "-q"]):
        assert main(command) == 2
        assert command_in(capsys.readouterr().err)[0] == command[0]
    options = [*ENCODED, "--thousands", ","]
    assert main(["estimate", "t.csv", *FIT, *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["features"] == 8
    compare = ["compare", "t.csv", *FIT, "--methods", "dnc-sc,k-means", "--truth", "truth", "--json", "-q"]
    for missing in ("median", "drop"):
        assert main([*compare, *options, "--missing", missing]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["results"][0]["NMI"] > 95
        assert facts["rows"] == (N if missing == "median" else len(FRAME.dropna(subset=["age", "city"])))


def test_gaps_found_while_methods_are_compared_are_diagnosed(capsys):
    FRAME[["age", "income"]].to_parquet("t.parquet")
    assert main(["compare", "t.parquet", *FIT, "--methods", "dnc-sc", "-q"]) == 2
    assert command_in(capsys.readouterr().err)[-4:] == ["--missing", "median", "--scale", "standard"]


def test_hints_name_columns_that_count_up_or_outweigh_others(capsys):
    write(FRAME[["client", "income"]].assign(rate=FRAME["income"] / 1e5), "t.csv")
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv"]) == 0
    hints = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dncsc: hint: ")]
    assert "column 'client' counts up from row to row" in hints[0]
    assert "--id client" in hints[0]
    assert "column 'income' spreads 100,000 times as far as 'rate'" in hints[1]
    write(FRAME[["client", "age"]], "gaps.csv")
    assert main(["fit", "gaps.csv", *FIT, "--missing", "drop", "-o", "g.csv"]) == 0
    said = capsys.readouterr().err
    assert f"dncsc: {FRAME['age'].isna().sum()} of {N} rows lack a value: they get no label." in said
    assert "column 'client' counts up from row to row" in said
    assert main(["fit", "t.csv", *FIT, "--id", "client", "--scale", "standard", "-o", "m.csv"]) == 0
    assert "hint" not in capsys.readouterr().err
    assert main(["fit", "t.csv", *FIT, "-o", "n.csv", "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_info_tells_what_columns_hold(capsys):
    write(FRAME, "t.csv")
    assert main(["info", "t.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["column", *FRAME.columns]
    assert main(["fit", "t.csv", *FIT, "-o", "l.csv"]) == 2
    assert capsys.readouterr().err.splitlines()[2 : 2 + len(lines)] == lines  # the error shows the same table
    assert main(["info", "t.csv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["rows"] == N
    city = {each["name"]: each for each in facts["columns"]}["city"]
    assert (city["kind"], city["values"]) == ("category", ["Bern, old", "Oslo", "Rome"])


def test_columns_are_looked_at_block_by_block(monkeypatch, capsys):
    text = io.StringIO()
    pd.concat([FRAME] * 400, ignore_index=True).assign(client=np.arange(400 * N)).to_csv(text, index=False)
    Path("t.csv").write_text(text.getvalue())
    assert Path("t.csv").stat().st_size > 2**22  # several blocks
    assert main(["info", "t.csv", "--json"]) == 0
    facts = {each["name"]: each for each in json.loads(capsys.readouterr().out)["columns"]}
    assert facts["client"]["counts_up"]
    assert facts["age"]["n_missing"] == 400 * FRAME["age"].isna().sum()
    assert facts["income"]["deviation"] == pytest.approx(FRAME["income"].std(ddof=0))


CELLS = {
    "number": st.floats(-1e6, 1e6).map(lambda value: f"{value:.3f}"),
    "whole": st.integers(-(10**6), 10**6).map(str),
    "grouped": st.integers(0, 10**8).map("{:,}".format),
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
