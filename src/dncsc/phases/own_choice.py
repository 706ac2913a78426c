"""Whether the consensus of an ensemble agrees with its members, or the clustering of one of them is better.

Each selection of landmarks has a base clustering into the clusters sought, as `DnCSC` finds them: its own choice. Fine
base clusterings follow categories, or heavy tails of a cluster, and so may their consensus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dncsc.engines.base import Engine
from dncsc.phases.base_clusterings import RowsAndClusters
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import draw, k_means_of
from dncsc.phases.embedding import Lift, Lifted
from dncsc.phases.settings import Settings

COMPARED_ROWS = 5000
"""by which the agreement of two clusterings is measured"""
SAME = 1e-6
"""by which two agreements differ that are equal but for rounding"""


def consensus_or_own_choice(
    engine: Engine, settings: Settings, found: Partition, choices: Sequence[Partition]
) -> Partition:
    """The consensus, unless the own choice of one of the members is better."""
    assert isinstance(found.embedding, Lifted)
    graph = found.embedding.graph
    assert isinstance(graph, RowsAndClusters)
    drawn = draw(engine, settings, found.embedding, COMPARED_ROWS)
    centroid_of = [shared.clusterings[0].centroid_of(shared.component) for shared in graph.shared]
    own = [of[values[:, 0]] for of, values in zip(centroid_of, drawn.values, strict=True)]
    centroids = k_means_of(drawn, settings, found.embedding, engine.each).places
    consensus = found.embedding.label(centroids, *drawn.values)[0]
    among = [np.mean([agreement(each, other, drawn.weight) for other in own if other is not each]) for each in own]
    with_consensus = np.mean([agreement(each, consensus, drawn.weight) for each in own])
    has_gap = np.array([choice.has_gap(settings.policy) for choice in choices])
    chosen = member_that_speaks(np.array(among), float(with_consensus), has_gap, settings.policy)
    if all(choice.is_by_position for choice in choices):  # graphs show no clusters, nor does what is made of them
        chosen = int(np.argmax(among))
    if chosen is None:
        return found
    embedding = _of_one(graph, chosen, centroid_of[chosen], found.embedding.lift)
    one = choices[chosen]
    return replace(
        found,
        embedding=embedding,
        is_by_position=one.is_by_position,
        is_by_linkage=one.is_by_linkage,
        centres=one.centres,
        is_torn=one.is_torn,
        is_coarse=one.is_coarse,
    )


def member_that_speaks(among: np.ndarray, with_consensus: float, has_gap: np.ndarray, policy: CutPolicy) -> int | None:
    """The member whose own choice is taken; None for the consensus.

    Own choices are believed where all their spectra end at a gap; else they have to agree clearly better with each
    other than with the consensus. Where they contradict each other, one that ends at a gap is believed, if others do
    not.

    Parameters
    ----------
    among : (n,)
        How far each own choice agrees with the others.
    with_consensus : float
        How far they agree with the consensus.
    has_gap : bool (n,)
    policy : CutPolicy
    """
    if among.max() < policy.contradiction and has_gap.any() and not has_gap.all():
        return int(np.argmax(np.where(has_gap, among, -np.inf)))
    least = 1 if has_gap.all() else policy.least_agreement
    return None if with_consensus >= least * among.max() - SAME else int(np.argmax(among))


def _of_one(graph: RowsAndClusters, number: int, centroid_of: np.ndarray, lift: Lift) -> Lifted:
    """The embedding in which a row's place is a corner: its cluster in the first clustering of one selection."""
    sizes = graph.sizes
    before = sum(len(shared.clusterings) for shared in graph.shared[:number])
    vectors = np.zeros((graph.n_points, int(centroid_of.max()) + 1), lift.vectors.dtype)
    vectors[sizes[:before].sum() + np.arange(sizes[before]), centroid_of] = 1
    return Lifted(graph, Lift(vectors, lift.by_length))


def agreement(labels: np.ndarray, others: np.ndarray, weight: np.ndarray) -> float:
    """The adjusted Rand index of two clusterings of the same rows: 1 if they are equal, 0 by chance."""
    counts = np.zeros((int(labels.max()) + 1, int(others.max()) + 1))
    np.add.at(counts, (labels, others), weight / weight.sum())
    both, first, second = (float((each**2).sum()) for each in (counts, counts.sum(axis=1), counts.sum(axis=0)))
    expected, most = first * second, (first + second) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)
