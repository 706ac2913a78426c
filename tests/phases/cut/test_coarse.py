"""A coarser cut is taken where the fine one tells categories apart, and nowhere else."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dncsc import DnCSC, TableEncoder, UnclearClustersWarning, metrics, open_rows
from dncsc.bench.shapes import SHAPES
from dncsc.phases.cut.coarse import beyond_categories
from dncsc.phases.cut.coarse_graph import coarse_graph
from dncsc.phases.cut.eigenpairs import Wanted
from dncsc.phases.cut.outliers import join_lightest
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Spectrum

FINE_ALONE = CutPolicy(told=2.0, told_mostly=2.0, looked_at_features=0)


class WithPolicy(DnCSC):
    """DnCSC by another policy."""

    policy = FINE_ALONE

    def _run(self, engine, parameters, checkpoint=None):
        return super()._run(engine, replace(parameters, asked=replace(parameters.asked, policy=self.policy)))


def groups(n, k, d, seed, missing=0.0, categories=()):
    """Groups four deviations apart; missing numbers filled by the mean, and one-hot categories that say nothing."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((k, d))
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(k, 1)]
    y = random.integers(k, size=n)
    X = (centres * 4 / apart.min())[y] + random.standard_normal((n, d))
    gaps = random.random(X.shape) < missing
    X = np.where(gaps, np.broadcast_to(X.mean(axis=0), X.shape), X)
    parts = [(X - X.mean(axis=0)) / X.std(axis=0)]
    parts += [np.eye(v)[random.integers(v, size=n)] for v in categories]
    return np.concatenate(parts, axis=1), y


TABLES = {
    "600 rows, a category of 3 values, 3 % filled in": groups(600, 4, 5, 3, 0.03, (3,)),
    "categories of 4 and 5 values": groups(6000, 4, 5, 0, categories=(4, 5)),
    "categories of 12 and 20 values, 1 % filled in": groups(6000, 4, 4, 0, 0.01, (12, 20)),
    "2,000 rows, categories of 3 and 4 values, 5 % filled in": groups(2000, 4, 4, 1, 0.05, (3, 4)),
}


@pytest.mark.filterwarnings("ignore:Categories, or values filled in")
@pytest.mark.parametrize("name", TABLES)
def test_groups_are_found_in_tables_that_the_fine_graph_tears(name):
    X, y = TABLES[name]
    k = y.max() + 1
    assert metrics.ari(y, DnCSC(k, random_state=0).fit(X).labels_) > 0.85
    assert metrics.ari(y, WithPolicy(k, random_state=0).fit(X).labels_) < 0.7


@pytest.mark.parametrize(("n", "seed"), [(1_500, 6), (6_000, 1)])
def test_cells_of_a_boolean_are_no_clusters(n, seed):
    """A coarser graph sees them clearly, too, and positions see nothing of them."""
    random = np.random.default_rng(seed)
    y = random.integers(3, size=n)
    numbers = np.array([[0, 6], [5, 0], [10, 12]])[y] + random.standard_normal((2, n)).T
    table = pd.DataFrame(numbers, columns=["a", "b"]).assign(member=random.random(n) < 0.5)
    with pytest.warns(UnclearClustersWarning, match="were divided by position instead"):
        model = DnCSC(3, random_state=0).fit(TableEncoder().fit_transform(table))
    assert metrics.ari(y, model.labels_) > 0.95


def customers(seed):
    """Four groups apart by five numbers, some of which are missing, and two categories that say nothing."""
    random, n = np.random.default_rng(seed), 3_000
    y = random.integers(4, size=n)
    means = {"price": [3, 9, 15, 40], "size": [12, 15, 19, 14], "revenue": [1, 5, 2, 8], "rate": [2, 10, 5, 20]}
    widths = {"price": 0.9, "size": 0.5, "revenue": 0.4, "rate": 0.6}
    table = {name: np.array(of)[y] + random.normal(0, widths[name], n) for name, of in means.items()}
    table["visits"] = random.poisson(np.array([3, 9, 20, 6])[y])
    table |= {"region": random.choice(["N", "S", "E", "W"], n), "plan": random.choice(["a", "b", "c"], n)}
    frame = pd.DataFrame(table)
    for name in ("price", "size", "revenue", "region"):
        frame.loc[random.random(n) < 0.04, name] = None
    return frame, y


@pytest.mark.parametrize("seed", [4, 5, 7])
def test_parts_of_values_filled_in_are_not_joined_by_chance(seed):
    frame, y = customers(seed)
    X = TableEncoder(scale="robust").fit_transform(frame)
    assert min(metrics.ari(y, DnCSC(4, random_state=state).fit(X).labels_) for state in range(4)) > 0.9


def test_a_coarser_cut_is_the_same_for_any_threads_and_files_and_for_new_rows(tmp_path):
    X = TABLES["categories of 4 and 5 values"][0]
    np.save(tmp_path / "rows.npy", X)
    model = DnCSC(4, random_state=0, n_jobs=1).fit(X)
    assert model.diagnosis_.is_coarse
    assert (DnCSC(4, random_state=0, n_jobs=2).fit(open_rows(tmp_path / "rows.npy")).labels_ == model.labels_).all()
    assert (model.predict(X) == model.labels_).all()


@pytest.mark.parametrize("name", ["moons", "circles", "spirals", "lines", "linked-rings-3d", "pairs-8d"])
def test_shapes_are_cut_as_fine_as_they_are(name):
    """A line that fell into two parts is joined, as it is clear which belong together."""
    X, y = SHAPES[name](2000)
    k = len(np.unique(y))
    labels = DnCSC(k, random_state=0).fit(X).labels_
    assert (labels == WithPolicy(k, random_state=0).fit(X).labels_).all()
    assert metrics.ari(y, labels) > 0.95


def spectrum_of(eigenvalues, **more):
    values = np.array(eigenvalues)
    return Spectrum(values, np.zeros((600, 2)), np.zeros(600, np.int32), 1, values[2] / values[1], **more)


@pytest.mark.parametrize(
    ("fine", "is_clear"),
    [
        (spectrum_of([0, 1e-3, 6e-3]), True),
        (spectrum_of([0, 1e-3, 4e-3]), False),
        (spectrum_of([0, 1e-7, 2e-6]), False),
        (spectrum_of([0, 1e-8, 2e-6]), True),
        (spectrum_of([0, 1, 2.5], is_joined=True), True),
        (spectrum_of([0, 1, 1.5], is_joined=True), False),
    ],
)
def test_a_gap_is_clear_from_five_on_of_parts_that_hardly_touch_from_fifty_on(fine, is_clear):
    assert fine.is_clear(2, CutPolicy()) == is_clear


def test_a_category_that_clusters_have_as_their_own_is_no_reason_for_a_warning():
    random = np.random.default_rng(0)
    group, place = random.integers(3, size=3000), np.array([[-1.2, -0.9], [0.0, 1.4], [1.3, -0.4]])
    numbers = place[group] + random.normal(0, 0.25, (3000, 2))
    numbers[random.choice(3000, 90, replace=False), 1] = -0.4  # filled in
    city, plan = random.integers(4, size=3000), np.array([0, 1, 0])[group]
    model = DnCSC(3, random_state=0).fit(np.hstack([numbers, 0.5 * np.eye(4)[city], 0.5 * np.eye(2)[plan]]))
    assert not model.diagnosis_.is_doubtful
    assert metrics.nmi(group, model.labels_) > 0.95


def test_where_the_coarser_graph_tells_categories_too_rows_are_divided_by_position():
    X, y = groups(2000, 6, 4, 1, 0.05, (3, 4))
    with pytest.warns(UnclearClustersWarning, match="rows were divided by position instead"):
        model = DnCSC(6, random_state=0).fit(X)
    assert model.diagnosis_.is_by_position
    assert metrics.ari(y, WithPolicy(6, random_state=0).fit(X).labels_) < 0.1
    assert metrics.ari(y, model.labels_) > 0.85
    assert (model.predict(X) == model.labels_).all()


@pytest.mark.parametrize("categories", [(4, 5), (3, 3)])
def test_where_one_hot_features_are_scaled_rows_are_divided_by_position_with_a_warning(categories):
    """Rare values weigh more than all numbers then: no graph sees beyond cells."""
    X, y = groups(2000, 4, 8, 0, categories=categories)
    X /= X.std(axis=0)
    with pytest.warns(UnclearClustersWarning, match="rows were divided by position instead"):
        model = DnCSC(4, random_state=0).fit(X)
    assert model.diagnosis_.is_by_position
    assert metrics.ari(y, model.labels_) > metrics.ari(y, WithPolicy(4, random_state=0).fit(X).labels_) + 0.3


def cells(n_landmarks, random):
    """Landmarks in two cells of a category, and coordinates that tell these apart."""
    own = np.arange(n_landmarks) % 2
    places = np.column_stack([own, random.standard_normal((n_landmarks, 2))])
    return places, replace(spectrum_of([0, 1e-3, 1.1e-3]), coordinates=np.eye(2)[own])


@pytest.mark.parametrize(("n_landmarks", "is_tried"), [(49, False), (50, True)])
def test_a_coarser_graph_has_a_fifth_of_the_landmarks_and_five_a_cluster(n_landmarks, is_tried):
    random = np.random.default_rng(0)
    places, fine = cells(n_landmarks, random)
    places[:, 1] += 20 * (np.arange(n_landmarks) % 4 < 2)
    policy = CutPolicy(least_common=5)
    found = beyond_categories(fine, places, np.ones(n_landmarks), Wanted(2, policy=policy), 5, random)
    assert (found.spectrum is not fine) == is_tried


def test_landmarks_without_rows_have_no_part_in_a_coarser_graph():
    random = np.random.default_rng(0)
    places, mass = random.standard_normal((300, 3)), random.integers(1, 5, 300).astype(float)
    centres, wanted = places[:50], Wanted(3, drops_outliers=True)
    one = coarse_graph(places, mass, centres, 5).spectrum(wanted)
    more = np.concatenate([places, random.standard_normal((40, 3))])
    other = coarse_graph(more, np.append(mass, np.zeros(40)), centres, 5).spectrum(wanted)
    np.testing.assert_allclose(one.eigenvalues, other.eigenvalues, atol=1e-12)
    np.testing.assert_allclose(one.coordinates, other.coordinates[:300], atol=1e-9)


def test_joining_is_as_clear_as_the_next_component_is_farther_than_the_nearest():
    places = np.array([[0.0], [1.0], [4.0], [12.0]])
    joined = join_lightest(np.arange(4), places, np.array([3.0, 1.0, 4.0, 5.0]), 3)
    assert joined.component.tolist() == [0, 0, 1, 2]
    assert joined.clearness == 3.0
    assert join_lightest(np.arange(4), places, np.ones(4), 4).clearness == np.inf
