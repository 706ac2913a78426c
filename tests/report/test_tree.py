"""The tree on the page is that of the model: whole where clusters are few, its top where they are many."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dncsc import DnCSC, LloydKMeans, load_model
from dncsc.cli import main
from dncsc.phases.cut.layers import merge
from dncsc.report import write_report
from dncsc.report.tree import LAST_JOINS, MOST_LEAVES, Leaf, Scale, Top
from report_page import Page


def random_tree(k: int) -> tuple[np.ndarray, np.ndarray]:
    """A linkage matrix over k clusters, and the rows of each."""
    random = np.random.default_rng(k)
    waiting, size, lines = list(range(k)), [1] * k, []
    for far in np.sort(random.uniform(0.9, 1, k - 1)):
        a, b = sorted(waiting.pop(random.integers(len(waiting))) for _ in range(2))
        waiting.append(k + len(lines))
        size.append(size[a] + size[b])
        lines.append((a, b, far, size[-1]))
    return np.array(lines).reshape(-1, 4), random.integers(1, 1000, k)


def groups_after(top: Top, n_joins: int) -> set[frozenset[int]]:
    """Clusters in each group after some of the joins that are drawn."""
    nodes: list[Leaf | None] = list(top.leaves)
    for join in top.joins[:n_joins]:
        one, other = nodes[join.one], nodes[join.other]
        nodes[join.one] = nodes[join.other] = None
        nodes.append(Leaf(one.clusters + other.clusters, one.n_rows + other.n_rows))
    return {frozenset(node.clusters) for node in nodes if node is not None}


@pytest.mark.parametrize("k", [2, 3, 10, MOST_LEAVES, MOST_LEAVES + 1, 400])
def test_groups_that_are_drawn_are_those_of_merged(k):
    tree, counts = random_tree(k)
    top = Top.of(tree, counts)
    n_shown = k - 1 if k <= MOST_LEAVES else LAST_JOINS
    assert (len(top.joins), len(top.leaves), top.n_left_out) == (n_shown, n_shown + 1, k - 1 - n_shown)
    for done in range(n_shown + 1):
        group = merge(tree, n_shown + 1 - done)
        assert groups_after(top, done) == {frozenset(np.flatnonzero(group == each)) for each in np.unique(group)}
    assert [leaf.n_rows for leaf in top.leaves] == [counts[leaf.clusters].sum() for leaf in top.leaves]
    np.testing.assert_allclose([join.strength for join in top.joins], 1 - tree[-n_shown:, 2])


def test_branches_do_not_cross():
    top = Top.of(*random_tree(40))
    spans = [(i, i) for i in range(len(top.leaves))]
    for join in top.joins:
        (low, middle), (above, high) = sorted([spans[join.one], spans[join.other]])
        assert above == middle + 1
        spans.append((low, high))


@pytest.mark.parametrize(
    ("strengths", "texts"),
    [
        ([0.2, 0.01, 0.0005], ["10%", "1%", "0.1%"]),
        ([0.05, 0.02], ["5%", "2%"]),
        ([0.05, 0.02, 0], ["5%", "2%", "none"]),
        ([0.0123], ["1.2%"]),
        ([0, 0], ["none"]),
        ([1e-3, 1e-30], ["0.1%", "0.00001%"]),
    ],
)
def test_weaker_links_stand_farther_to_the_right(strengths, texts):
    scale = Scale(strengths)
    places = [scale.place(each) for each in strengths]
    assert places == sorted(places)
    assert all(0 < place < 1000 for place in places)
    at, found = zip(*scale.ticks(), strict=True)
    assert list(found) == texts
    assert list(at) == sorted(at)


def written(tmp_path: Path, model: object, rows: np.ndarray, reruns: int = 0) -> Page:
    write_report(tmp_path / "page.html", model, rows, reruns=reruns)
    return Page(tmp_path / "page.html")


def test_the_page_draws_the_tree_of_few_clusters(tmp_path):
    rows = np.random.default_rng(0).normal(size=(800, 3))
    model = DnCSC(8, n_landmarks=80, random_state=0).fit(rows)
    page = written(tmp_path, model, rows)
    assert (2, "Tree of the clusters") in page.headings
    drawn = page.source[page.source.index('<figure class="tree">') :].partition("</figure>")[0]
    named = re.findall(r'</span>(\d+)</span><span class="n">([\d,]+)<', drawn)
    assert {int(cluster): int(n) for cluster, n in named} == dict(enumerate(np.bincount(model.labels_)))
    assert drawn.count("<polyline") == 7
    lines = page.tables["Joins, in order"][1:]
    assert [line[0] for line in lines] == list("7654321")
    assert lines[-1][3] == "800"


@pytest.mark.parametrize("model", [DnCSC(1, n_landmarks=20, random_state=0), LloydKMeans(4, random_state=0)])
def test_no_tree_no_section(tmp_path, model):
    rows = np.random.default_rng(0).normal(size=(200, 2))
    page = written(tmp_path, model.fit(rows), rows)
    assert 'id="tree"' not in page.source
    assert 'href="#tree"' not in page.source


def test_groups_that_nothing_links_are_counted_and_not_advised(tmp_path, blobs):
    rows, _ = blobs(2000, d=2, k=8, apart=2000.0)
    model = DnCSC(8, n_landmarks=100, random_state=0).fit(rows)
    assert (model.tree_[:, 2] == 1).all()
    page = written(tmp_path, model, rows)
    assert "Nothing links the last 8 groups" in page.text
    assert "--layers" not in page.text


@pytest.fixture(scope="module")
def many() -> tuple[DnCSC, np.ndarray]:
    """More clusters than are found by eigenvectors."""
    rows = np.random.default_rng(0).normal(size=(2000, 4))
    model = DnCSC(120, random_state=0).fit(rows)
    assert len(model.eigenvalues_) == 0
    return model, rows


def test_of_many_clusters_the_top_is_drawn(tmp_path, many):
    page = written(tmp_path, *many, reruns=1)
    assert "Of 119 joins, the last 30 are drawn." in page.text
    assert len(page.tables["Joins, in order"]) == 31
    assert re.search(r'title="Clusters \d', page.source)


def test_a_page_about_many_clusters_says_nothing_of_a_spectrum(tmp_path, many):
    page = written(tmp_path, *many, reruns=1)
    assert "igenvalue" not in page.text
    assert "LSEC" not in page.text
    assert "proven" not in page.text
    assert [view["key"] for view in page.data["views"]] == ["principal"]
    assert 'value="embedding"' not in page.source


def test_the_command_line_reports_on_many_clusters(tmp_path, many, capsys):
    np.save(tmp_path / "rows.npy", many[1])
    model, output = tmp_path / "m.npz", ["-o", str(tmp_path / "l.csv"), "--layers", "60,5"]
    command = ["fit", str(tmp_path / "rows.npy"), "-k", "100", "-q", "--model", str(model), *output]
    assert main([*command, "--report", str(tmp_path / "r.html")]) == 0
    assert "Of 99 joins" in Page(tmp_path / "r.html").text
    assert load_model(model).n_clusters_ == 100
    capsys.readouterr()
    assert main(["info", str(model)]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^eigenvalues +none$", told, re.M)
    assert re.search(r"^clusters +100$", told, re.M)
