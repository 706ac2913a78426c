"""How many clusters there are: the gap in the spectrum of the landmark graph.

Eigenvalues of the first k vectors, one a cluster, are small, and the next one is not. Adaptive weights keep sparse and
dense clusters whole, so they are asked first. Where clusters touch, their gap is unclear, and tight weights are asked,
which cut at the touching places, but may also break a thin cluster.
"""

from __future__ import annotations

import numpy as np

from dncsc.engines.base import Engine
from dncsc.phases.affinity import Adaptive, Affinity, tightest, tolerance_of
from dncsc.phases.embedding import RowsAndLandmarks
from dncsc.phases.nearest import Links
from dncsc.phases.partition import Counted, landmark_similarity
from dncsc.phases.settings import Settings
from dncsc.phases.specks import Shattered, Tolerance
from dncsc.phases.spectrum import Wanted, bottom_of_spectrum

CLEAR = 5.0
"""A gap counts where the eigenvalue behind it is so many times larger than the one before."""

CLEAR_WITHOUT_SPECKS = 50.0
"""The same where specks had taken places in front of it: outliers of a single heavy-tailed group leave gaps too."""

LEAST_EIGENVALUE = {"adaptive": 3e-5, "tight": 1e-6}
"""Smaller ones are alike: the vectors of clusters that hardly touch."""


def count_clusters(engine: Engine, settings: Settings, links: Links) -> Counted:
    """The number of clusters, from 2 to the most there may be, with a clear gap behind it, or else the largest."""
    adaptive = _count_by(engine, settings, links, Adaptive(), LEAST_EIGENVALUE["adaptive"])
    if adaptive.is_clear:
        return adaptive
    tolerance = tolerance_of(settings, links)
    other = _count_by(engine, settings, links, tightest(links), LEAST_EIGENVALUE["tight"], tolerance)
    return max(adaptive, other, key=lambda counted: (counted.is_clear, counted.clearness))


def _count_by(
    engine: Engine,
    settings: Settings,
    links: Links,
    weights: Affinity,
    least: float,
    tolerance: Tolerance | None = None,
) -> Counted:
    """Where the gap is, once specks are told by the number of clusters that it gives.

    What is a speck among few clusters may have passed for one of many, and taken a place in front of the gap.
    """
    similarity, mass = landmark_similarity(engine, RowsAndLandmarks(links, weights))
    most = settings.n_clusters

    def gaps(k: int, tolerance: Tolerance | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues without those of what is a speck among k clusters, and how they grow behind the first."""
        wanted = Wanted(k, with_specks=False, tolerance=tolerance, n_rows=settings.n_counted)
        found = bottom_of_spectrum(similarity, links.search.landmarks, wanted, mass).eigenvalues
        values = np.maximum(found[1 : most + 1], least)
        return found, values[1:] / values[:-1]

    eigenvalues, ratios = gaps(most)
    if len(ratios) == 0:
        return Counted(min(2, most), 1.0, False, eigenvalues)
    place, clear = _place(ratios), CLEAR
    try:
        while True:
            found, again = gaps(place + 2, tolerance)
            nearer = _place(again[: place + 1]) if len(again) > place else place
            if nearer == place:
                clearness = float(min([ratios[place], *again[place : place + 1]]))
                break
            eigenvalues, ratios, place, clear = found, again, nearer, CLEAR_WITHOUT_SPECKS
    except Shattered:
        clearness = 1.0
    return Counted(place + 2, clearness, clearness >= clear, eigenvalues)


def _place(ratios: np.ndarray) -> int:
    """The last place of a clear gap, or else that of the largest: groups of clusters may leave gaps of their own."""
    clear = np.flatnonzero(ratios >= CLEAR)
    return int(clear[-1] if len(clear) else np.argmax(ratios))
