"""Landmarks that are hubs: rows often found among the nearest neighbours of others (LSC-KH, LSC-RH)."""

from __future__ import annotations

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import generator, stream
from dncsc.kernels.nearest import search_others
from dncsc.phases.kmeans import kmeans
from dncsc.phases.sample import draw_in_groups
from dncsc.phases.select.divide_and_conquer import LLOYD_ITERATIONS
from dncsc.phases.select.sampled import distinct, own_is_nearest, sample
from dncsc.phases.select.tree import SUBSET, Level, Selection, divide
from dncsc.phases.settings import Settings

PARTS = 10
MOST_ROWS_A_PART = 8192
"""Neighbours are found within a part, in time quadratic in its rows: larger parts are represented by a sample."""
BLOCK = 512


def hubs_of_k_means_parts(engine: Engine, settings: Settings) -> Selection:
    """Ten parts by k-means; each gives landmarks in proportion to its rows."""
    drawn = sample(engine, settings, settings.sample_size)
    random = generator(settings.seed, "select")
    means = kmeans(drawn.values[0], drawn.weight, PARTS, random, LLOYD_ITERATIONS, each=engine.each).centres
    size = divide(engine, Level.flat(engine.frame.restore_length(means))).n_rows
    limit = np.full(len(size), MOST_ROWS_A_PART)
    drawn_parts = draw_in_groups(engine, stream(settings.seed, "hubs"), limit, size, SUBSET)
    rows = [part for _, each in drawn_parts for part in np.split(each.values[0], each.first[1:-1])]
    scores = _scores(engine, rows, settings.n_neighbors)
    size = size[size > 0]
    share = np.floor(np.cumsum(size) / size.sum() * settings.n_landmarks + 0.5).astype(int)
    chosen = [
        _draw_by_score(each, score, count, generator(settings.seed, "hubs", i))
        for i, (each, score, count) in enumerate(zip(rows, scores, np.diff(share, prepend=0), strict=True))
    ]
    return own_is_nearest(engine, distinct(np.concatenate(chosen)))


def hubs_of_random_parts(engine: Engine, settings: Settings) -> Selection:
    """Ten random parts; one draw over all of them."""
    rows = sample(engine, settings, PARTS * MOST_ROWS_A_PART).values[0]
    rows = generator(settings.seed, "parts").permutation(rows)
    parts = [part for part in np.array_split(rows, PARTS) if len(part)]
    score = np.concatenate(_scores(engine, parts, settings.n_neighbors))
    chosen = _draw_by_score(rows, score, settings.n_landmarks, generator(settings.seed, "hubs"))
    return own_is_nearest(engine, distinct(chosen))


def _scores(engine: Engine, parts: list[np.ndarray], n_neighbors: int) -> list[np.ndarray]:
    """How often each row is among the K nearest neighbours of the other rows of its part."""
    jobs = [(part, start) for part in parts for start in range(0, len(part), BLOCK)]

    def neighbours(job: tuple[np.ndarray, int]) -> np.ndarray:
        part, start = job
        return search_others(part, start, start + BLOCK, min(n_neighbors, len(part) - 1))[0].ravel()

    found = iter(engine.each(neighbours, jobs))
    by_part = [np.concatenate([next(found) for _ in range(0, len(part), BLOCK)]) for part in parts]
    return [np.bincount(each, minlength=len(part)) for each, part in zip(by_part, parts, strict=True)]


def _draw_by_score(rows: np.ndarray, score: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Rows drawn without replacement, with probability proportional to their score; all hubs where those are fewer."""
    hubs = np.flatnonzero(score)
    if len(hubs) <= count:
        return rows[hubs] if len(hubs) else rows[:count]
    return rows[np.sort(random.choice(hubs, count, replace=False, p=score[hubs] / score.sum()))]
