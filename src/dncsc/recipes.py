"""A method is a recipe: one choice at each phase. What differs between methods stands here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dncsc.engines.base import Engine
from dncsc.phases.affinity import Affinity, by_all, by_nearest
from dncsc.phases.cell_search import in_all_cells, in_nearest_cells
from dncsc.phases.cut.count import count_clusters, count_many
from dncsc.phases.cut.multilevel import corners, multilevel_cut
from dncsc.phases.cut.transfer_cut import Counted, Partition, singular_vectors, transfer_cut
from dncsc.phases.discretize import Centroids, k_means
from dncsc.phases.exact_graph import cut_graph_of_rows
from dncsc.phases.kmeans_baseline import identity_embedding, lloyd_on_rows
from dncsc.phases.nearest import Links, among_all, auto_search, near_own_landmark
from dncsc.phases.nystrom import nystrom_extension
from dncsc.phases.sample import EarlySample
from dncsc.phases.select.cells import rows_in_cells
from dncsc.phases.select.divide_and_conquer import (
    divide_and_conquer,
    divide_and_conquer_fully,
    k_means_of_all_rows,
)
from dncsc.phases.select.hubs import hubs_of_k_means_parts, hubs_of_random_parts
from dncsc.phases.select.sampled import hybrid, random_rows
from dncsc.phases.select.tree import Selection
from dncsc.phases.settings import Settings
from dncsc.phases.shared_sample import early_sample, no_early_sample


@dataclass(frozen=True)
class Recipe:
    """The choice at each phase, in the order in which they run; None where a method has no such phase."""

    select: Callable[[Engine, Settings], Selection] | None
    nearest: Callable[[Engine, Settings, Selection], Links] | None
    affinity: Callable[[Engine, Settings, Links], Affinity | None] | None
    partition: Callable[[Engine, Settings, Any, Any, Any], Partition]
    discretize: Callable[[Engine, Settings, Any], Centroids] = k_means
    count: Callable[[Engine, Settings, Links], Counted] = count_clusters
    """where the number of clusters is to be found"""
    early_sample: Callable[[Engine, Settings], EarlySample | None] = no_early_sample
    """rows to draw while all are surveyed"""
    of_few: Recipe | None = None
    """what cuts the graph instead, where few clusters are counted of the many that there might be"""


DNC_SC = Recipe(divide_and_conquer, auto_search, by_nearest, transfer_cut, early_sample=early_sample)
U_SPEC = replace(DNC_SC, select=hybrid, nearest=near_own_landmark)
LSC_K = Recipe(k_means_of_all_rows, among_all, by_all, singular_vectors)
LSC_R = replace(LSC_K, select=random_rows)
LSC_KH = replace(LSC_K, select=hubs_of_k_means_parts)
LSC_RH = replace(LSC_K, select=hubs_of_random_parts)
NYSTROM = Recipe(random_rows, None, None, nystrom_extension)
SC = Recipe(None, None, None, cut_graph_of_rows)
K_MEANS = Recipe(None, None, None, identity_embedding, lloyd_on_rows)

MULTILEVEL = Recipe(rows_in_cells, in_nearest_cells, by_nearest, multilevel_cut, corners, count_many, of_few=DNC_SC)
"""DnC-SC for hundreds to thousands of clusters."""

SELECT = {"dnc": divide_and_conquer, "dnc-kmeans": divide_and_conquer_fully, "kmeans": k_means_of_all_rows}
"""Selections that DnC-SC can be given instead of its own (the paper's ablations)."""

DIVIDING = ("auto", "dnc")
"""Names of selections that a sample of the rows may tell."""

ROWS = "rows"
"""The selection of the multilevel recipe, by name."""

NEAREST = {"auto": auto_search, "candidates": near_own_landmark, "exact": among_all}
"""Searches that any landmark method can be given."""

NEAREST_IN_CELLS = {"auto": in_nearest_cells, "candidates": in_nearest_cells, "exact": in_all_cells}
"""The same where landmarks are sorted by cells."""

LANDMARKS = {"kmeans": LSC_K, "random": LSC_R, "kmeans-hubs": LSC_KH, "random-hubs": LSC_RH}
"""LSC by where its landmarks come from."""
