"""`--layers`: coarser clusterings stand beside the labels, nested, or the command refuses them before any work."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.feather
import pyarrow.parquet
import pytest

from dncsc import load_model
from dncsc.cli import main
from dncsc.model_file import Fitted

FIT = ["fit", "rows.csv", "--landmarks", "60", "--quiet"]
COLUMNS = ["label", "label_2", "label_6", "label_3"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with eight groups of rows, in which the work is done."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    middle = np.array([[x, y] for x in (0, 3, 6, 9) for y in (0, 3)])
    rows = middle[np.arange(800) % 8] + random.normal(0, 0.4, (800, 2))
    pd.DataFrame(rows, columns=["a", "b"]).assign(code=np.arange(800)).to_csv("rows.csv", index=False)
    return tmp_path


def read(path: str) -> pd.DataFrame:
    kind = path.rpartition(".")[2]
    if kind in ("csv", "tsv"):
        return pd.read_csv(path, sep="," if kind == "csv" else "\t")
    if kind == "npz":
        return pd.DataFrame(dict(np.load(path)))
    return (pyarrow.parquet if kind == "parquet" else pyarrow.feather).read_table(path).to_pandas()


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "feather", "arrow", "npz"])
def test_layers_stand_beside_the_labels_in_every_table(kind, folder):
    command = [*FIT, "--drop", "code", "-k", "8", "--layers", "2,6,3", "--model", "m.npz"]
    assert main([*command, "-o", f"l.{kind}"]) == 0
    found, model = read(f"l.{kind}"), load_model("m.npz")
    assert list(found) == COLUMNS
    for n_groups in (2, 6, 3):
        np.testing.assert_array_equal(found[f"label_{n_groups}"], model.merged(n_groups)[found["label"]])
    assert main(["predict", "m.npz", "rows.csv", "-q", "--layers", "2, 6,3", "-o", f"again.{kind}"]) == 0
    pd.testing.assert_frame_equal(read(f"again.{kind}"), found)


def test_layers_are_nested(folder):
    assert main([*FIT, "--id", "code", "-k", "8", "--layers", "1,8,2,4", "-o", "l.csv"]) == 0
    found = read("l.csv")
    assert list(found) == ["code", "label", "label_1", "label_8", "label_2", "label_4"]
    assert found["code"].tolist() == list(range(800))
    for n_groups in (1, 2, 4, 8):
        assert sorted(found[f"label_{n_groups}"].unique()) == list(range(n_groups))
    for fine, coarse in [("label", "label_8"), ("label_8", "label_4"), ("label_4", "label_2"), ("label_2", "label_1")]:
        assert (found.groupby(fine)[coarse].nunique() == 1).all()


def test_the_summary_for_programs_has_the_layers(folder, capsys):
    assert (
        main([*FIT, "--drop", "code", "-k", "8", "--layers", "4,2", "--model", "m.npz", "-o", "l.csv", "--json"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["layers"] == [4, 2]
    assert main(["info", "m.npz"]) == 0
    assert "tree         joins them into 1 to 8 groups (predict --layers)\n" in capsys.readouterr().out
    assert main(["info", "m.npz", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tree"] is True


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", "8", "--layers", "9", "-o", "l.csv"], "--layers 9: -k asks for 8 clusters"),
        (["-k", "8", "--layers", "0", "-o", "l.csv"], "--layers must be numbers of groups of at least 1, such as"),
        (["-k", "8", "--layers", "2,x", "-o", "l.csv"], "got 'x'"),
        (["-k", "8", "--layers", "2,,3", "-o", "l.csv"], "got ''"),
        (["-k", "8", "--layers", "2,3,2", "-o", "l.csv"], "--layers: 2 is given twice"),
        (["-k", "8", "--layers", "2", "-o", "l.npy"], "a .npy file holds one array and no layers. Use .npz"),
        (["-k", "8", "--layers", "2", "--model", "m.npz"], "--layers adds columns to the labels, but -o"),
        (["-k", "auto", "--layers", "51", "-o", "l.csv"], "--layers 51: -k auto finds 50 clusters at most"),
        (["-k", "8", "--layers", "2", "--method", "nystrom", "-o", "l.csv"], "the method nystrom has no tree"),
        (["-k", "8", "--layers", "2", "--id", "label_2", "-o", "l.csv"], "a column of labels is called 'label_2' too"),
    ],
)
def test_layers_that_cannot_be_are_refused_before_any_work(options, words, folder, monkeypatch, capsys):
    monkeypatch.setattr("dncsc.cli.fit.source", None)
    assert main([*FIT, *options]) == 2
    assert words in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["rows.csv"]


@pytest.mark.parametrize("method", ["k-means", "sc"])
def test_methods_without_landmarks_have_no_layers(method, folder, monkeypatch, capsys):
    monkeypatch.setattr("dncsc.cli.fit.source", None)
    assert main(["fit", "rows.csv", "--method", method, "-k", "3", "--layers", "2", "-o", "l.csv"]) == 2
    assert f"--layers: the method {method} has no tree of clusters. Use one with a graph" in capsys.readouterr().err


def test_more_groups_than_clusters_that_were_found_are_refused_and_the_model_stays(folder, capsys):
    command = [*FIT, "--drop", "code", "-k", "auto", "--layers", "2,30", "-o", "l.csv"]
    assert main([*command, "--model", "m.npz"]) == 2
    n_found, told = load_model("m.npz").n_clusters_, capsys.readouterr().err
    assert f"--layers 30: {n_found} clusters were found, which join into 1 to {n_found} groups." in told
    assert "Written before: m.npz. With the model, dncsc predict gives the labels, without another fit." in told
    assert not Path("l.csv").exists()


def test_a_model_without_the_layers_asked_for_is_refused_before_any_work(folder, monkeypatch, capsys):
    assert main([*FIT, "--drop", "code", "-k", "8", "--model", "m.npz"]) == 0
    assert main(["fit", "rows.csv", "--drop", "code", "-k", "3", "--method", "k-means", "--model", "k.npz", "-q"]) == 0
    monkeypatch.setattr("dncsc.cli.predict.source", None)
    for model, words in [
        ("m.npz", "--layers 9: the model has 8 clusters, which join into 1 to 8 groups."),
        ("k.npz", "k.npz is a model of LloydKMeans without a tree of clusters; it has none."),
    ]:
        assert main(["predict", model, "rows.csv", "--layers", "9", "-o", "l.csv"]) == 2
        assert words in capsys.readouterr().err


def test_a_model_from_before_there_were_trees_says_so(folder, monkeypatch, capsys):
    monkeypatch.setattr("dncsc.estimators.saving.Fitted", lambda *fields: Fitted(*fields[:-2]))
    assert main([*FIT, "--drop", "code", "-k", "8", "--model", "old.npz"]) == 0
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert main(["predict", "old.npz", "rows.csv", "--layers", "2", "-o", "l.csv"]) == 2
    assert "it was written before models had one: fit again." in capsys.readouterr().err
    assert main(["info", "old.npz"]) == 0
    assert "tree         none\n" in capsys.readouterr().out
