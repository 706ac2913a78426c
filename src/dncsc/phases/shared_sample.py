"""A sample that stands for all rows in several phases: drawn once, and kept until the last of these has seen it.

Of many rows with few features some hundred a landmark show where landmarks lie, how long links are, which landmarks are
linked, and where centroids are. Only the labels need all rows.
"""

from __future__ import annotations

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import stream
from dncsc.kernels.nearest import LANDMARKS_ALONG
from dncsc.phases.inputs import ROWS
from dncsc.phases.sample import Drawn, EarlySample, draw_rows, rows_to_place
from dncsc.phases.settings import AUTO, Settings

MANY_ROWS = 200_000
"""beyond which a sample stands for all"""
FEW_ROWS, FEW_ROWS_A_CLUSTER = 2000, 100
"""by which the shape of clusters is judged, at least"""
FEW = "few rows"
"""Where these are kept among the samples of an engine."""


def are_measured_when_read(n_rows: int, n_features: int) -> bool:
    """Whether links are found, and measured, whenever they are needed: of few features that is soon done."""
    return n_rows > MANY_ROWS and n_features < LANDMARKS_ALONG


def rows_that_tell(engine: Engine, settings: Settings, n_landmarks: int) -> int | None:
    """How many rows stand for all where there are so many landmarks; None where all rows are used.

    These are used where weights are named, as in the paper, and for ensembles, which look at all links anyway.
    """
    layout = engine.layout
    wanted = max(settings.policy.sampled_rows(n_landmarks), rows_to_place(settings.n_clusters))
    chooses_weights = settings.bandwidth == AUTO and not settings.mixed
    are_enough = are_measured_when_read(layout.n_rows, layout.n_features) and wanted < settings.n_counted
    return wanted if chooses_weights and are_enough else None


def sample_keys(settings: Settings) -> np.uint64:
    """By which these rows are drawn: a smaller sample is part of a larger one."""
    return stream(settings.seed, "discretize")


def first_keys(settings: Settings) -> np.uint64:
    """By which the rows are drawn that the first round of a division sees."""
    return stream(settings.seed, "select", 0)


def few_rows_tell(engine: Engine, settings: Settings) -> bool:
    """Whether a few rows are used to judge clusters: few clusters, by weights that choose themselves."""
    policy = settings.policy
    are_few = settings.count_clusters or settings.n_clusters < policy.many_clusters
    return settings.bandwidth == AUTO and are_few and engine.layout.n_features <= policy.looked_at_features


def keep_few(engine: Engine, settings: Settings, keys: np.uint64) -> None:
    """Give up all samples, which are large, but for a few rows: those kept before, or some of these keys."""
    known: Drawn | None = engine.samples.get((keys, (ROWS,)))
    if known is not None and few_rows_tell(engine, settings):
        engine.samples.setdefault((FEW, keys), known.fewer(_how_few(settings)))
    forget_many(engine)


def forget_many(engine: Engine) -> None:
    """Give up all other samples."""
    engine.samples = {name: drawn for name, drawn in engine.samples.items() if name[0] is FEW}


def few_rows(engine: Engine, settings: Settings) -> Drawn:
    """A few rows, drawn unless a phase before has drawn and kept them."""
    is_shared = rows_that_tell(engine, settings, settings.n_landmarks) is not None
    keys, wanted = sample_keys(settings) if is_shared else first_keys(settings), _how_few(settings)
    known: Drawn | None = engine.samples.get((FEW, keys))
    if known is None or len(known.keys) < min(wanted, settings.n_counted):
        known = draw_rows(engine, keys, wanted, settings.n_counted)
    return known.fewer(wanted)


def _how_few(settings: Settings) -> int:
    return max(FEW_ROWS, FEW_ROWS_A_CLUSTER * settings.n_clusters)


def shared_rows(engine: Engine, settings: Settings, wanted: int) -> Drawn:
    """So many rows, drawn unless a phase before has drawn them."""
    return drawn_once(engine, settings, sample_keys(settings), wanted)


def no_early_sample(engine: Engine, settings: Settings) -> None:
    """No rows stand for the others: none is drawn on the way."""


def early_sample(engine: Engine, settings: Settings) -> EarlySample | None:
    """The same rows, to be drawn while a pass goes over all of them; None where all rows are used."""
    wanted = rows_that_tell(engine, settings, settings.n_landmarks)
    return None if wanted is None else EarlySample(sample_keys(settings), wanted, engine.layout.n_rows)


def keep_sample(engine: Engine, settings: Settings, drawn: Drawn) -> None:
    """Keep rows that were drawn on the way for `shared_rows`."""
    engine.samples[sample_keys(settings), (ROWS,)] = drawn


def drawn_once(engine: Engine, settings: Settings, keys: np.uint64, wanted: int) -> Drawn:
    """So many rows by given keys, drawn unless that was done before, and kept for whoever wants them next."""
    place = keys, (ROWS,)
    known: Drawn | None = engine.samples.get(place)
    if known is None or len(known.keys) < min(wanted, settings.n_counted):
        known = engine.samples[place] = draw_rows(engine, keys, wanted, settings.n_counted)
    return known.fewer(wanted)
