"""The similarity of landmarks, added up row by row."""

from __future__ import annotations

from itertools import starmap

import numpy as np
import pytest

import naive
from dncsc.kernels.gram import EMPTY, add_rows_dense, add_rows_sparse, entries_of_dense, entries_of_table

precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def gram(nearest, transition, mass, p, width):
    """Upper triangle that the kernels give, with tables of some width or, for None, a dense array; in two blocks."""
    square, upper = np.zeros((p, p)), np.zeros((p, p))
    tables = [empty_table(p, width or 1)]
    for part in (slice(0, len(nearest) // 3), slice(len(nearest) // 3, None)):
        links = nearest[part], transition[part], mass[part]
        if width is None:
            add_rows_dense(*links, square)
            continue
        begin = 0
        while (begin := add_rows_sparse(*links, begin, *tables[-1])) < len(links[0]):
            tables.append(empty_table(p, 2 * tables[-1][0].shape[1]))
    for start, column, value in [entries_of_dense(square)] if width is None else starmap(entries_of_table, tables):
        line = np.repeat(np.arange(p), np.diff(start))
        np.add.at(upper, (np.minimum(line, column), np.maximum(line, column)), value)
    return upper


def empty_table(p, width):
    return np.full((p, width), EMPTY, np.int32), np.zeros((p, width)), np.zeros(p, np.int32)


@precisions
@pytest.mark.parametrize("width", [None, 1, 32, 256])
@pytest.mark.parametrize(
    ("n", "p", "n_nearest"),
    [(1000, 40, 5), (513, 300, 5), (65, 40, 1), (7, 9, 9), (100, 1, 1), (300, 200, 150), (1, 3, 2)],
)
def test_similarity_of_landmarks_is_the_sum_over_rows(some_links, n, p, n_nearest, width, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, n, p, n_nearest, dtype)
    degree, weight = random.random(n) + 0.1, random.integers(0, 3, n)
    weights = naive.dense(nearest, transition * degree[:, None], p)
    upper = gram(nearest, transition, weight * degree, p, width)
    np.testing.assert_array_equal(upper, np.triu(upper))
    twin = np.triu(naive.landmark_similarity(weights, weight))
    np.testing.assert_allclose(upper, twin, rtol=1e-10 if dtype == np.float64 else 1e-5, atol=1e-300)


@pytest.mark.parametrize("width", [None, 4])
def test_landmarks_without_rows_have_no_similarity(width):
    nearest = np.array([[5, 2], [2, 5], [5, 9]], np.int32)
    upper = gram(nearest, np.full((3, 2), 0.5), np.ones(3), 12, width)
    assert {(i, j) for i, j in zip(*np.nonzero(upper), strict=True)} == {(2, 2), (2, 5), (5, 5), (5, 9), (9, 9)}
