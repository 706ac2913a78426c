"""Landmarks by divide and conquer (Section 3.1 of the paper)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import generator
from dncsc.phases.kmeans import kmeans_in_groups
from dncsc.phases.select.division import AllRows, Rows, SomeRows
from dncsc.phases.select.few_directions import draw_projected, few_directions
from dncsc.phases.select.tree import Level, Selection, Tree, assign, divide
from dncsc.phases.settings import Settings
from dncsc.phases.shared_sample import rows_that_tell, shared_rows

LLOYD_ITERATIONS = 10
"""of the k-means inside the selection"""

SMALLER_RATE_ROWS = 100_000
"""From here on the paper divides into fewer parts at a time."""

ROWS_A_PART = 150
"""Rows that k-means sees for each part at most: more would not move its centre, and p' alone is meant for p parts."""

MOST_DISTANCES = 25_000_000
"""between rows and landmarks: where there are no more, each row is looked at once more, with all landmarks"""

LSC_ITERATIONS = 5
"""of the k-means that selects the landmarks of LSC-K"""


def usual_rate(n_rows: int, n_clusters: int) -> int:
    """Parts that rows are divided into at a time, alpha, where nobody says how many.

    With fewer parts than clusters, the first parts divide clusters: of 200 groups in 384 features 40 % are found, and
    with 200 parts 99 %.
    """
    return 200 if n_rows < SMALLER_RATE_ROWS else min(max(50, n_clusters), 200)


def divide_and_conquer(engine: Engine, settings: Settings) -> Selection:
    """Divide the rows into at most alpha subsets, those again, and so on until there are p; landmarks are their means.

    Subsets are divided by light-k-means: k-means sees p' of their rows, and the others go to the nearest centre. Of few
    rows, each goes to the nearest landmark of all in the end, which may lie in another subset than its own. Of many,
    some tell for all: nothing goes over the others until they are labelled. Where few directions tell near rows of many
    features apart, some are divided as these show them, and landmarks are means of all rows that fall into their parts.

    Returns
    -------
    Selection
        With fewer than p landmarks where the rows have fewer distinct values.
    """
    wanted = rows_that_tell(engine, settings, settings.n_landmarks)
    if wanted is not None:
        selection = _divide_until_p(SomeRows(engine, shared_rows(engine, settings, wanted)), settings)
        engine.register(selection.columns)
        return selection
    if settings.n_counted * settings.n_landmarks > MOST_DISTANCES:
        n_drawn = _sample_size(settings, np.array(_first_parts(settings, settings.n_counted))).item()
        directions = few_directions(engine, settings, n_drawn)
        if directions is not None:
            return _divide_in_directions(engine, settings, directions)
    return _settle(engine, settings, _divide_until_p(AllRows(engine, settings), settings))


def divide_and_conquer_fully(engine: Engine, settings: Settings) -> Selection:
    """The same with k-means on all rows of each subset: light-k-means is only its start."""
    return _settle(engine, settings, _divide_until_p(AllRows(engine, settings, LLOYD_ITERATIONS), settings))


def k_means_of_all_rows(engine: Engine, settings: Settings) -> Selection:
    """No division: p centres by k-means on all rows, five iterations as in LSC-K."""
    undivided = replace(settings, selection_rate=settings.n_landmarks)
    return _divide_until_p(AllRows(engine, undivided, LSC_ITERATIONS), undivided)


def _divide_until_p(rows: Rows, settings: Settings) -> Selection:
    levels: list[Level] = []
    centres = np.zeros((1, rows.n_features), rows.engine.frame.dtype)
    count = np.array([rows.n_rows])
    parts = np.array([_first_parts(settings, rows.n_rows)])
    alike = np.array([False])  # subsets that could not be divided, since all rows that were looked at are alike
    while True:
        level, subsets = rows.divide(_divide_subsets(rows, settings, len(levels), centres, count, parts))
        levels.append(level)
        centres, count = level.centres, subsets.n_rows
        residual = subsets.residual_around_means(centres)
        grown = np.diff(level.first)
        alike = np.repeat(alike | ((grown == 1) & (parts > 1)), grown)
        share = np.where(alike, 0, even_share(residual, rows.n_features))
        most = np.minimum(settings.selection_rate, count // rows.least_a_part)
        parts = allocate(share, most, settings.n_landmarks)
        if not np.any(parts > 1):
            return Selection(rows.centred(subsets.means(centres)), Tree(tuple(levels)))


def _divide_in_directions(engine: Engine, settings: Settings, directions: np.ndarray) -> Selection:
    """Divide some rows as directions show them, and all rows by that."""
    places = SomeRows(engine, draw_projected(engine, settings, directions), least_a_part=1, are_projected=True)
    selection = _divide_until_p(places, settings)
    tree = replace(selection.tree, directions=directions)
    subsets = assign(engine, tree)
    has_rows = subsets.mass[:, None] > 0
    sums = np.where(has_rows, subsets.sums, selection.landmarks @ directions)
    means = sums / np.where(has_rows, subsets.mass[:, None], 1)
    return Selection(engine.frame.restore_length(means.astype(engine.frame.dtype)), tree)


def _settle(engine: Engine, settings: Settings, selection: Selection) -> Selection:
    """Means of the rows nearest to each landmark, where that does not take long: borders of subsets leave no trace."""
    if settings.n_counted * len(selection.landmarks) > MOST_DISTANCES:
        return selection
    level = Level.flat(selection.landmarks)
    means = divide(engine, level).means(level.centres)
    return Selection(engine.frame.restore_length(means), Tree((level,)))


def even_share(residual: np.ndarray, n_features: int) -> np.ndarray:
    """What parts are given in proportion to: the residual sum of squares to the power d / (d + 2).

    Of subsets of equal density, one of twice the volume has twice the rows and 2^(2/d) times the variance, and should
    get twice the parts: in proportion to the residual itself, as in equation 12, it would get 2^(1 + 2/d) times as
    many, and landmarks would lie closer in large subsets than in small ones.
    """
    largest = residual.max(initial=0.0)
    return (residual / largest if largest > 0 else residual) ** (n_features / (n_features + 2))


def allocate(share: np.ndarray, most: np.ndarray, total: int) -> np.ndarray:
    """Into how many parts each subset goes: in proportion to its share (equation 12).

    What a subset may not take because of its bound goes to the others, so that p is reached in the first round in
    which the bounds allow it; every round is a pass over all rows.

    Parameters
    ----------
    share : float64 (c,)
    most : int (c,)
        Upper bound of each subset: alpha, or its rows where those are fewer.
    total : int
        p: the sum over all subsets is exactly this, or less where the bounds demand it.

    Returns
    -------
    parts : int64 (c,)
        At least 1 each; 1 where there is nothing to divide.
    """
    more = np.where(share > 0, most - 1, 0).clip(min=0)
    spare = total - len(share)
    if spare <= 0 or more.sum() <= spare:
        return 1 + (more if spare > 0 else np.zeros_like(more))
    relative = share / share.max()
    with np.errstate(over="ignore"):
        low, high = 0.0, min(total / relative[relative > 0].min(), 1e307)
    while high - low > 1e-13 * high:  # bisection for the size of a whole share; the sum grows with it
        middle = (low + high) / 2
        low, high = (low, middle) if np.clip(relative * middle - 1, 0, more).sum() > spare else (middle, high)
    exact = np.clip(relative * low - 1, 0, more)
    whole = np.floor(exact).astype(np.int64)
    by_remainder = np.argsort(whole - exact, kind="stable")
    room = by_remainder[(whole < more)[by_remainder]]
    whole[room[: spare - whole.sum()]] += 1
    return 1 + whole


def _divide_subsets(
    rows: Rows, settings: Settings, round_: int, centres: np.ndarray, count: np.ndarray, parts: np.ndarray
) -> Level:
    """Light-k-means in every subset that is to be divided; the others keep their centre."""
    wanted = _sample_size(settings, parts)
    if round_ > 0:
        wanted[parts == 1] = 0
    centres_of = [centres[i : i + 1] for i in range(len(parts))]
    for subsets, drawn in rows.draw(round_, wanted, count):
        random = [generator(settings.seed, "select", round_, i) for i in subsets.tolist()]
        sample = drawn.values[0], drawn.weight, drawn.first
        found = kmeans_in_groups(*sample, parts[subsets].tolist(), random, LLOYD_ITERATIONS, each=rows.engine.each)
        for i, each in zip(subsets.tolist(), found, strict=True):
            centres_of[i] = each.centres
    first = np.cumsum([0, *map(len, centres_of)]).astype(np.int32)
    return Level(rows.centred(np.concatenate(centres_of)), first)


def _first_parts(settings: Settings, n_rows: int) -> int:
    """Parts of the first round."""
    return min(settings.n_landmarks, settings.selection_rate, n_rows)


def _sample_size(settings: Settings, parts: np.ndarray) -> np.ndarray:
    """Rows that k-means sees to divide subsets into so many parts."""
    return np.asarray(np.minimum(settings.sample_size, ROWS_A_PART * parts))
