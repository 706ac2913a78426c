"""The command line at work: every format in and out, pipes, identifiers, scaling, models, comparison."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from sklearn.preprocessing import StandardScaler

from dncsc import DnCSC, datasets, methods
from dncsc.cli import main
from dncsc.estimators.registry import VARIANTS
from report_page import Page

FORMATS = ["csv", "tsv", "parquet", "feather", "arrow", "npy", "npz"]
FIT = ["-k", "3", "--landmarks", "40", "--quiet"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def table(blobs: Callable[..., tuple[np.ndarray, np.ndarray]]) -> pa.Table:
    """Three groups in two features, one of them a thousand times wider; identifiers, whole numbers and classes."""
    X, y = blobs(600, k=3, apart=60.0)
    names = [f"Nº {number:04d}, a" for number in range(len(X))]
    columns = {"name": names, "code": np.arange(len(X)) + 7, "a": X[:, 0], "b": 1000 * X[:, 1], "class": y}
    return pa.table(columns)


def write(table: pa.Table, path: str) -> None:
    kind = path.rpartition(".")[2]
    if kind in ("csv", "tsv"):
        options = pa.csv.WriteOptions(delimiter="," if kind == "csv" else "\t")
        pa.csv.write_csv(table, path, options)
    elif kind == "parquet":
        pa.parquet.write_table(table, path, row_group_size=100)
    elif kind in ("feather", "arrow"):
        pa.feather.write_feather(table, path)
    else:
        values = np.stack([column.to_numpy() for column in table.columns], axis=1)
        np.save(path, values) if kind == "npy" else np.savez(path, X=values)


def read(path: str) -> dict[str, list[object]]:
    kind = path.rpartition(".")[2]
    if kind in ("csv", "tsv"):
        options = pa.csv.ParseOptions(delimiter="," if kind == "csv" else "\t")
        return pa.csv.read_csv(path, parse_options=options).to_pydict()
    if kind == "parquet":
        return pa.parquet.read_table(path).to_pydict()
    if kind in ("feather", "arrow"):
        return pa.feather.read_table(path).to_pydict()
    stored = np.load(path)
    return {"label": stored.tolist()} if kind == "npy" else {name: stored[name].tolist() for name in stored}


def labels_of(X: np.ndarray, **params: object) -> list[int]:
    return DnCSC(3, n_landmarks=40, random_state=0, **params).fit(X).labels_.tolist()


@pytest.mark.parametrize("kind", FORMATS)
def test_labels_of_a_file_are_those_of_its_rows(kind, table, folder):
    source, target = f"rows in a file.{kind}", f"läbels.{kind}"
    write(table.select(["a", "b"]), source)
    assert main(["fit", source, *FIT, "-o", target]) == 0
    X = np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1)
    assert read(target)["label"] == labels_of(X)
    assert sorted(path.name for path in folder.iterdir()) == sorted([source, target])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("rows.csv", "l.csv"),
        ("rows.parquet", "l.tsv"),
        ("rows.feather", "l.parquet"),
        ("rows.csv", "l.arrow"),
        ("rows.parquet", "l.npz"),
    ],
)
def test_identifiers_stand_beside_the_labels_of_their_rows(source, target, table, folder):
    write(table.select(["name", "a", "b"]), source)
    assert main(["fit", source, *FIT, "--id", "name", "-o", target]) == 0
    found = read(target)
    assert list(found) == ["name", "label"]
    assert found["name"] == table["name"].to_pylist()
    X = np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1)
    assert found["label"] == labels_of(X)


@pytest.mark.parametrize(("first", "kept"), [("7", list(range(7, 607))), ("007", ["007", *map(str, range(8, 607))])])
def test_identifiers_of_a_text_file_are_numbers_only_if_nothing_is_lost(first, kept, table, folder):
    lines = [f"{number},{a},{b}" for number, a, b in zip(range(7, 607), *table.select(["a", "b"]), strict=True)]
    lines[0] = f"{first},{lines[0].partition(',')[2]}"
    Path("rows.csv").write_text("\n".join(["code,a,b", *lines]))
    assert main(["fit", "rows.csv", *FIT, "--id", "code", "-o", "l.parquet"]) == 0
    assert read("l.parquet")["code"] == kept


def test_columns_can_be_chosen_or_dropped(table, folder):
    write(table, "rows.parquet")
    assert main(["fit", "rows.parquet", *FIT, "--columns", "b,a", "-o", "chosen.csv"]) == 0
    assert main(["fit", "rows.parquet", *FIT, "--drop", "class,code", "--id", "name", "-o", "kept.csv"]) == 0
    X = np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1)
    assert read("chosen.csv")["label"] == labels_of(X[:, ::-1])
    assert read("kept.csv")["label"] == labels_of(X)


def test_columns_without_names_are_chosen_by_number(table, folder):
    write(table.select(["code", "a", "b"]), "rows.npy")
    assert main(["fit", "rows.npy", *FIT, "--columns", "1,2", "--id", "0", "-o", "l.csv"]) == 0
    found = read("l.csv")
    assert found["0"] == table["code"].to_pylist()
    X = np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1)
    assert found["label"] == labels_of(X)


def test_a_model_gives_its_rows_their_labels_again_scaled_and_by_name(table, folder):
    write(table, "rows.csv")
    scaled_fit = ["fit", "rows.csv", *FIT, "--columns", "a,b", "--scale", "standard"]
    assert main([*scaled_fit, "-o", "l.csv", "--model", "m.npz"]) == 0
    write(table.select(["b", "class", "name", "a"]), "other.parquet")
    assert main(["predict", "m.npz", "other.parquet", "-o", "again.csv", "--id", "name", "--quiet"]) == 0
    again = read("again.csv")
    assert again["label"] == read("l.csv")["label"]
    assert again["name"] == table["name"].to_pylist()
    X = StandardScaler().fit_transform(np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1))
    assert again["label"] == labels_of(X)
    # Rows without names have to come in the order of the model.
    write(table.select(["a", "b"]), "plain.npy")
    assert main(["predict", "m.npz", "plain.npy", "-o", "plain.csv", "--quiet"]) == 0
    assert read("plain.csv")["label"] == again["label"]


def test_a_model_tells_what_it_is(table, folder, capsys):
    write(table, "rows.csv")
    assert main(["fit", "rows.csv", *FIT, "--columns", "a,b", "--scale", "robust", "--model", "m.npz"]) == 0
    assert main(["info", "m.npz"]) == 0
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert (told["model"], told["clusters"], told["features"], told["scaled"]) == ("DnCSC", "3", "2: a, b", "robust")
    assert main(["info", "m.npz", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["columns"] == ["a", "b"]
    assert facts["parameters"]["n_landmarks"] == 40


def test_directions_are_compared_where_the_metric_is_the_cosine(table, folder, capsys):
    rows = np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1) * np.random.default_rng(0).random((600, 1))
    np.save("rows.npy", rows)
    expected = DnCSC(3, metric="cosine", n_landmarks=40, random_state=0).fit_predict(rows)
    fit = ["fit", "rows.npy", *FIT, "--metric", "cosine"]
    assert main([*fit, "-o", "labels.npy", "--model", "m.npz", "--report", "r.html"]) == 0
    np.testing.assert_array_equal(np.load("labels.npy"), expected)
    np.save("longer.npy", 2.0**90 * rows)
    assert main(["predict", "m.npz", "longer.npy", "-o", "again.npy", "--quiet"]) == 0
    np.testing.assert_array_equal(np.load("again.npy"), expected)
    capsys.readouterr()
    assert main(["info", "m.npz"]) == 0
    assert ["metric", "cosine"] in [line.split() for line in capsys.readouterr().out.splitlines()]
    arguments = ["compare", "rows.npy", *FIT, "--metric", "cosine", "--methods", "dnc-sc,k-means", "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["sizes"] == np.bincount(expected).tolist()
    assert main(["estimate", "rows.npy", "--metric", "cosine"]) == 0
    assert main(["fit", "rows.npy", *FIT, "-o", "other.npy", "--metric", "cosin"]) == 2
    assert "--metric" in capsys.readouterr().err


@pytest.mark.filterwarnings("default:It is not sure")
def test_clusters_are_counted_up_to_as_many_as_are_asked_for(folder, capsys):
    np.save("rows.npy", datasets.embeddings(20_000, 128, 80, 1)[0])
    fit = ["fit", "rows.npy", "-k", "auto", "--metric", "cosine", "-o", "labels.npy", "-q"]
    assert main([*fit, "--max-clusters", "100"]) == 0
    assert len(np.unique(np.load("labels.npy"))) > 60
    assert main([*fit, "--max-clusters", "10", "--force"]) == 0
    assert len(np.unique(np.load("labels.npy"))) <= 10
    assert "or a larger --max-clusters if there may be more" in capsys.readouterr().err


def test_a_report_says_with_which_command_it_was_made(table, folder, monkeypatch):
    pytest.importorskip("dncsc.report")
    write(table.select(["a", "b"]), "rows.csv")
    arguments = ["fit", "rows.csv", *FIT, "--report", "r.html"]
    monkeypatch.setattr("sys.argv", ["dncsc", *arguments])
    assert main(arguments) == 0
    assert "dncsc fit rows.csv -k 3 --landmarks 40" in Page(Path("r.html")).text
    assert sorted(path.name for path in folder.iterdir()) == ["r.html", "rows.csv"]


def test_json_tells_what_was_done(table, folder, capsys):
    write(table.select(["a", "b"]), "rows.csv")
    assert main(["fit", "rows.csv", *FIT, "-o", "l.csv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["rows"], facts["features"], facts["columns"]) == (600, 2, ["a", "b"])
    assert facts["sizes"] == np.bincount(read("l.csv")["label"]).tolist()
    assert facts["outputs"] == ["l.csv"]
    assert facts["parameters"]["random_state"] == 0


@pytest.mark.parametrize("kind", FORMATS)
def test_a_data_set_is_written_as_it_is_made(kind, folder):
    target = f"moons.{kind}"
    assert main(["datasets", "make", "tm-1m", "--rows", "70000", "--seed", "3", "-o", target, "-q"]) == 0
    X, y = datasets.load("tm-1m", 70_000, 3)
    if kind == "npy":
        np.testing.assert_array_equal(np.load(target), X)
    elif kind == "npz":
        stored = np.load(target)
        np.testing.assert_array_equal(stored["X"], X)
        np.testing.assert_array_equal(stored["y"], y)
    else:
        found = read(target)
        assert list(found) == ["x0", "x1", "class"]
        np.testing.assert_array_equal(np.array([found["x0"], found["x1"]], np.float32).T, X)
        assert found["class"] == y.tolist()


def test_data_sets_and_methods_are_listed(capsys):
    assert main(["datasets", "--json"]) == 0
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert sorted(listed) == sorted(datasets.names())
    assert (listed["mnist"]["features"], listed["tm-1m"]["classes"]) == (784, 2)
    assert main(["datasets"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["name", *listed]
    assert main(["methods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *methods()]


def test_no_two_methods_are_described_alike(capsys):
    assert main(["methods", "--json"]) == 0
    about = [each["about"] for each in json.loads(capsys.readouterr().out)]
    assert all(about)
    assert len(set(about)) == len(about)
    assert set(VARIANTS) <= set(methods())


def test_what_a_fit_would_need_is_told_of_files_and_of_sizes(table, folder, capsys):
    write(table.select(["a", "b"]), "rows.csv")
    assert main(["estimate", "rows.csv", "--json"]) == 0
    small = json.loads(capsys.readouterr().out)
    assert (small["rows"], small["features"], small["dtype"]) == (600, 2, "float64")
    assert main(["estimate", "--rows", "1000000000", "--features", "2", "--json"]) == 0
    large = json.loads(capsys.readouterr().out)
    assert large["memory"] > 1000 * small["scratch"]
    assert main(["estimate", "rows.csv"]) == 0
    told = capsys.readouterr().out
    assert "600 of 2 features" in told
    assert "copy" in told
    np.save("rows.npy", np.zeros((3_000, 2_000), np.float16))
    assert main(["estimate", "rows.npy"]) == 0
    told = capsys.readouterr().out
    assert "12.0 MB of float16, worked on as float32" in told
    assert "copy" not in told


def test_methods_are_compared_with_each_other_and_with_classes(table, folder, capsys):
    write(table.select(["a", "b", "class"]), "rows.parquet")
    arguments = ["compare", "rows.parquet", *FIT, "--truth", "class", "--methods"]
    assert main([*arguments, "dnc-sc,k-means", "--json"]) == 0
    ours, theirs = json.loads(capsys.readouterr().out)["results"]
    assert ours["agreement"]["dnc-sc"] == pytest.approx(100)
    assert ours["agreement"]["k-means"] == pytest.approx(theirs["agreement"]["dnc-sc"])
    assert 0 < theirs["ACC"] <= 100
    assert main([*arguments, "k-means,lsc-r"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["method", "seconds", "ACC", "NMI", "as", "k-means", "as", "lsc-r"]
    assert [line.split()[0] for line in lines] == ["k-means", "lsc-r"]


@pytest.mark.filterwarnings("default")
def test_warnings_of_a_comparison_are_about_its_rows(folder, capsys, monkeypatch):
    rows = np.concatenate([np.zeros((20, 2)), np.random.default_rng(0).normal(size=(80, 2))])
    np.save("rows.npy", rows)
    monkeypatch.setattr("dncsc.cli.compare.WARM_UP_ROWS", 10)  # of which there is but one that differs from others
    assert main(["compare", "rows.npy", "-k", "2", "--methods", "k-means", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_the_demo_shows_a_table_and_a_picture(folder, capsys):
    assert main(["demo", "--rows", "1000", "-o", "flower.svg"]) == 0
    assert "digits" in capsys.readouterr().out
    assert [path.name for path in folder.iterdir()] == ["flower.svg"]
    assert main(["demo", "--rows", "1000", "-o", "flower.svg"]) == 2
    assert "flower.svg exists already" in capsys.readouterr().err


def test_parts_in_a_folder_are_one_table(table, folder):
    Path("parts").mkdir()
    for number in range(3):
        part = table.select(["name", "a", "b"]).slice(200 * number, 200)
        write(part, f"parts/part-{number}.parquet")
    assert main(["fit", "parts", *FIT, "--id", "name", "-o", "folder.csv"]) == 0
    assert main(["fit", "parts/part-?.parquet", *FIT, "--id", "name", "-o", "pattern.csv"]) == 0
    X = np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1)
    for target in ("folder.csv", "pattern.csv"):
        found = read(target)
        assert found["name"] == table["name"].to_pylist()
        assert found["label"] == labels_of(X)


def test_a_method_that_refuses_the_rows_does_not_stop_the_others(folder, capsys):
    np.save("rows.npy", datasets.load("tm-1m", 21_000)[0])
    assert main(["compare", "rows.npy", "-k", "2", "--methods", "sc,k-means", "--quiet"]) == 0
    said = capsys.readouterr()
    assert "refused" in said.out
    assert "sc: 21000 rows are more than the 20000 that this method takes" in said.err
