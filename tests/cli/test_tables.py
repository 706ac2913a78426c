"""Tables as people have them, through the command line: an id, dates, gaps, categories, scales."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from client_tables import ENCODED, FIT, FRAME, GROUP, N, command_in, write
from dncsc import DnCSC, TableEncoder, load_model
from dncsc.cli import main
from dncsc.rows.values import arrow


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_labels_are_those_of_the_transformer_in_python():
    write(FRAME, "t.csv")
    assert main(["fit", "t.csv", *FIT, *ENCODED, "-o", "l.csv", "-q"]) == 0
    encoder = TableEncoder().set_output(transform="pandas")
    features = encoder.fit_transform(FRAME.drop(columns=["client", "born", "note"]))
    expected = DnCSC(3, n_landmarks=40, random_state=0).fit_predict(features)
    np.testing.assert_array_equal(pd.read_csv("l.csv")["label"], expected)


@pytest.mark.parametrize(("name", "read"), [("t.feather", pd.read_feather), ("t.parquet", pd.read_parquet)])
def test_numbers_that_are_categories_are_what_they_are_for_the_transformer_in_python(name, read):
    write(FRAME[["income"]].assign(plan=pd.Categorical(np.random.default_rng(0).choice([1, 2, 3], N))), name)
    encoded = ["--categorical", "one-hot", "--scale", "standard"]
    assert main(["fit", name, *FIT, *encoded, "--seed", "0", "-o", "l.csv", "-q", "--model", "m.npz"]) == 0
    encoder, expected = TableEncoder.from_model(load_model("m.npz")), TableEncoder().fit(read(name))
    assert encoder.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert main(["predict", "m.npz", name, "-o", "p.csv", "-q"]) == 0
    assert pd.read_csv("p.csv")["label"].equals(pd.read_csv("l.csv")["label"])


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_column_of_numbers_with_a_few_texts_is_not_dropped_without_a_word(name, capsys):
    price = np.random.default_rng(0).normal(100, 20, N).round(2).astype(str).astype(object)
    price[5::20] = "missing"
    write(FRAME[["income", "city"]].assign(price=price), name)
    assert main(["fit", name, *FIT, "--categorical", "drop", "-o", "l.csv", "-q"]) == 0
    why = "though it holds numbers, but not 'missing' in row 5: correct or empty such cells."
    assert capsys.readouterr().err == f"dncsc: warning: column 'price' is left out by --categorical drop, {why}\n"


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


def test_hints_name_columns_that_may_be_ids_or_outweigh_others(capsys):
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
    write(FRAME[["income"]].assign(clientId=FRAME["client"].to_numpy()[::-1], rate=FRAME["income"]), "named.csv")
    assert main(["fit", "named.csv", *FIT, "-o", "d.csv"]) == 0
    assert "hint: column 'clientId' has the name of an id" in capsys.readouterr().err
    assert main(["fit", "t.csv", *FIT, "-o", "n.csv", "-q"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("cells", "is_told"),
    [
        (["542", "1.794", "12.345", "7"], True),
        (["542", "1.794", "12.345", "0.7"], False),
        (["5.25", "1.5", "3", "8"], False),
        (["1.794", "2.512", "3.141", "9.807"], False),
        (["1542", "1.794", "12.345", "7"], False),
    ],
)
def test_points_that_may_stand_between_thousands_are_told(cells, is_told, capsys):
    Path("t.csv").write_text("x;y\n" + "".join(f"{cell};{row % 7}\n" for row, cell in enumerate(cells * 30)))
    assert main(["fit", "t.csv", "-k", "2", "-o", "l.csv"]) == 0
    assert ("give --thousands . --decimal ," in capsys.readouterr().err) == is_told


def test_no_point_stands_between_thousands_where_that_of_another_column_does_not(capsys):
    Path("t.csv").write_text("x,y\n" + "542,1794.5\n1.794,2.5\n12.345,3.5\n" * 30)
    assert main(["fit", "t.csv", "-k", "2", "-o", "l.csv"]) == 0
    assert "--thousands" not in capsys.readouterr().err


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
