"""The page about a clustering tells the facts, for any container of rows and any names."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from dncsc import LSC, LSEC, USENC, USPEC, DnCSC, ExactSC, LloydKMeans, NystromSC
from dncsc.estimators.base import ZeroRowsWarning
from dncsc.report import maps, write_report
from naive import unit_rows
from report_page import Page, four_groups

K = 4


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return four_groups()


@pytest.fixture(scope="module")
def model(frame: pd.DataFrame) -> DnCSC:
    return DnCSC(K, n_landmarks=80, random_state=7).fit(frame)


@pytest.fixture(scope="module")
def page(frame: pd.DataFrame, model: DnCSC, tmp_path_factory) -> Page:
    path = tmp_path_factory.mktemp("report") / "page.html"
    write_report(path, model, frame, title="Four groups", data=["one.csv", "two.csv"], command="dncsc fit one.csv")
    return Page(path)


def number(text: str) -> float:
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def test_the_page_says_what_was_run(page, model):
    assert page.headings[0] == (1, "Four groups")
    assert page.pairs["Rows"] == "1,000"
    assert page.pairs["Features"] == "3"
    assert page.pairs["Data"] == "one.csvtwo.csv"
    assert page.pairs["Method"].startswith("DnCSC")
    assert page.pairs["Seed"] == "7"
    assert page.pairs["Metric"] == "euclidean"
    assert page.pairs["NumPy"] == np.__version__
    assert page.pairs["n_landmarks"] == "80 default 'auto'"
    assert set(model.get_params()) <= set(page.pairs)
    assert {"Cores", "System", "Python", "dncsc", "Total time"} <= set(page.pairs)
    assert "dncsc fit one.csv" in page.text


def test_a_page_about_directions_has_rows_of_length_one(frame, tmp_path):
    lengths = 10 ** np.random.default_rng(0).uniform(-3, 3, (len(frame), 1))
    rows = lengths * frame.to_numpy()
    rows[3] = 0
    with pytest.warns(ZeroRowsWarning, match="1 row is"):
        model = DnCSC(K, metric="cosine", n_landmarks=80, random_state=7).fit(rows)
    write_report(tmp_path / "page.html", model, rows, reruns=1)
    page = Page(tmp_path / "page.html")
    assert page.pairs["Metric"] == "cosinerows are scaled to length 1"
    assert "Rows are those of length 1." in page.text
    unit = unit_rows(rows)
    for cluster in range(K):
        for name, own, _, _ in page.tables[f"Profile of cluster {cluster}"][1:]:
            expected = unit[model.labels_ == cluster, int(name[1:])].mean()
            assert number(own.split("\u00b1")[0]) == pytest.approx(expected, abs=0.006)


def test_headings_go_down_one_level_at_a_time(page):
    levels = [level for level, _ in page.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_sizes_are_those_of_the_labels(page, model):
    lines = page.tables[f"Clusters 1 to {K} by size"][1:]
    assert {int(line[0]): int(line[2]) for line in lines} == dict(enumerate(np.bincount(model.labels_)))
    assert [line[3] for line in lines] == ["40.0%", "30.0%", "20.0%", "10.0%"]


def test_profiles_are_means_and_deviations_of_clusters(page, model, frame):
    for cluster in range(K):
        rows = frame[model.labels_ == cluster]
        lines = page.tables[f"Profile of cluster {cluster}"][1:]
        assert sorted(line[0] for line in lines) == ["east", "north", "up"]
        for name, own, whole, effect in lines:
            mean, deviation = own.split("\u00b1")
            assert number(mean) == pytest.approx(rows[name].mean(), abs=0.006)
            assert number(deviation) == pytest.approx(rows[name].std(ddof=0), abs=0.006)
            assert number(whole) == pytest.approx(frame[name].mean(), abs=0.006)
            difference = (rows[name].mean() - frame[name].mean()) / frame[name].std(ddof=0)
            assert number(effect.split()[0]) == pytest.approx(difference, abs=0.051)


def test_words_tell_what_sets_a_cluster_apart(page, model, frame):
    said = dict(zip(range(K), re.findall(r'<span class="said">(.*?)</span>', page.source), strict=True))
    for cluster in range(K):
        rows = frame[model.labels_ == cluster]
        for name in ("east", "north"):
            difference = (rows[name].mean() - frame[name].mean()) / frame[name].std(ddof=0)
            assert f"{'high' if difference > 0 else 'low'} <i>{name}</i>" in said[cluster]
        assert "up" not in said[cluster]


def test_phase_times_and_eigenvalues_are_the_models(page, model):
    assert [line[0] for line in page.tables["Time of each phase"][1:]] == list(model.timings_)
    listed = [float(line[1]) for line in page.tables["Eigenvalues"][1:]]
    np.testing.assert_allclose(listed, model.eigenvalues_, atol=1e-6)
    assert [line[2] for line in page.tables["Eigenvalues"][1:]].count("yes") == K


def test_groups_far_apart_are_called_stable(page):
    lines = {line[0]: line[1:] for line in page.tables["Agreement of re-runs with the model"][1:]}
    assert list(lines) == ["Seed 8", "Seed 9", "Seed 10", "Mean", "With each other"]
    assert lines["Mean"] == ["1.000", "1.000"]
    assert page.pairs["Agreement (ARI)"] == "1.000 \u25cf stable"
    assert [line[2] for line in page.tables["Stability of each cluster, the least stable first"][1:]] == ["1.000"] * K


def test_a_number_of_clusters_that_was_found_has_a_page(tmp_path, frame):
    model = DnCSC("auto", n_landmarks=80, random_state=7).fit(frame)
    write_report(tmp_path / "page.html", model, frame)
    page = Page(tmp_path / "page.html")
    assert len(page.tables[f"Clusters 1 to {K} by size"][1:]) == K
    assert [line[2] for line in page.tables["Eigenvalues"][1:]].count("yes") == K
    assert page.pairs["Agreement (ARI)"] == "1.000 \u25cf stable"


def test_a_cloud_without_groups_is_not_called_stable(tmp_path):
    rows = np.random.default_rng(0).uniform(size=(3000, 6))
    write_report(tmp_path / "page.html", DnCSC(7, n_landmarks=60, n_init=1, random_state=0).fit(rows), rows)
    page = Page(tmp_path / "page.html")
    assert "stable" in page.pairs["Agreement (ARI)"]
    assert not page.pairs["Agreement (ARI)"].endswith("\u25cf stable")
    assert "n_landmarks=120" in page.text


def test_without_reruns_nothing_is_said_about_trust(tmp_path, model, frame):
    write_report(tmp_path / "page.html", model, frame, reruns=0)
    page = Page(tmp_path / "page.html")
    assert "How trustworthy" not in [text for _, text in page.headings]
    assert "Agreement (ARI)" not in page.pairs


@pytest.mark.filterwarnings("ignore:Nothing is told apart by shape")
@pytest.mark.parametrize("reruns", [0, 1])
def test_a_heap_is_called_one_with_reruns_or_without(tmp_path, reruns):
    random = np.random.default_rng(1)
    rows = random.standard_t(4, (2_000, 10)) + random.normal(0, 0.5, (3, 10))[random.integers(0, 3, 2_000)]
    rows = np.sign(rows) * np.abs(rows) ** 1.3
    model = DnCSC(3, random_state=0).fit(rows / rows.std(axis=0))
    assert model.diagnosis_.is_by_position
    write_report(tmp_path / "page.html", model, rows, reruns=reruns)
    assert str(model.diagnosis_) in Page(tmp_path / "page.html").text


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_noise_that_leaves_fewer_rows_than_clusters_is_reported(tmp_path):
    rows = np.random.default_rng(0).standard_normal((40, 2))
    model = DnCSC(4, noise=0.95, random_state=0).fit(rows)
    write_report(tmp_path / "page.html", model, rows)
    page = Page(tmp_path / "page.html")
    assert "38 rows (95.0%) lie apart from all others: noise." in page.text
    assert "Agreement (ARI)" not in page.pairs


def test_the_map_counts_every_row_once(page, model):
    by_key = {view["key"]: view for view in page.data["views"]}
    assert list(by_key) == ["principal", "embedding"]
    for view in by_key.values():
        count, cluster = page.numbers(view["count"]), page.numbers(view["cluster"])
        np.testing.assert_array_equal(np.bincount(cluster, count), np.bincount(model.labels_))
        assert view["outside"] == 0
        cell = np.cumsum(page.numbers(view["gap"]))
        assert cell.max() < maps.COLUMNS * maps.LINES
        assert len(page.numbers(view["landmarks"])) == 2 * model.n_landmarks_


def test_cells_lie_where_their_rows_are(tmp_path):
    rows = np.random.default_rng(0).normal(size=(500, 2)) * [3, 1] + [100, 0]
    model = LloydKMeans(3, random_state=0).fit(rows)
    write_report(tmp_path / "page.html", model, rows, reruns=0)
    page = Page(tmp_path / "page.html")
    (view,) = page.data["views"]
    low, high = np.array(view["low"]), np.array(view["high"])
    place = np.floor((rows - low) / (high - low) * (maps.COLUMNS, maps.LINES)).astype(int)
    expected = np.unique((place[:, 1] * maps.COLUMNS + place[:, 0]) * 3 + model.labels_, return_counts=True)
    found = np.cumsum(page.numbers(view["gap"])) * 3 + page.numbers(view["cluster"])
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(page.numbers(view["count"]), expected[1])


def test_any_two_of_few_features_can_be_drawn(page, model, frame):
    pairs = page.data["pairs"]
    assert pairs["names"] == list(frame)
    values = page.numbers(pairs["values"]).reshape(3, -1) / (maps.OUTSIDE - 1)
    low, high = np.array(pairs["low"])[:, None], np.array(pairs["high"])[:, None]
    np.testing.assert_allclose(low + values * (high - low), frame.to_numpy().T, atol=1e-3)
    np.testing.assert_array_equal(page.numbers(pairs["cluster"]), model.labels_)


def test_a_far_outlier_does_not_squeeze_the_map(tmp_path):
    rows = np.random.default_rng(0).normal(size=(5000, 2))
    rows[17] = [1e6, 0]
    model = LloydKMeans(2, random_state=0).fit(rows)
    write_report(tmp_path / "page.html", model, rows, reruns=0)
    (view,) = Page(tmp_path / "page.html").data["views"]
    assert view["high"][0] < 100
    assert view["outside"] == 1


def test_names_are_text_and_nothing_else(tmp_path, frame):
    hostile = [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(2)>",
        "\"'><b onclick='alert(3)'>&amp;`x`",
    ]
    named = frame.set_axis(hostile, axis=1)
    model = DnCSC(K, n_landmarks=80, random_state=0).fit(named)
    path = tmp_path / "page.html"
    write_report(path, model, named, title=hostile[0], data=[hostile[1]], command=hostile[2], reruns=1)
    page = Page(path)
    assert page.headings[0] == (1, hostile[0])
    assert page.pairs["Data"] == hostile[1]
    assert page.data["pairs"]["names"] == hostile
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "img" not in [tag for tag, _ in page.tags]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]


def test_names_cannot_turn_the_order_in_which_a_page_is_read(tmp_path, frame):
    turned = frame.set_axis(["a\u202eb", "c\u2066d", "e\x1bf"], axis=1)
    model = DnCSC(K, n_landmarks=80, random_state=0).fit(turned)
    write_report(
        tmp_path / "page.html", model, turned, title="\u202etitle", data=["\u2067x"], command="\u200fy", reruns=0
    )
    page = Page(tmp_path / "page.html")
    assert page.headings[0] == (1, r"\u202etitle")
    assert page.data["pairs"]["names"] == [r"a\u202eb", r"c\u2066d", r"e\x1bf"]
    assert not set(page.source) & set("\u202e\u2066\u2067\u200f\x1b")


def test_a_name_that_is_no_unicode_can_be_written(tmp_path, model, frame):
    write_report(tmp_path / "page.html", model, frame, data="bad-\udcff-name.csv", reruns=0)
    assert Page(tmp_path / "page.html").pairs["Data"] == r"bad-\udcff-name.csv"


def test_nothing_is_loaded_from_elsewhere(page):
    assert not re.search(r"https?:|url\(|@import|\bsrc=", page.source)
    assert [attributes["href"] for tag, attributes in page.tags if tag == "link"] == ["data:,"]


@pytest.mark.parametrize(
    ("kind", "options", "views"),
    [
        (DnCSC, {"n_landmarks": 60}, ["features", "embedding"]),
        (LSC, {"n_landmarks": 60}, ["features", "embedding"]),
        (USPEC, {"n_landmarks": 60}, ["features", "embedding"]),
        (NystromSC, {"n_landmarks": 60}, ["features", "embedding"]),
        (LSEC, {"n_landmarks": 60, "n_members": 5}, ["features", "embedding"]),
        (USENC, {"n_landmarks": 60, "n_members": 5}, ["features", "embedding"]),
        (ExactSC, {}, ["features"]),
        (LloydKMeans, {}, ["features"]),
    ],
)
def test_every_method_has_a_page(tmp_path, moons, kind, options, views):
    rows = moons[0][:600]
    write_report(tmp_path / "page.html", kind(2, **options, random_state=0).fit(rows), rows, reruns=1)
    page = Page(tmp_path / "page.html")
    assert [view["key"] for view in page.data["views"]] == views
    assert ("load_model" in page.text) == (kind is not ExactSC)
    assert ("Eigenvalues" in page.tables) == (kind is not LloydKMeans)
    assert ("Mean confidence" in page.pairs) == (kind in (LSEC, USENC))


@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (50, 1, 2), (300, 3, 1), (400, 2, 100), (60, 40, 60)])
def test_extreme_shapes_have_a_page(tmp_path, n, d, k):
    rows = np.random.default_rng(0).normal(size=(n, d))
    model = DnCSC(k, n_landmarks=max(k, 30), random_state=0).fit(rows)
    write_report(tmp_path / "page.html", model, rows, reruns=1)
    page = Page(tmp_path / "page.html")
    sizes = [
        int(line[2]) for caption, lines in page.tables.items() if caption.endswith("by size") for line in lines[1:]
    ]
    assert sizes == sorted(np.bincount(model.labels_, minlength=k), reverse=True)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_rows_that_are_all_the_same_have_a_page(tmp_path):
    rows = np.full((100, 3), 2.5)
    model = DnCSC(2, n_landmarks=10, random_state=0).fit(rows)
    write_report(tmp_path / "page.html", model, rows, reruns=2)
    page = Page(tmp_path / "page.html")
    assert "close to the average in every feature" in page.text
    assert "1 of the 2 clusters are empty" in page.text


def test_more_connected_components_than_clusters_are_told(tmp_path, blobs):
    rows, _ = blobs(2000, d=2, k=8, apart=2000.0)
    model = DnCSC(3, n_landmarks=100, random_state=0).fit(rows)
    assert model.n_graph_components_ > 3
    write_report(tmp_path / "page.html", model, rows, reruns=1)
    page = Page(tmp_path / "page.html")
    assert page.pairs["Connected components"] == str(model.n_graph_components_)
    assert "connected components, more than the 3 clusters" in page.text
