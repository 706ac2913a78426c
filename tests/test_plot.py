"""Figures are drawn with matplotlib itself, on axes without a screen."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError

from dncsc import DnCSC, LloydKMeans, datasets, load_model, plot
from naive import unit_rows

N_ROWS, K = 20_000, 5


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    """Five round clusters, a row apart from the others in x alone, in three features."""
    random = np.random.default_rng(0)
    centre = np.arange(N_ROWS) % K
    return np.stack([3.0 * centre, np.zeros(N_ROWS), centre % 2], axis=1) + random.normal(0, 0.3, (N_ROWS, 3))


@pytest.fixture(scope="module")
def model(rows: np.ndarray) -> DnCSC:
    return DnCSC(K, n_landmarks=100, random_state=0).fit(rows)


@pytest.fixture(scope="module")
def named_model(rows: np.ndarray) -> DnCSC:
    return DnCSC(K, n_landmarks=100, random_state=0).fit(pd.DataFrame(rows, columns=["east", "north", "up"]))


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


@pytest.fixture
def pyplot():
    import matplotlib

    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")
    matplotlib.use(before)


def picture(ax: Axes) -> np.ndarray:
    """All pixels, as they would be saved."""
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def image(ax: Axes) -> np.ndarray:
    """RGBA of each cell of the one image."""
    (only,) = ax.images
    return np.asarray(only.get_array())


class Split(BaseEstimator):
    """A clusterer of two clusters, to the left and right of 0."""

    n_clusters = 2

    def __init__(self, labels: np.ndarray) -> None:
        self.labels_ = labels

    def fit(self, X: np.ndarray) -> None:
        raise AssertionError("a figure never fits")

    def predict(self, X: np.ndarray) -> np.ndarray:
        return (X[:, 0] > 0).astype(np.int32)


def test_millions_of_rows_are_drawn_as_an_image(ax):
    X, _ = datasets.load("tm-1m", n=1_100_000)
    fitted = DnCSC(2, n_landmarks=100, random_state=0).fit(X[:20_000])
    plot.clusters(fitted, X, ax=ax)
    assert not ax.collections
    assert all(len(line.get_xdata()) == 0 for line in ax.lines)
    assert image(ax).shape == (512, 512, 4)
    assert np.ptp(picture(ax)[..., :3]) > 100


def test_few_rows_are_drawn_as_markers_in_the_colours_of_their_clusters(ax, model, rows):
    plot.clusters(model, rows[:500], ax=ax)
    (markers,) = ax.collections
    assert not ax.images
    np.testing.assert_array_equal(markers.get_offsets(), rows[:500, :2])
    np.testing.assert_allclose(markers.get_facecolors()[:, :3], plot.palette(K)[model.labels_[:500]])


def test_a_cell_has_the_mean_colour_of_its_rows(ax):
    X = np.repeat([[-1.0, 0.0], [0.0, 0.0], [1.0, 1.0]], 10_000, axis=0)
    labels = np.repeat([0, 0, 1, 1, 1, 1], 5000)
    labels[10_000:15_000] = 0  # half of the middle
    plot.clusters(Split(labels), X, ax=ax)
    cells = image(ax)
    drawn = cells[cells[..., 3] > 0]
    first, second = plot.palette(2)
    np.testing.assert_allclose(drawn[:, :3], [first, (first + second) / 2, second])


def test_denser_cells_are_more_opaque(ax):
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [1, 100, 20_000], axis=0)
    plot.clusters(Split(np.zeros(len(X), int)), X, ax=ax)
    opacity = image(ax)[..., 3]
    thin, medium, dense = opacity[opacity > 0]
    assert 0.3 < thin < medium < dense == 1.0


def test_fitted_rows_keep_their_labels_and_others_are_predicted(ax):
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
    odd = Split(np.array([1, 1, 0]))
    for some, expected in ((X, [1, 1, 0]), (X[:2], [0, 1])):
        plot.clusters(odd, some, ax=ax)
        np.testing.assert_allclose(ax.collections[-1].get_facecolors()[:, :3], plot.palette(2)[expected])


def test_a_model_from_a_file_gives_the_same_pictures(model, rows, tmp_path):
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    for figure in FIGURES.values():
        drawn, expected = (picture(figure(each, rows, ax=Figure().subplots())) for each in (again, model))
        np.testing.assert_array_equal(drawn, expected)


def test_other_clusterers_can_be_drawn_too(ax, rows):
    plot.clusters(KMeans(3, random_state=0).fit(rows), rows, ax=ax)
    assert len(ax.get_legend_handles_labels()[1]) == 3


def test_the_legend_tells_clusters_apart(ax, model, rows):
    legend = plot.clusters(model, rows, ax=ax).legend()
    assert [text.get_text() for text in legend.get_texts()] == [f"cluster {i}" for i in range(K)]
    np.testing.assert_allclose([to_rgb(each.get_color()) for each in legend.get_lines()], plot.palette(K))


@pytest.mark.parametrize("features", [(0, 2), ("east", "up"), ("east", 2), np.array([0, 2])])
def test_features_are_picked_by_number_or_name(ax, named_model, rows, features):
    some = pd.DataFrame(rows[:100], columns=["east", "north", "up"])
    plot.clusters(named_model, some, features=features, ax=ax)
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), rows[:100, [0, 2]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("east", "up")


@pytest.mark.parametrize("features", [(0, 2), "embedding"])
@pytest.mark.parametrize("n", [100, N_ROWS])
def test_every_kind_of_table_gives_the_same_picture(model, named_model, rows, features, n, tmp_path):
    some, names = rows[:n], ["east", "north", "up"]
    np.save(tmp_path / "rows.npy", some)
    expected = picture(plot.clusters(model, some, features=features, ax=Figure().subplots()))
    for table in (some.tolist(), np.load(tmp_path / "rows.npy", mmap_mode="r"), scipy.sparse.csr_array(some)):
        drawn = picture(plot.clusters(model, table, features=features, ax=Figure().subplots()))
        np.testing.assert_array_equal(drawn, expected)
    expected = picture(plot.clusters(named_model, pd.DataFrame(some, columns=names), ax=Figure().subplots()))
    drawn = picture(plot.clusters(named_model, pl.DataFrame(some, schema=names), ax=Figure().subplots()))
    np.testing.assert_array_equal(drawn, expected)


def test_the_embedding_is_drawn_by_two_of_its_coordinates(ax, model, rows, monkeypatch):
    monkeypatch.setattr("dncsc.plot.coordinates.BLOCK", 33)
    plot.clusters(model, rows[:100], features="embedding", ax=ax)
    np.testing.assert_allclose(ax.collections[0].get_offsets(), model.transform(rows[:100])[:, 1:3])
    assert ax.get_xlabel() == "embedding 1"


def test_the_embedding_may_come_as_a_data_frame(ax, rows):
    fitted = DnCSC(2, n_landmarks=50, random_state=0).set_output(transform="pandas").fit(rows)
    plot.clusters(fitted, rows[:100], features="embedding", ax=ax)
    np.testing.assert_allclose(ax.collections[0].get_offsets(), fitted.transform(rows[:100]))


@pytest.mark.parametrize("features", [(0, 2), ("east", "up"), "embedding"])
def test_landmarks_lie_where_the_model_has_them(ax, named_model, features):
    plot.landmarks(named_model, features=features, ax=ax)
    (markers,) = ax.collections
    places = named_model.landmarks_[:, [0, 2]]
    if features == "embedding":
        named = pd.DataFrame(named_model.landmarks_, columns=named_model.feature_names_in_)
        places = named_model.transform(named)[:, 1:3]
    np.testing.assert_allclose(markers.get_offsets(), places)
    assert not ax.images


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix, pd.DataFrame])
def test_directions_are_drawn_as_rows_of_length_one_as_landmarks_are(ax, rows, form):
    fitted = DnCSC(K, metric="cosine", n_landmarks=100, random_state=0).fit(rows)
    some = 1e3 * rows[:100]
    plot.clusters(fitted, form(some), features=(0, 2), ax=ax)
    np.testing.assert_allclose(ax.collections[0].get_offsets(), unit_rows(some)[:, [0, 2]])
    plot.landmarks(fitted, features=(0, 2), ax=ax)
    np.testing.assert_allclose(ax.collections[-1].get_offsets(), fitted.landmarks_[:, [0, 2]])


def test_landmarks_are_drawn_over_grey_rows(ax, model, rows):
    plot.landmarks(model, rows, ax=ax)
    assert ax.collections[0].get_zorder() > ax.images[0].get_zorder()
    cells = image(ax)
    assert np.ptp(cells[cells[..., 3] > 0][:, :3], axis=1).max() < 0.1


def test_the_gap_after_the_last_eigenvalue_used_is_marked(ax, model):
    plot.eigenvalues(model, ax=ax)
    unused, used = (np.asarray(each.get_offsets()) for each in ax.collections)
    np.testing.assert_allclose(used[:, 1], model.eigenvalues_[:K])
    np.testing.assert_allclose(unused[:, 1], model.eigenvalues_[K:])
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    np.testing.assert_allclose(sorted([band.y0, band.y1]), model.eigenvalues_[K - 1 : K + 1], atol=1e-12)
    assert ax.texts[0].get_text().startswith(f"gap after k = {K}")


def test_a_number_of_clusters_that_was_found_is_drawn_as_if_it_were_given(rows):
    fitted = DnCSC("auto", n_landmarks=100, random_state=0).fit(rows)
    drawn = plot.clusters(fitted, rows, ax=Figure().subplots())
    assert len(drawn.get_legend_handles_labels()[1]) == fitted.n_clusters_ == K
    curve = plot.eigenvalues(fitted, ax=Figure().subplots())
    assert curve.texts[0].get_text().startswith(f"gap after k = {K}")


def test_no_gap_is_marked_where_no_eigenvalue_follows(ax):
    fitted = DnCSC(2, n_landmarks=2, random_state=0).fit([[0.0, 0.0], [1.0, 1.0]])
    assert len(fitted.eigenvalues_) == 2
    plot.eigenvalues(fitted, ax=ax)
    assert not ax.patches
    assert not ax.texts


def test_phases_show_seconds_and_nanoseconds_a_row(ax):
    fitted = DnCSC(2)
    fitted.timings_, fitted.cluster_sizes_ = {"select": 1.5, "nearest": 0.25}, np.array([400_000, 600_000])
    plot.phases(fitted, ax=ax)
    picture(ax)
    assert [bar.get_width() for bar in ax.patches] == [1.5, 0.25]
    assert [text.get_text() for text in ax.texts] == ["1.500 s   1,500 ns a row", "0.250 s   250 ns a row"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["select", "nearest"]
    top, bottom = (bar.get_window_extent().y0 for bar in ax.patches)
    assert top > bottom


def test_phase_texts_stay_within_the_axes(ax, model):
    plot.phases(model, ax=ax)
    picture(ax)
    assert all(text.get_window_extent().x1 <= ax.get_window_extent().x1 for text in ax.texts)


FIGURES = {
    "clusters": lambda model, X, **where: plot.clusters(model, X, **where),
    "landmarks": lambda model, X, **where: plot.landmarks(model, X, **where),
    "eigenvalues": lambda model, X, **where: plot.eigenvalues(model, **where),
    "phases": lambda model, X, **where: plot.phases(model, **where),
}


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_current_axes_are_drawn_on_unless_some_are_given(figure, model, rows, pyplot):
    _, (given, current) = pyplot.subplots(2)
    assert figure(model, rows, ax=given) is given
    assert not current.has_data()
    assert figure(model, rows) is current
    assert current.has_data()


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_an_unfitted_model_is_refused(figure, rows, ax):
    with pytest.raises(NotFittedError):
        figure(DnCSC(2), rows, ax=ax)


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_without_matplotlib_the_error_says_what_to_install(figure, model, rows, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'pip install "dncsc\[plot\]"'):
        figure(model, rows)


@pytest.mark.parametrize("aspect", ["auto", 1.0])
def test_axes_keep_their_aspect(ax, model, rows, aspect):
    ax.set_aspect(aspect)
    plot.clusters(model, rows, ax=ax)
    assert ax.get_aspect() == aspect


@pytest.mark.parametrize("value", [0.0, -7.0, 1e200])
@pytest.mark.parametrize("n", [100, 20_000])
def test_constant_features_can_be_drawn(value, n):
    ax = plot.clusters(Split(np.zeros(n, int)), np.full((n, 2), value), ax=Figure().subplots())
    assert np.ptp(picture(ax)) > 0


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ((0, 3), "there is no feature 3; X has 3, numbered from 0"),
        ((0, -1), "there is no feature -1"),
        (("east", "down"), "there is no feature 'down'; the model knows east, north, up"),
        ((0,), "features must be two features; got 1"),
        ("east", "features must be two features or \"embedding\"; got 'east'"),
    ],
)
def test_features_that_are_not_there_are_named(named_model, rows, ax, features, message):
    with pytest.raises(ValueError, match=message):
        plot.clusters(named_model, pd.DataFrame(rows, columns=["east", "north", "up"]), features=features, ax=ax)


def test_rows_that_are_not_finite_are_refused(model, rows, ax):
    broken = rows.copy()
    broken[7, 1] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        plot.clusters(model, broken, ax=ax)


def test_one_coordinate_is_not_drawn_as_two(ax):
    fitted = DnCSC(1, n_landmarks=10, random_state=0).fit(np.arange(100.0)[:, None])
    with pytest.raises(ValueError, match="one coordinate"):
        plot.clusters(fitted, np.arange(100.0)[:, None], features="embedding", ax=ax)


@pytest.fixture(scope="module")
def many_clusters() -> tuple[DnCSC, np.ndarray]:
    """A model of more clusters than are found by eigenvectors, and its rows."""
    X = np.random.default_rng(0).normal(size=(1500, 2))
    return DnCSC(100, random_state=0).fit(X), X


def test_many_clusters_and_their_landmarks_are_drawn(many_clusters, ax):
    fitted, X = many_clusters
    plot.clusters(fitted, X, ax=ax)
    plot.landmarks(fitted, ax=ax)
    plot.phases(fitted, ax=Figure().subplots())
    assert len(ax.get_legend_handles_labels()[1]) == 101


def test_a_spectrum_that_a_model_does_not_have_is_not_drawn(many_clusters, ax):
    fitted, X = many_clusters
    for each in (fitted, LloydKMeans(3, random_state=0).fit(X)):
        with pytest.raises(ValueError, match="the model has no eigenvalues to draw"):
            plot.eigenvalues(each, ax=ax)
    with pytest.raises(ValueError, match=r"the model has no spectral embedding.*: give two features"):
        plot.clusters(fitted, X, features="embedding", ax=ax)
    assert not ax.has_data()


# Machado, Oliveira and Fernandes, 2009: what full protanopia, deuteranopia and tritanopia do to linear RGB.
EYES = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def lab(colours: np.ndarray, eye: np.ndarray) -> np.ndarray:
    """CIELAB of sRGB colours as an eye sees them."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
    xyz = np.clip(linear @ np.transpose(eye), 0, 1) @ np.transpose(to_xyz) / [0.95047, 1, 1.08883]
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@pytest.mark.parametrize("eye", EYES)
def test_twelve_colours_stay_apart_for_the_colour_blind(eye):
    seen = lab(np.concatenate([plot.palette(12), [[1.0, 1.0, 1.0]]]), EYES[eye])  # and from white paper
    apart = np.linalg.norm(seen[:, None] - seen, axis=2) + 1e9 * np.eye(len(seen))
    assert apart.min() > 17


@pytest.mark.parametrize(("n", "least"), [(20, 16), (40, 9), (60, 8)])
def test_dozens_of_colours_can_be_told_apart(n, least):
    seen = lab(plot.palette(n), EYES["normal"])
    assert (np.linalg.norm(seen[:, None] - seen, axis=2) + 1e9 * np.eye(n)).min() > least


@pytest.mark.parametrize("n", [1, 12, 13, 100, 1000])
def test_many_clusters_have_different_colours_that_show_on_white(n):
    colours = plot.palette(n)
    assert colours.shape == (n, 3)
    assert colours.min() >= 0
    assert len(np.unique(np.round(255 * colours, 2), axis=0)) == n
    assert lab(colours, EYES["normal"])[:, 0].max() < 85
