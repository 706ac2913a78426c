"""All thresholds of the cut, in one record. Experiments change the record, not the code."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from dncsc.phases.cut.sizes import SizePolicy


@dataclass(frozen=True)
class CutPolicy(SizePolicy):
    """What decides how a graph is cut where the user leaves it open (``bandwidth="auto"``, ``n_clusters="auto"``).

    Each line says what the number is for, and the points of NMI that one set lost without it, at the stage at which it
    was tried, with 3 to 5 seeds (docs/notes/rules.md, also for what the whole gives elsewhere).
    """

    # Weights
    narrow: float = 0.35
    """bandwidth that is tried first, in mean distances of rows to their K nearest landmarks: leaves gaps between
    clusters open (0.25: lines 30, circles and Gaussians 6; 0.5: uneven groups 16)"""
    few_rows_a_landmark: int = 4
    """with fewer, links are not inflated, narrow weights need a clear gap (without: ARI of a plus sign 28), and the
    mean distance is tried before adaptive weights (without: moons among outliers 84; in the mean of 384 draws of few
    rows 1.8)"""
    max_outlier_rows: float = 0.01
    """share of the rows in outlier components beyond which adaptive weights are taken (without: PenDigits 3)"""
    max_outlier_landmarks: float = 0.05
    """the same for landmarks (without: a sparse cluster 20)"""

    # Outlier components and localized eigenvectors
    component_landmarks: int = 10
    """what covers fewer, or fewer than a quarter of the landmarks a cluster, may be an outlier (5: some sets 23)"""
    component_rows: int = 30
    """that such a component has, or else it is an outlier: in uniform noise some twenty rows hang together by chance
    (without: moons in noise 100)"""
    outlier_share: float = 0.03
    """of the mean cluster's rows, which it has not (without: moons in 15 % noise 67)"""
    outlier_rows: int = 8
    """or so many rows, if that is more (without: few rows of different density 30)"""
    max_outlier_share: float = 0.2
    """of the mean cluster's rows, which such a component never has, however few rows there are"""
    max_outliers: float = 0.5
    """share of the rows: where more are in small components, these are what the data is made of, and all count"""
    link_factor: float = 3.0
    """times the largest eigenvalue of a localized vector: weaker links are dropped, so that what hangs on them becomes
    an outlier component (without: circles and Gaussians 10)"""

    # Selection
    projected_share: float = 0.3
    """of what near rows differ by, beyond what as many directions at random hold: from here on rows are divided by
    their first principal components (images have 0.4 and more; embeddings less than 0.2: they would lose 5 to 16)"""

    # Inflation
    dense: float = 10.0
    """times the rows of linked landmarks: one of more may be a cluster by itself (without: a dense spot 79)"""

    # Eigenvalue weighting
    spare_eigenvalues: int = 5
    """behind the first k, so that a gap can be seen; their vectors may count, too (without: USPS 3)"""
    gap: float = 0.5
    """of the next eigenvalue: if the k-th is less, the first k vectors count alike (without: uneven groups 16)"""
    weighting_power: float = 0.25
    """of eigenvalue weighting: between 0, all alike, and 1/2, commute distances (without: USPS 4, PenDigits 2)"""
    weighting_floor: float = 1 / 64
    """of the k-th eigenvalue: vectors of smaller ones count nearly alike (1: USPS 2)"""

    # Coarser cuts
    least_common: int = 10
    """landmarks at least that have the same value of a feature"""
    common_landmarks: float = 0.01
    """share that has the same value of a feature: this may be a category, or filled in"""
    common_rows: float = 0.005
    """share of the rows that has such a value, and that has another one"""
    told: float = 0.1
    """share of such a value that the cut explains: from there on a coarser graph is tried (0.2: tables 1, which were
    looked at)"""
    told_mostly: float = 0.5
    """share from which on a cut is one by such values, if positions explain none of them (without: ARI of tables with a
    boolean 50 with eight draws of sixteen)"""
    told_whole: float = 0.8
    """share from which on such a value is one that clusters have as their own, and no reason for a warning"""
    forgotten: float = 0.5
    """of what a cut explains: a coarser one that explains at most so much is taken; images keep 0.7 and more"""
    coarse_landmarks: int = 100
    """of a coarser graph"""
    coarser: int = 5
    """so many of them a cluster at least, and so many times fewer than landmarks"""
    shattered: float = 3e-6
    """eigenvalue behind the k-th: below it more parts than clusters hardly touch, any of which may leave a gap; of the
    last of counted clusters: beyond it rows are looked at for two modes (1e-4: 2 of 384 sets of blobs that overlap are
    wrong without a warning; 0: none more is seen, and some fits take twice as long)"""

    # One heap
    least_second: float = 0.5
    """of the mean cluster's rows: where no second cluster has so many, and there is no gap, rows are divided by
    position (without: ARI of heavy-tailed heaps 6 to 20), unless k-means has no second cluster twice as large (0: NMI
    of skewed heaps 3 to 18)"""
    least_effective: float = 0.25
    """of the clusters sought: where these are fewer in effect, by the entropy of their sizes, small groups are outliers
    for all their gap (without: ARI of patches of images, some of them far from all others, 45 to 69)"""

    # Small groups
    tiny: float = 0.1
    """of the mean cluster's rows: a cluster of fewer is left out where the rest shows as many clusters (without: ARI of
    tables with categories and gaps 3, of some 45)"""

    # Groups of rows, by single linkage
    linked_rows: int = 6000
    """or fewer: all distances between them are measured (3,000: ARI of 6,000 rows of noisy moons 20 to 43; 3,000 at
    random of more: rings and Gaussians 29 to 40)"""
    linked_neighbors: int = 3
    """that a row has within its reach: shorter links than this distance count as long as it, so that stray rows form
    no bridges (0: ARI of few rows 0.2)"""
    linked_size: float = 0.5
    """of the mean cluster's rows, which each group has at least (0.4: ARI of few rows 0.3)"""
    linked_longer: float = 1.005
    """times as long as at first links are when so many groups cease to be: less is chance, as of whole numbers, or of
    groups in a row"""
    linked_gap: float = 3.0
    """ratio of eigenvalues behind a cut into clusters of such sizes, from which on it is believed (2: ARI of noisy
    moons 13; 5: twice as many draws are worse than without groups)"""
    linked_agreement: float = 0.7
    """adjusted Rand index of cut and groups, from which on the cut is believed (0.6: ARI of noisy moons 3)"""
    linked_farther: float = 1.3
    """times the links between groups, in the geometric mean: a cut whose clusters, each in one piece, lie so much
    farther apart is believed (never: ARI of very uneven clusters 25)"""

    # Clusters that touch and are Gaussian
    mixture_features: int = 32
    """or fewer, that clusters are Gaussian in: among more, rows do not show their shape (images of 36 lose 20)"""
    looked_at_features: int = 64
    """or fewer, of which some may be categories"""
    finer_mixture: int = 3
    """times as many Gaussians, which describe clusters of other shapes better (2: ARI of moons and rings among other
    features 4 to 9)"""
    far_better: float = 1.0
    """by which these are at first, in Akaike's criterion a row, where no mixture is tried"""
    rows_a_parameter: float = 2.0
    """of a Gaussian, among the sampled rows, where these are not all (without: ARI of 20 to 49 Gaussians in 10 to 32
    features 5 to 20)"""
    least_likeness: float = 0.1
    """adjusted Rand index of mixture and cut: where they are not alike at all, one of them errs by chance (without: ARI
    of rings among other features 95), unless nearly all rows are one cluster of the cut"""
    patience: int = 30
    """iterations, at the pace of the last one, in which a mixture that lags behind another one has to catch up"""
    rows_a_dimension: int = 2
    """of a part of a cluster, at least: a Gaussian follows fewer rows, whatever they are like"""
    short_scale: int = 10
    """values of a feature that is a category, or a short scale; one of more may be that of a Gaussian"""
    far: float = 10.0
    """interquartile ranges of a cluster that a row lies from its median, in a feature, to be left out"""
    most_far: float = 0.01
    """share of such rows, beyond which they are no outliers"""
    most_between: float = 30.0
    """times the variance within clusters: a feature that varies more does so between clusters far apart, and its own
    unit would hide the shape of each"""

    # Counted clusters that are two
    two_better: float = 3.0
    """times the parameters: twice the logarithm of the likelihood that the second Gaussian adds (2.5: 3 % of single
    Gaussians of 100 to 300 rows pass for two; the Bayesian criterion: two of 1,000 rows, 2.6 apart in 4-D, pass for
    one in 83 %)"""
    modes_apart: float = 2.0
    """deviations: two Gaussians that lie nearer to each other have one mode, if as many rows belong to each"""
    finer_gain: float = 0.2
    """of what it adds: what a third one adds to either of the two where a cluster is bent, skewed or angular, and not
    several groups (halves of a moon 0.3, of a square 0.4, of a ring 2; of five blobs 0.01 to 0.2)"""

    # Noise that passes for a cluster
    noise_of_cluster: float = 0.5
    """share of a cluster's rows that are noise, where `noise` is asked for, from which on it is left out of the cut"""
    sparse: float = 2.0
    """times as far from their landmarks as those of others: rows of a cluster that may be noise where none is asked for
    (in failures by uniform noise 2.1 to 9)"""
    around: float = 0.5
    """of the others' standard deviation: so far the middle of such rows may be from theirs, in each feature (uniform
    noise 0 to 0.4; sparse clusters beside dense ones 0.6 to 15)"""

    # Number of clusters
    clear_gap: float = 5.0
    """ratio of neighbouring eigenvalues that shows how many clusters there are"""
    clear_gap_among_outliers: float = 50.0
    """the same where outliers took places in front of it: those of one heavy-tailed group leave gaps, too (without: it
    counts as three)"""
    touching: float = 1e-4
    """eigenvalue of the last cluster: beyond it clusters touch (moons, rings, groups that lie apart: 8e-5 at most;
    blobs that overlap: 1.3e-4 and more)"""
    clear_gap_of_touching: float = 12.0
    """the same for these: several that overlap pass for one (5: 7 of 492 sets of blobs are wrong without a warning
    besides; but 55 more that are right have none)"""
    clear_gap_of_few_touching: float = 25.0
    """the same with few rows a landmark, where chance widens gaps (12: iris, scaled, counts as 2 without a warning with
    8 of 20 seeds; but a fifth more that are right have none)"""
    small_gap: float = 1.2
    """ratio behind other numbers, which are named where nothing wider is found and the count is doubtful"""
    least_eigenvalue: float = 3e-5
    """smaller ones are alike: those of clusters that hardly touch (1e-6: one heavy-tailed group counts as three)"""

    nearly_all: float = 0.85
    """share of the rows in one of several clusters, beyond which a warning is given where these were counted (digits:
    0.89), or where no gap is clear (4 of 266 fits of few rows and real tables: ARI 4 at most)"""

    one_piece: float = 0.5
    """of the Rayleigh quotient of a principal axis: a counted cluster whose second eigenvalue is less has parts (whole
    ones in 5 to 64 features: 0.6 to 1; two topics and more: 0 to 0.5)"""
    small_part: float = 0.3
    """the same for a part of few landmarks (topics of 39 to 92 of 20,000 rows and more: 0.07 to 0.24; in whole
    clusters 0.31 and more)"""
    small_part_rows: int = 20
    """that such a part has at least: outliers of heavy-tailed groups have fewer"""
    curved_dimensions: float = 4.0
    """intrinsic dimension up to which clusters may be bent, as moons are (0.35): parts are found by steps alone"""
    thin_middle: float = 0.2
    """share of a cluster's rows in the middle half of its slowest vector: where fewer are there, two parts touch, in
    any dimension (of a line, or a moon, a third; of a heap more)"""
    least_side: float = 0.1
    """of a cluster's rows, which each of the two parts has (0.05: skewed groups have such ends)"""
    fall_window: float = 1.25
    """of many clusters: strength is compared between so many times more groups and so many times fewer"""
    start_of_fall: float = 0.9
    end_of_fall: float = 0.25
    """of many clusters: heights, in logarithms, between which there may be as many as groups are left (chosen on
    nine sets of 60 to 200 topics and Gaussians: in eight the true number is between)"""
    widest_range: float = 0.05
    """of many clusters: where there may be so many more than fewer, in parts of their number, a warning is given"""
    weakest_join: float = 1e-5
    """of many clusters: weaker links are alike"""

    # Base clusterings of ensembles
    min_base_clusters: int = 20
    max_base_clusters: int = 60
    """clusters of a base clustering, as Huang et al. have them; in proportion more where k is more than the least
    (10 to 60: circles and Gaussians 2; 20 to 40: MNIST 2)"""
    rows_a_base_cluster: int = 20
    """at least: nearly empty ones share no rows with those of others (without: lines of few rows 6)"""

    least_agreement: float = 0.9
    """of the consensus with members' own choices, in parts of that of these among each other: where it is less, one of
    them is taken (without: tables 25 to 53); 1 where these end at a gap (0.9 there, too: few rows 0.2 to 0.7; 1
    anywhere: MNIST 2)"""
    contradiction: float = 0.5
    """agreement of members' own choices among each other, below which one that ends at a gap is taken, if others do not
    (without: ARI of sensors in very uneven classes 8; 0.8: PenDigits 1)"""

    def without_small_groups(self, least: float) -> CutPolicy:
        """The same for data whose groups of fewer rows, in mean clusters, are outliers, however far away they are."""
        most = max(least, self.max_outlier_share)
        return replace(self, outlier_share=least, max_outlier_share=most, component_landmarks=sys.maxsize)
