"""Whether a cut was clear, in numbers and in a sentence for people."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import NONE, Partition

MOST_CANDIDATES = 3
"""Other numbers of clusters that are named."""
LARGEST = 1e9
"""clearness that is shown: a gap behind eigenvalues of 0 has none"""


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """How clearly the graph shows the clusters; `str` puts it into a sentence or two.

    Parameters
    ----------
    n_clusters : int
        Clusters sought, or found where they were counted.
    clearness : float
        How many times larger the eigenvalue behind the last cluster's is than that. Where clusters were
        counted level by level, how many times weaker links between them are than within. Where parts of the graph had
        to be joined, how many times farther the next part was than the nearest. 0 where it is not known.
    is_clear : bool
    n_components : int
        Connected parts of the graph.
    largest_share : float
        Of the rows, in the largest cluster.
    is_coarse : bool
        Whether a coarser graph was cut, since clusters of the fine one are cells of categories, or of values filled in.
    is_torn : bool
        Whether clusters are such cells at any resolution, so that rows were divided by position.
    candidates : ndarray of shape (n_candidates, 2)
        Where clusters were counted: other numbers of clusters, and the gaps behind them, widest first.
    was_counted : bool
    is_by_position : bool
        Whether the graph shows no clusters, or categories alone, and rows were divided by where they are, as k-means
        does.
    is_by_linkage : bool
        Whether groups of rows that lie apart contradict the graph, and rows were divided by these.
    n_parts : int or None
        Where clusters were counted: parts that they have together, if some are not in one piece, or have two modes.
    between : tuple of int or None
        Where many clusters were counted: how few and how many there may be.
    smallest : int or None
        Where clusters were counted: rows from which on a group is sure to be seen. Smaller ones may count as outliers.
    clear_from : float
        Clearness that is clear: mostly 5. Where counted clusters touch 12, or 25 with few rows a landmark, among parts
        that hardly touch 50, and where parts were joined 2.
    second_count : int or None
        Where few clusters were counted, and nothing else is against their number: what half as many other landmarks
        count, if that is another number, or in doubt.
    is_gaussian : bool
        Whether clusters are like Gaussians, and rows went to the most probable of as many of these.
    tells_categories : bool
        Where clusters were counted: whether they may be cells of categories, or of values filled in, and no coarser
        graph shows others.
    """

    n_clusters: int
    clearness: float
    is_clear: bool
    n_components: int
    largest_share: float
    is_coarse: bool
    is_torn: bool
    candidates: np.ndarray
    was_counted: bool
    is_by_position: bool = False
    is_by_linkage: bool = False
    n_parts: int | None = None
    between: tuple[int, int] | None = None
    smallest: int | None = None
    clear_from: float = CutPolicy.clear_gap
    second_count: int | None = None
    is_gaussian: bool = False
    tells_categories: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Diagnosis):
            return NotImplemented
        return all(np.array_equal(getattr(self, each.name), getattr(other, each.name)) for each in fields(self))

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_doubtful(self) -> bool:
        """Whether it deserves a warning: clusters may be arbitrary, or their number another one."""
        if self.is_torn or self.is_by_position or self._leaves_hardly_a_row:
            return True
        is_contradicted = self.n_parts is not None or self.second_count is not None or self.tells_categories
        is_other_number = self._has_rival or self._is_estimate or is_contradicted
        return self.was_counted and (not self.is_clear or self._is_nearly_all or is_other_number)

    @property
    def _is_nearly_all(self) -> bool:
        return self.n_clusters > 1 and self.largest_share > CutPolicy.nearly_all

    @property
    def _leaves_hardly_a_row(self) -> bool:
        """Whether nearly all rows are in one cluster, and no clear gap sets the others apart."""
        return self._is_nearly_all and self.largest_share < 1 and self.clearness > 0 and not self.is_clear

    @property
    def _were_joined(self) -> bool:
        """Whether large parts of the graph were joined, since there are more than clusters."""
        return not self.was_counted and self.clear_from < CutPolicy.clear_gap

    @property
    def _has_rival(self) -> bool:
        """Whether there is a gap behind more clusters. Two or three times as many are pieces of long ones."""
        more = self._rivals[:, 0]
        return bool(np.any((more > self.n_clusters) & (more % self.n_clusters != 0)))

    @property
    def _rivals(self) -> np.ndarray:
        """Candidates whose gap might show the clusters."""
        return self.candidates[self.candidates[:, 1] * CutPolicy.gap >= 1]

    @property
    def _is_estimate(self) -> bool:
        """Whether there may be clearly more or fewer."""
        if self.between is None:
            return False
        fewest, most = self.between
        return most - fewest > CutPolicy.widest_range * self.n_clusters

    def __str__(self) -> str:
        found = [self._on_components(), self._on_gap(), self._on_range(), self._on_candidates(), self._on_parts()]
        found.append(self._on_second_count())
        if self._is_nearly_all:
            others = "; others may be outliers: try fewer landmarks and more neighbours" * self._leaves_hardly_a_row
            found.append(f"One cluster has {self.largest_share:.0%} of the rows{others}.")
        if self.is_gaussian:
            found.append("Clusters look like Gaussians (ellipses): each row went to the most probable one.")
        if self.smallest is not None:
            found.append(f"Groups of fewer than {self.smallest:,} rows may not be counted.")
        return " ".join(each for each in found if each)

    def _on_components(self) -> str:
        if self.is_torn:
            return (
                "Categories, or values filled in, tear the graph: it falls into cells of equal ones, and rows were "
                "divided by position instead, as k-means does. Give these columns less weight, leave them out, or look "
                "for more clusters."
            )
        if self.is_by_position:
            return (
                f"Nothing is told apart by shape: there is no gap behind {self.n_clusters} clusters, and one of them "
                "would hold most of the rows. Rows were divided by position, as k-means does: treat with care."
            )
        if self.is_by_linkage:
            return (
                f"The graph does not show the {self.n_clusters} groups that rows make up when near ones are linked one "
                "after another (single linkage): rows were divided by these groups. In Python, a bandwidth by name, "
                "such as 'adaptive', divides them as the graph shows."
            )
        if self.tells_categories:
            return (
                "The clusters tell apart who shares one value of a column, as a category, a value filled in, or the "
                "background of images, and may be cells of these: compare what is counted without such columns."
            )
        if self.is_coarse:
            return "The finest structure of the rows is categories, or values filled in: a coarser graph was cut."
        if self.n_components <= self.n_clusters:
            return ""
        done = "the lightest were joined to others" if self._were_joined else "small ones are taken for outliers"
        return f"The graph has {self.n_components:,} parts, more than clusters: {done}."

    def _on_gap(self) -> str:
        if self.is_torn or self.is_by_position or self.is_by_linkage or self.clearness == 0:
            return ""
        times = "very many" if self.clearness >= LARGEST else f"{self.clearness:.3g}"
        found = self._compared(f"{times} times")
        if self.is_clear:
            return f"There is a clear gap: {found} ({self.clear_from:g} are enough)."
        needed = f"{self.clear_from:g} would be enough"
        return f"There is no clear gap: {found} ({needed}). Rows lie between clusters, or their number is another one."

    def _compared(self, times: str) -> str:
        """What the clearness is the ratio of."""
        if self.between is not None:
            return f"links between {self.n_clusters} clusters are {times} weaker than within them"
        if self._were_joined:
            return f"the next part of the graph is {times} as far as the one that was joined"
        return f"the eigenvalue behind {self.n_clusters} clusters is {times} that of the last"

    def _on_range(self) -> str:
        if self.between is None or self.between[0] == self.between[1]:
            return ""
        fewest, most = self.between
        return f"Of many clusters the number is an estimate: there may be {fewest:,} to {most:,}."

    def _on_candidates(self) -> str:
        shown = self._rivals if len(self._rivals) or not self.is_doubtful else self.candidates
        if not len(shown):
            return ""
        named = ", ".join(f"{n:.0f} ({gap:.1f} times)" for n, gap in shown)
        return f"But other numbers have one, too: {named}." if self.is_clear else f"Other numbers with a gap: {named}."

    def _on_parts(self) -> str:
        if self.n_parts is None:
            return ""
        return f"Clusters have parts, about {self.n_parts} in all: look at that many, too."

    def _on_second_count(self) -> str:
        if self.second_count is None:
            return ""
        found = "as many, but not clearly so" if self.second_count == self.n_clusters else str(self.second_count)
        return f"Counted again with other landmarks, there are {found}."


def diagnose(partition: Partition, sizes: np.ndarray, n_clusters: int, is_gaussian: bool = False) -> Diagnosis:
    """What a partition into clusters of these sizes says about itself."""
    counted = partition.counted
    gap = partition if counted is None else counted
    return Diagnosis(
        n_clusters,
        float(min(gap.clearness or 0.0, LARGEST)),
        bool(gap.is_clear),
        int(partition.n_components),
        float(sizes.max() / max(sizes.sum(), 1)),
        partition.is_coarse,
        partition.is_torn,
        (NONE if counted is None else counted.others)[:MOST_CANDIDATES],
        counted is not None,
        partition.is_by_position,
        partition.is_by_linkage,
        None if counted is None else counted.n_parts,
        None if counted is None else counted.between,
        None if counted is None else counted.smallest,
        float(gap.clear_from),
        None if counted is None else counted.second_count,
        is_gaussian,
        counted is not None and counted.tells_categories,
    )
