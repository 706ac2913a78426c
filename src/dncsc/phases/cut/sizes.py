"""How many landmarks, rows and prototypes there are where their number is left open: the first part of the policy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SizePolicy:
    """Numbers that decide how large a computation is; `CutPolicy` says how to read the lines."""

    # Landmarks
    landmarks: int = 1000
    """where their number is left open, unless there are many clusters"""
    min_landmarks: int = 50
    """that any data may have"""
    rows_a_landmark: int = 2
    """at least, beyond those: links of single rows are chance"""
    ensemble_landmarks: int = 1000
    """of an ensemble; more of them need `ensemble_rows_a_landmark` rows each (without: USPS 2; never
    more: MNIST 3)"""
    ensemble_rows_a_landmark: int = 40

    counted_landmarks: int = 2000
    """where clusters are counted among many features, if each has rows enough (1,000: 29 of 96 sets of topics are
    counted right instead of 39, in half the time)"""
    rows_a_further_landmark: int = 14
    """of those beyond the usual number, where clusters are counted or labels refined"""
    few_landmarks: int = 40
    """a cluster: where there are fewer, any landmark may be a cluster by itself (without: whole numbers 4), and few are
    in the middle of a cluster by chance"""
    confirming_landmarks: float = 0.5
    """share of the landmarks that count again, others than before, where nothing speaks against a number (1: of blobs
    that overlap 9.5 of 2,304 fits are wrong without a warning instead of 3.5, 12 more right ones have one; without a
    second count: 27)"""

    # Many clusters
    many_clusters: int = 50
    """from which on landmarks are rows, and their graph is cut level by level (by eigenvectors: 60 topics 5, 150 topics
    12; but Gaussians of different width in 30 features lose 9)"""
    many_clusters_of_few_features: int = 100
    """the same where features are few (50: ARI of 50 to 75 Gaussians 0.1 to 2, in up to six times the time; but uneven
    ones in 8 features gain 3)"""
    few_features: int = 16
    """or more: by eigenvectors 50 uneven groups lose 5 there, and in 32 features 50 topics 32. With fewer, rows may be
    linked to each other, which takes time in proportion to the features"""
    landmarks_a_cluster: int = 100
    """for these (50: topics 1 to 3)"""
    many_landmarks: int = 20_000
    """that these have together at least, where there are rows for them (without: 100 topics in 64 features 4)"""
    resolution: float = 0.3
    """of the communities that clusters are joined from, for each cluster: there are some two for each (0.2: ARI of
    topics 2; 1: 2)"""

    join_power: float = 0.8
    """of the volumes that a link between communities is divided by (0.5: one of 120 topics swallows all; 1: ARI of
    topics 3 to 5)"""

    # A sample that decides for all rows
    sampled_rows_a_landmark: int = 150
    """where rows are many and features few: more change nothing (100, 200, 500, all: ARI and NMI the same, but for
    0.9 on uneven densities with 100)"""
    most_sampled_rows: int = 2_000_000
    """of all landmarks, however many these are"""

    # Refinement
    refined_landmarks: int = 4000
    """where labels are refined, if each has rows enough (1,000: MNIST 9 points of ACC, circles and Gaussians 0.1;
    5,000: no better, in a quarter more time; Letters and USPS, with fewer rows a landmark, lose 10)"""
    refined_landmarks_of_few_features: int = 2000
    """the same where features are few (5,000: no better, in up to twice the time; 1,000: circles and Gaussians 0.1)"""
    prototypes: int = 35_000
    """rows that agree with their neighbours, where `refine` asks for it (20,000: MNIST 1; half of
    fewer rows: USPS 2)"""
    prototype_neighbors: int = 15
    """of a prototype, among the others"""
    voting_prototypes: int = 5
    """nearest to a row, that vote for its label (15: no better, a fifth more time on Covertype; 1: MNIST 0.2)"""
    prototype_features: int = 32
    """that prototypes are compared by: principal components, where rows have more features (128: MNIST, USPS 0.6)"""
    prototype_loss: float = 1e-3
    """share of the squares that principal components may leave out, where fewer are enough (0: Covertype takes half as
    long again; 0.01: the same labels but for noise)"""
    refined_communities: float = 0.5
    """resolution, for each cluster, of the communities of prototypes that change sides as wholes where there is no gap
    (without: Letters 2, USPS 2, ARI of fuzzy bars 28; 2: Letters 1)"""
    refined_resolution: float = 0.4
    """of the modularity that communities and prototypes gain where they change sides (1: ARI of a dense group beside
    sparse ones, and of a line, 50 to 75; 0: few rows 1)"""
    kept_size: float = 0.5
    """of a cluster, which counts for nothing there (0, with a resolution of 0.25: Covertype 2 points of ACC)"""
    settled: float = 0.95
    """share of a landmark's prototypes in one cluster from which on rows of such landmarks need no search (1: a tenth
    more time; 0.9: MNIST 0.2)"""
    least_between: float = 0.005
    """share of the rows whose landmarks are of several clusters: where fewer are, nothing is refined (moons, spirals
    and rings have 0 to 0.002, the flower 0.02, others 0.03 and more)"""
    least_refined: float = 0.001
    """share of the prototypes that change sides: where fewer do, rows keep their labels"""

    def sampled_rows(self, n_landmarks: int) -> int:
        """How many rows decide all but labels with so many landmarks, where rows are many and features few."""
        return min(self.sampled_rows_a_landmark * n_landmarks, self.most_sampled_rows)

    def landmarks_to_confirm(self, n_landmarks: int, n_clusters: int) -> int:
        """How many landmarks count again what so many have counted: enough for the clusters, no more than before."""
        least = self.few_landmarks * n_clusters
        return min(max(int(self.confirming_landmarks * n_landmarks), least), n_landmarks)

    def usual_prototypes(self, n_rows: int) -> int:
        """How many rows agree with their neighbours, where labels are refined."""
        return min(self.prototypes, n_rows)

    def are_many(self, n_clusters: int, counted: bool, n_features: int) -> bool:
        """Whether so many clusters are many, or, where they are to be counted, whether there may be many."""
        if counted:
            return n_clusters > self.many_clusters
        are_few_features = n_features < self.few_features
        return n_clusters >= (self.many_clusters_of_few_features if are_few_features else self.many_clusters)

    def usual_landmarks(
        self, n_clusters: int, counted: bool, n_rows: int, n_features: int, refine: bool = False
    ) -> int:
        """How many landmarks there are where their number is left open."""
        if not self.are_many(n_clusters, counted, n_features):
            further = self._further_landmarks(counted, n_features < self.few_features, refine)
            return max([self.landmarks, *(p for p in further if n_rows >= self.rows_a_further_landmark * p)])
        wanted = max(self.landmarks_a_cluster * n_clusters, self.many_landmarks)
        return max(n_clusters, min(wanted, n_rows // self.rows_a_landmark))

    def _further_landmarks(self, counted: bool, are_few_features: bool, refine: bool) -> list[int]:
        """How many few clusters may have where there are rows enough."""
        further = []
        if counted and not are_few_features:
            further.append(self.counted_landmarks)
        if refine:
            further.append(self.refined_landmarks_of_few_features if are_few_features else self.refined_landmarks)
        return further
