"""`--noise` labels a share of the rows -1, in fit and predict, and all who tell of clusters know of it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs

from dncsc import DnCSC, plot
from dncsc.cli import main


def rows():
    X, _ = make_blobs(900, 2, centers=3, cluster_std=0.4, random_state=0)
    return np.vstack([X, np.random.default_rng(0).uniform(-8, 12, (100, 2))])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(rows(), columns=["a", "b"]).to_csv("rows.csv", index=False)
    return tmp_path


FIT = ["fit", "rows.csv", "-k", "3", "--noise", "0.1", "--landmarks", "100"]


def test_labels_model_report_and_summary_agree_on_noise(folder, capsys):
    outputs = ["-o", "labels.csv", "--model", "model.npz", "--report", "report.html", "--layers", "2", "--json"]
    assert main([*FIT, *outputs]) == 0
    told = json.loads(capsys.readouterr().out)
    table = pd.read_csv("labels.csv")
    assert told["noise"] == (table["label"] == -1).sum() == 100
    assert sum(told["sizes"]) == 900
    assert (table.loc[table["label"] == -1, "label_2"] == -1).all()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "100 rows (10" in page
    assert "lie apart from all others: noise" in page
    assert main(["predict", "model.npz", "rows.csv", "-o", "again.csv"]) == 0
    assert pd.read_csv("again.csv")["label"].equals(table["label"])


def test_a_share_that_is_none_and_a_method_without_noise_are_refused(folder, capsys):
    assert main(["fit", "rows.csv", "-k", "3", "--noise", "2", "-o", "labels.csv"]) == 2
    assert "--noise must be a share of the rows" in capsys.readouterr().err
    assert main([*FIT, "--method", "k-means", "-o", "labels.csv"]) == 2
    assert not (folder / "labels.csv").exists()


@pytest.mark.parametrize("copies", [1, 20])
def test_noise_is_drawn_in_grey_beside_the_clusters(copies):
    X = np.tile(rows(), (copies, 1))
    ax = plot.clusters(DnCSC(3, noise=0.1, n_landmarks=100, random_state=0).fit(X), X, ax=Figure().subplots())
    assert [line.get_label() for line in ax.lines] == ["cluster 0", "cluster 1", "cluster 2", "noise"]
    assert len(ax.images) + len(ax.collections) == 1
