"""A method is a recipe: one choice at each phase. What differs between methods stands here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dncsc.engines.base import Engine
from dncsc.phases.affinity import Affinity, gaussian
from dncsc.phases.discretize import Discretized, k_means
from dncsc.phases.nearest import Links, among_all, near_own_landmark
from dncsc.phases.partition import Spectrum, transfer_cut
from dncsc.phases.select import Selection, divide_and_conquer
from dncsc.phases.settings import Settings


@dataclass(frozen=True)
class Recipe:
    """The choice at each phase, in the order in which they run."""

    name: str
    select: Callable[[Engine, Settings, int], Selection]
    nearest: Callable[[Engine, Settings, Selection], Links]
    affinity: Callable[[Settings, Links], Affinity]
    partition: Callable[[Engine, Settings, Links, Affinity], Spectrum]
    discretize: Callable[[Engine, Settings, int, Spectrum, Affinity], Discretized]


DNC_SC = Recipe("dnc-sc", divide_and_conquer, near_own_landmark, gaussian, transfer_cut, k_means)
DNC_SC_EXACT = replace(DNC_SC, name="dnc-sc/nearest=exact", nearest=among_all)
