"""What a cut tells of values that many landmarks share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from dncsc.phases.cut.categories import FEATURES, common_values, share_explained
from dncsc.phases.cut.policy import CutPolicy


def landmarks_of(random, p, d):
    """Numbers, of which some features have a value that some landmarks share, but for rounding."""
    places = random.standard_normal((p, d))
    for j in range(0, d, 2):
        is_common = random.random(p) < random.random()
        places[is_common, j] = 0.3 * (1 + 1e-7 * random.standard_normal(np.count_nonzero(is_common)))
    return places


@given(seed=st.integers(0, 10**6), p=st.integers(12, 150), d=st.integers(1, 9))
def test_common_values_are_those_of_the_twin(seed, p, d):
    random = np.random.default_rng(seed)
    places, mass = landmarks_of(random, p, d), random.integers(1, 9, p).astype(float)
    assert (common_values(places, mass, CutPolicy()).indicators == naive.common_values(places, mass)).all()


@given(seed=st.integers(0, 10**6), k=st.integers(1, 6), are_dependent=st.booleans())
def test_shares_explained_are_those_of_least_squares(seed, k, are_dependent):
    random = np.random.default_rng(seed)
    coordinates = random.standard_normal((80, k))
    if are_dependent:
        coordinates = np.column_stack([coordinates, coordinates.sum(axis=1)])
    common, mass = np.eye(3)[random.integers(3, size=80)], random.integers(1, 9, 80).astype(float)
    found = share_explained(common, mass, coordinates)
    np.testing.assert_allclose(found, naive.share_explained(common, mass, coordinates), atol=1e-8)


def test_coordinates_that_are_the_category_explain_all_of_it_and_others_nothing():
    category, other = np.arange(200) % 2, np.arange(200) // 2 % 2
    common, _ = common_values(category[:, None].astype(float), np.ones(200), CutPolicy())
    assert share_explained(common, np.ones(200), np.eye(2)[category]) == pytest.approx(1)
    assert share_explained(common, np.ones(200), np.eye(2)[other]) == pytest.approx(0)


def test_a_cut_by_a_few_of_many_cells_is_told():
    first, second = np.arange(1000) % 4, np.arange(1000) // 4 % 5
    places = np.hstack([np.eye(4)[first], np.eye(5)[second]])
    some_cells = np.eye(20)[4 * second + first][:, [0, 5, 10]]
    common, n_values = common_values(places, np.ones(1000), CutPolicy())
    explained = share_explained(common, np.ones(1000), some_cells)
    assert n_values == 9
    assert explained[:n_values].max() < 0.3  # of any category
    assert explained.max() == pytest.approx(1)


def test_landmarks_without_rows_share_nothing():
    places = np.concatenate([np.zeros((50, 1)), np.linspace(1, 2, 150)[:, None]])
    mass = np.ones(200)
    assert common_values(places, mass, CutPolicy()).indicators.shape == (200, 3)  # a value, who has it and who has not
    mass[:50] = 0
    assert common_values(places, mass, CutPolicy()).indicators.shape == (200, 0)


def test_features_are_looked_at_part_by_part():
    random = np.random.default_rng(0)
    places = landmarks_of(random, 100, FEATURES + 7)
    assert (
        common_values(places, np.ones(100), CutPolicy()).indicators == naive.common_values(places, np.ones(100))
    ).all()
