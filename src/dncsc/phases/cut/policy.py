"""All thresholds of the cut, in one record. Experiments change the record, not the code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CutPolicy:
    """What decides how a graph is cut where the user leaves it open (``bandwidth="auto"``, ``n_clusters="auto"``)."""

    # Landmarks
    min_landmarks: int = 50
    """that any data may have"""
    rows_a_landmark: int = 2
    """at least, beyond those"""
    ensemble_landmarks: int = 1000
    """of an ensemble; more need `ensemble_rows_a_landmark` rows each"""
    ensemble_rows_a_landmark: int = 40

    # Weights
    narrow: float = 0.35
    """bandwidth, in mean distances of rows to their K nearest landmarks: leaves gaps between clusters open"""
    narrow_in_2d: tuple[float, ...] = (0.2, 0.35, 0.5, 1.0)
    """the same where the intrinsic dimension is at most two; tried in this order"""
    min_distance_ratio: float = 1e-6
    """of `Links.distance_ratio`: where it is less, rows are their own landmarks, and it says nothing"""
    max_distance_ratio: float = 0.44
    """of the same in two dimensions: about 0.3 in a plane, 0.43 in space, 0.51 or more with more features"""

    # Fragmented graphs
    max_outlier_rows: float = 0.01
    """share of the rows in outlier components, beyond which the next weights are tried"""
    max_outlier_landmarks: float = 0.05
    """the same for landmarks"""
    many_rows_a_landmark: int = 10
    """with fewer, chance may leave some landmarks without links; with more, `max_outliers` is the only limit in 2-D"""

    # Outlier components and localized eigenvectors
    outlier_share: float = 0.03
    """of the mean cluster's rows: a component of fewer is an outlier, unless many landmarks stand for it"""
    outlier_rows: int = 8
    """the same where rows are few: so many, but no more than `outlier_share_of_few` of the mean cluster's"""
    outlier_share_of_few: float = 0.2
    localized_share: float = 0.01
    """of the mean cluster's rows: a vector over fewer is localized, however many landmarks stand for it"""
    component_landmarks: int = 10
    """of a component that is no outlier though its rows are few; or a quarter of the landmarks a cluster"""
    component_rows: int = 30
    """that such a component has at least: in uniform noise some twenty rows hang together by chance"""
    max_outliers: float = 0.1
    """share of all rows: where more are in small components, these are what the data is made of"""
    link_factor: float = 3.0
    """times the largest eigenvalue of a localized vector: weaker links do not hold landmarks together"""
    link_growth: float = 4.0
    """times as strong as before, at least, so that this ends"""

    # Inflation
    light: float = 0.15
    """of the rows of linked landmarks: a landmark of fewer takes no part where links are inflated"""
    dense: float = 10.0
    """times the rows of linked landmarks: a landmark of more may be a cluster by itself"""
    dense_landmarks_a_cluster: int = 40
    """where there are fewer, any landmark may be a cluster by itself"""

    # Eigenvalue weighting
    spare_eigenvalues: int = 5
    """behind the first k, so that a gap can be seen; their vectors may count, too"""
    gap: float = 0.4
    """of the next eigenvalue: if the k-th is less, there is a gap, and the first k vectors count alike"""
    weighting_floor: float = 1 / 64
    """of the k-th eigenvalue: vectors of smaller ones count nearly alike"""
    weighting_power: float = 0.25
    """between 0, all alike, and 1/2, commute distances"""
    spare_vectors: float = 1.0
    """behind the k-th for each before it, where there is no gap; `spare_eigenvalues` at most"""

    # Number of clusters
    clear_gap: float = 5.0
    """ratio of neighbouring eigenvalues that shows how many clusters there are"""
    clear_gap_among_outliers: float = 50.0
    """the same where outliers took places in front of it: those of one heavy-tailed group leave gaps, too"""
    least_adaptive_eigenvalue: float = 3e-5
    """smaller ones are alike: those of clusters that hardly touch"""
    least_narrow_eigenvalue: float = 1e-6
    """the same with narrow weights"""

    # Base clusterings of ensembles
    min_base_clusters: int = 20
    max_base_clusters: int = 60
    max_mixed_base_clusters: int = 40
    """where base clusterings differ in their weights: finer ones cost more than they add"""
    min_base_clusters_a_cluster: float = 0.75
    """that is sought"""
    max_base_clusters_a_cluster: float = 2.0
    rows_a_base_cluster: int = 20
    landmarks_a_base_cluster: int = 4
    needed_vectors: float = 0.75
    """of those wanted, that have to be not localized; else localized ones count as well"""
    clusterings_a_coarse_one: int = 3
    """at least, in all, for each that has as many clusters as are sought"""
    consensus_weighting_power: float = 0.4
    consensus_spare_vectors: float = 0.5
    """eigenvalue weighting of the consensus: steeper, with fewer vectors behind the k-th"""
