"""Landmarks from a sample of the rows: at random (LSC-R, Nyström) or by k-means on it (U-SPEC)."""

from __future__ import annotations

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import generator, stream
from dncsc.phases.kmeans import kmeans
from dncsc.phases.sample import Drawn, draw_rows
from dncsc.phases.select.divide_and_conquer import LLOYD_ITERATIONS
from dncsc.phases.select.tree import Level, Selection, Tree, assign
from dncsc.phases.settings import Settings

GROUPING_ITERATIONS = 20
"""of the k-means that groups U-SPEC's landmarks"""


def sample(engine: Engine, settings: Settings, count: int) -> Drawn:
    """Rows at random."""
    return draw_rows(engine, stream(settings.seed, "select"), count, settings.n_counted)


def own_is_nearest(engine: Engine, landmarks: np.ndarray) -> Selection:
    """A selection in which a row's own landmark is the nearest of all."""
    tree = Tree((Level.flat(landmarks),))
    assign(engine, tree)
    return Selection(landmarks, tree)


def random_rows(engine: Engine, settings: Settings) -> Selection:
    """P rows at random; fewer where some of them are alike."""
    return own_is_nearest(engine, distinct(sample(engine, settings, settings.n_landmarks).values[0]))


def distinct(rows: np.ndarray) -> np.ndarray:
    """Rows without repetition, in an order that depends on their values alone."""
    return np.unique(rows, axis=0)


def hybrid(engine: Engine, settings: Settings) -> Selection:
    """k-means on p' random rows; rows find their landmark through sqrt(p) groups of landmarks (U-SPEC)."""
    drawn = sample(engine, settings, settings.sample_size)
    random = generator(settings.seed, "select")
    rows, p = drawn.values[0], settings.n_landmarks
    means = kmeans(rows, drawn.weight, p, random, LLOYD_ITERATIONS, each=engine.each).centres
    landmarks = engine.frame.restore_length(means)
    n_groups = max(1, int(np.sqrt(len(landmarks))))
    random = generator(settings.seed, "group")
    means = kmeans(landmarks, np.ones(len(landmarks)), n_groups, random, GROUPING_ITERATIONS).centres
    groups = engine.frame.restore_length(means)
    group, _ = Level.flat(groups).descend(landmarks, np.zeros(len(landmarks), np.int32))
    by_group = np.argsort(group, kind="stable")
    first = np.searchsorted(group[by_group], np.arange(len(groups) + 1)).astype(np.int32)
    tree = Tree((Level.flat(groups), Level(landmarks[by_group], first)))
    assign(engine, tree)
    return Selection(landmarks[by_group], tree)
