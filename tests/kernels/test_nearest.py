"""Nearest centres and nearest landmarks: each kernel finds what its naive twin finds, whatever block a row stands in.

Integer coordinates make every sum exact in both precisions and give many equal distances: there the twins agree to
the bit, ties included. Gaussian coordinates check the rounding.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import naive
from dncsc.kernels.across_rows import nearest_across_rows, search_across_rows
from dncsc.kernels.along_features import (
    nearest_along_features,
    search_along_features,
    search_shortlist,
)
from dncsc.kernels.grouping import group_rows
from dncsc.kernels.nearest import nearest_centres, search_all, search_candidates
from dncsc.kernels.pruned_search import search_pruned
from dncsc.phases.search import CandidateSearch, ExactSearch

BLOCKS = (1, 7, 63, 64, 65, 511, 513, 1000)
ROUNDING = {np.float32: 1e-4, np.float64: 1e-11}

features = pytest.mark.parametrize("d", [1, 2, 3, 16, 257])
on_both_sides = pytest.mark.parametrize("d", [1, 2, 3, 15, 16, 63, 64, 257])  # of where other kernels take over
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])
groupings = pytest.mark.parametrize("sizes", [(50,), (3, 1, 17, 8)], ids=["one group", "several groups"])


def grid(random, n, d, dtype):
    """Points on few places, many of them the same."""
    return random.integers(0, 4, (n, d)).astype(dtype)


def cloud(random, n, d, dtype):
    return random.standard_normal((n, d)).astype(dtype)


def some_groups(random, n, sizes):
    """A group for each row, and where the centres of each group begin."""
    group = random.integers(0, len(sizes), n).astype(np.int32)
    return group, np.cumsum([0, *sizes]).astype(np.int32)


def tables(landmarks, count):
    """Candidates of each landmark and the distances at which a search may end, with the margin that phases leave."""
    order, distance = naive.candidates(landmarks, min(count + 1, len(landmarks)))
    reach = distance.astype(landmarks.dtype)
    reach *= landmarks.dtype.type(1 - 4 * (landmarks.shape[1] + 8) * np.finfo(landmarks.dtype).eps)
    horizon = reach[:, count] if count < len(landmarks) else np.full(len(landmarks), np.inf)
    return order[:, :count].astype(np.int32), np.ascontiguousarray(reach[:, :count]), horizon


def check_same(found, twin, dtype):
    """The same indices and, to the bit, the same squared distances."""
    assert (found[0].dtype, found[1].dtype) == (np.int32, dtype)
    for array, expected in zip(found, twin, strict=True):
        np.testing.assert_array_equal(array, expected[: len(array)])


def check_close(found, twin):
    """The same squared distances up to rounding; in float64, where rounding cannot swap two, the same indices."""
    dtype = found[1].dtype.type
    np.testing.assert_allclose(found[1], twin[1], rtol=ROUNDING[dtype])
    if dtype == np.float64:
        np.testing.assert_array_equal(found[0], twin[0])


# Centres of the row's group


@precisions
@features
@groupings
def test_a_row_goes_to_the_first_of_the_nearest_centres_of_its_group(d, dtype, sizes):
    random = np.random.default_rng(0)
    group, first = some_groups(random, 1000, sizes)
    rows, centres = grid(random, 1000, d, dtype), grid(random, sum(sizes), d, dtype)
    twin = naive.nearest_centres(rows, group, centres, first)
    for n in BLOCKS:
        check_same(nearest_centres(rows[:n], group[:n], centres, first), twin, dtype)


@precisions
@features
@groupings
def test_distances_to_centres_are_right_to_rounding(d, dtype, sizes):
    random = np.random.default_rng(0)
    group, first = some_groups(random, 1000, sizes)
    rows, centres = cloud(random, 1000, d, dtype), cloud(random, sum(sizes), d, dtype)
    found = nearest_centres(rows, group, centres, first)
    check_close(found, naive.nearest_centres(rows, group, centres, first))
    assert np.all((first[group] <= found[0]) & (found[0] < first[group + 1]))


@features
def test_a_group_without_rows_changes_nothing(d):
    random = np.random.default_rng(0)
    rows, centres = cloud(random, 100, d, np.float64), cloud(random, 12, d, np.float64)
    second = np.full(100, 1, np.int32)
    index, squared = nearest_centres(rows, second, centres, np.array([0, 4, 9, 12], np.int32))
    alone, alone_squared = nearest_centres(rows, 0 * second, centres[4:9].copy(), np.array([0, 5], np.int32))
    np.testing.assert_array_equal(index, alone + 4)
    np.testing.assert_allclose(squared, alone_squared, rtol=1e-12)


# Landmarks, among candidates


@precisions
@features
@pytest.mark.parametrize(("p", "count", "n_nearest"), [(40, 12, 5), (40, 40, 5), (40, 12, 1), (9, 9, 9), (1, 1, 1)])
def test_candidates_are_ranked_by_distance_and_then_as_they_stand(d, dtype, p, count, n_nearest):
    random = np.random.default_rng(0)
    rows, landmarks = grid(random, 1000, d, dtype), grid(random, p, d, dtype)
    own = random.integers(0, p, 1000).astype(np.int32)
    candidates, reach, _ = tables(landmarks, count)
    twin = naive.search_candidates(rows, own, landmarks, candidates, n_nearest)
    distance_twin = np.sqrt(np.sum((rows - landmarks[own]) ** 2, axis=1))
    for n in BLOCKS:
        *found, distance = search_candidates(rows[:n], own[:n], landmarks, candidates, reach, n_nearest)
        check_same(found, twin, dtype)
        np.testing.assert_allclose(distance, distance_twin[:n], rtol=ROUNDING[dtype])


@precisions
@features
def test_ending_a_search_early_loses_no_neighbour(d, dtype):
    random = np.random.default_rng(0)
    landmarks = cloud(random, 100, d, dtype)
    own = random.integers(0, 100, 1000).astype(np.int32)
    rows = landmarks[own] + dtype(0.1) * cloud(random, 1000, d, dtype)
    candidates, reach, _ = tables(landmarks, 50)
    found = search_candidates(rows, own, landmarks, candidates, reach, 5)
    patient = search_candidates(rows, own, landmarks, candidates, np.zeros_like(reach), 5)
    for early, late in zip(found, patient, strict=True):
        np.testing.assert_array_equal(early, late)
    check_close(found[:2], naive.search_candidates(rows, own, landmarks, candidates, 5))


@precisions
@features
@pytest.mark.parametrize("apart", [0.0, 100.0], ids=["one cloud", "clouds apart"])
def test_what_is_called_exact_is_what_brute_force_finds(d, dtype, apart):
    random = np.random.default_rng(0)
    places = apart * np.arange(10)[:, None]
    landmarks = (np.repeat(places, 12, axis=0) + random.standard_normal((120, d))).astype(dtype)
    own = random.integers(0, 120, 1000).astype(np.int32)
    rows = landmarks[own] + dtype(0.3) * cloud(random, 1000, d, dtype)
    nearest, squared, exact = CandidateSearch(landmarks, 5, *tables(landmarks, 12)).find(rows, own)
    assert exact.all() if apart else not exact.all()
    twin = naive.search_all(rows, landmarks, 5)
    check_close((nearest[exact], squared[exact]), (twin[0][exact], twin[1][exact]))


@precisions
@features
def test_exact_search_finds_what_brute_force_finds(d, dtype):
    random = np.random.default_rng(0)
    landmarks, rows = cloud(random, 120, d, dtype), cloud(random, 513, d, dtype)
    own = naive.search_all(rows, landmarks, 1)[0][:, 0].astype(np.int32)
    found = ExactSearch(CandidateSearch(landmarks, 5, *tables(landmarks, 8))).find(rows, own)
    assert found.exact.all()
    check_close(found[:2], naive.search_all(rows, landmarks, 5))


# Points, among all


@precisions
@features
@pytest.mark.parametrize(("m", "n_nearest"), [(40, 5), (40, 1), (9, 9), (1, 1)])
def test_all_points_are_ranked_by_distance_and_then_by_number(d, dtype, m, n_nearest):
    random = np.random.default_rng(0)
    rows, points = grid(random, 1000, d, dtype), grid(random, m, d, dtype)
    twin = naive.search_all(rows, points, n_nearest)
    for n in BLOCKS:
        check_same(search_all(rows[:n], points, n_nearest), twin, dtype)


@precisions
@features
def test_distances_to_all_points_are_right_to_rounding(d, dtype):
    random = np.random.default_rng(0)
    rows, points = cloud(random, 513, d, dtype), cloud(random, 300, d, dtype)
    check_close(search_all(rows, points, 7), naive.search_all(rows, points, 7))


@pytest.mark.parametrize("d", [2, 65, 257])
@pytest.mark.parametrize("far", [1.0, 100.0, 1e4])
def test_the_shortlist_leaves_out_no_point_that_would_have_won(d, far):
    """Otherwise the rounding of a matrix product, which differs from block to block, decides a row's neighbours."""
    random = np.random.default_rng(0)
    points = cloud(random, 1, d, np.float32) + np.float32(1e-3) * cloud(random, 100, d, np.float32)
    rows = np.float32(far) * cloud(random, 200, d, np.float32)
    one_by_one = np.hstack([search_all(rows, points[c : c + 1], 1)[1] for c in range(len(points))])
    order = np.argsort(one_by_one, axis=1, kind="stable")[:, :3]
    check_same(search_all(rows, points, 3), (order, np.take_along_axis(one_by_one, order, axis=1)), np.float32)


@precisions
@pytest.mark.parametrize("bad", ["row", "point", "product"])
def test_a_search_sets_its_outputs_where_there_is_no_distance(dtype, bad):
    """Rows are finite and in a frame by then; should that ever fail, no number from nowhere becomes an index."""
    rows, points = np.ones((5, 200), dtype), np.zeros((20, 200), dtype)
    if bad != "product":
        (rows if bad == "row" else points)[:, 3] = np.nan
    products = rows @ points.T + (np.nan if bad == "product" else 0)
    lengths, candidates = (np.ones(5), np.ones(20)), np.tile(np.arange(4, dtype=np.int32), (20, 1))
    nearest, squared = np.full((3, 5, 3), -7, np.int32), np.full((3, 5, 3), -7, dtype)
    search_shortlist(rows, points, products, nearest[0], squared[0])
    search_pruned(rows, points, candidates, products, *lengths, nearest[1], squared[1])
    search_pruned(rows, points, candidates[:, :0].copy(), products, *lengths, nearest[2], squared[2])
    assert (squared == np.inf).all()
    assert ((nearest >= 0) & (nearest < 20)).all()


# A row is on its own


def in_pieces(n):
    """Ways to cut n rows into blocks: row by row, and into odd lengths."""
    yield from ((r, r + 1) for r in range(n))
    cuts = [0, 1, 8, 24, 87, 151, 216, n]
    yield from itertools.pairwise(cuts)


@precisions
@on_both_sides
@groupings
def test_a_row_gets_the_same_centre_in_any_block(d, dtype, sizes):
    random = np.random.default_rng(0)
    group, first = some_groups(random, 700, sizes)
    rows, centres = cloud(random, 700, d, dtype), cloud(random, sum(sizes), d, dtype)
    index, squared = nearest_centres(rows, group, centres, first)
    for start, stop in in_pieces(700):
        part = slice(start, stop)
        found = nearest_centres(rows[part].copy(), group[part].copy(), centres, first)
        np.testing.assert_array_equal(found[0], index[part])
        np.testing.assert_array_equal(found[1], squared[part])


@precisions
@on_both_sides
def test_a_row_gets_the_same_neighbours_in_any_block(d, dtype):
    random = np.random.default_rng(0)
    landmarks, rows = cloud(random, 60, d, dtype), cloud(random, 400, d, dtype)
    own = random.integers(0, 60, 400).astype(np.int32)
    own[:300] = own[0]  # a large group as well as small ones
    candidates, reach, horizon = tables(landmarks, 30)
    search = CandidateSearch(landmarks, 5, candidates, reach, horizon)
    for finder in (search, ExactSearch(search)):
        whole = finder.find(rows, own)
        for start, stop in in_pieces(400):
            for alone, together in zip(
                finder.find(rows[start:stop].copy(), own[start:stop].copy()), whole, strict=True
            ):
                np.testing.assert_array_equal(alone, together[start:stop])


@precisions
@pytest.mark.parametrize("d", [2, 16, 64])
def test_both_ways_to_fill_vector_lanes_agree(d, dtype):
    """Across rows and along features are chosen by speed alone: on exact arithmetic they give the same."""
    random = np.random.default_rng(0)
    rows, landmarks = grid(random, 300, d, dtype), grid(random, 30, d, dtype)
    own = random.integers(0, 30, 300).astype(np.int32)
    first = np.arange(0, 31, dtype=np.int32)
    candidates, reach, _ = tables(landmarks, 20)
    order, start = group_rows(own, 30)
    across = [np.empty(300, np.int32), np.empty(300, dtype)]
    along = [np.empty(300, np.int32), np.empty(300, dtype)]
    nearest_across_rows(rows, order, start, landmarks, first, *across)
    nearest_along_features(rows, own, landmarks, first, *along)
    across += [np.empty((300, 5), np.int32), np.empty((300, 5), dtype), np.empty(300, dtype)]
    along += [np.empty((300, 5), np.int32), np.empty((300, 5), dtype), np.empty(300, dtype)]
    search_across_rows(rows, order, start, landmarks, candidates, reach, *across[2:])
    search_along_features(rows, own, landmarks, candidates, reach, *along[2:])
    for a, b in zip(across, along, strict=True):
        np.testing.assert_array_equal(a, b)
