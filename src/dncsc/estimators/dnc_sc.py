"""DnCSC, the divide-and-conquer spectral clustering of the paper, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dncsc.estimators.base import LandmarkClusterer
from dncsc.estimators.parameters import CONSTRAINTS, integer, one_of, positive
from dncsc.phases.settings import ADAPTIVE, AUTO, LOCAL, MEAN, Settings
from dncsc.recipes import DNC_SC, MULTILEVEL, NEAREST, NEAREST_IN_CELLS, ROWS, SELECT, Recipe


@dataclass(eq=False, repr=False, kw_only=True)
class DnCSC(LandmarkClusterer):
    """Divide-and-conquer based large-scale spectral clustering.

    Finds clusters of any shape in time and memory linear in the rows: p landmarks are selected by divide and
    conquer, each row is linked to its K nearest landmarks, the graph of rows and landmarks is cut through an
    eigenproblem on the landmarks alone, and k-means on its spectrum gives the clusters [1]_.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters, k. "auto" looks for a clear gap between eigenvalues, or, where there may be more than fifty,
        for where links between clusters fall off, and warns where that is not clear, or not what other landmarks count.
        What it counts are groups of `diagnosis_.smallest` rows and more; whether smaller ones count is left to chance.
        More landmarks lower that.
    metric : {"euclidean", "cosine"}, default="euclidean"
        What distances are between: the rows, or for "cosine" the rows divided by their length, so that only their
        directions count. The distance of two directions is ``sqrt(2 - 2 cos)``, from 0 to 2. Rows of zeros have none:
        they stay at the origin, and a warning says how many they are.
    max_clusters : int, default=50
        The most clusters that "auto" looks for; has no effect otherwise.
    n_landmarks : int or "auto", default="auto"
        Number of landmarks, p; at least `n_clusters`. "auto" is 1,000 for few clusters (2,000 where they are counted
        among 16 features or more, and more with `refine`, given 14 rows for each), and a hundred for each of many (see
        `select`), or 20,000 if that is more. Data with fewer distinct rows gets fewer landmarks, and with
        ``bandwidth="auto"`` there are at least two rows a landmark beyond the first fifty.
    n_neighbors : int, default=5
        Number of nearest landmarks that a row is linked to, K. More than there are landmarks means all of them.
    selection_rate : int or "auto", default="auto"
        Into how many parts a subset is divided at most in one round of the selection, alpha. "auto" is 200 below
        100,000 rows, and from there on 50, or as many as clusters up to 200.
    sample_size : int or "auto", default="auto"
        How many rows of a subset are looked at to divide it at most, p'; no more than 150 for each part. "auto" is
        ``10 * n_landmarks``.
    n_candidates : int or "auto", default="auto"
        Among how many landmarks near its own the nearest of a row are searched, K'. "auto" is ``10 * n_neighbors``.
    bandwidth : {"auto", "mean", "local", "adaptive"} or float, default="auto"
        How distances become weights. A number is the standard deviation sigma of a Gaussian, in the units of the
        data; "mean" takes the mean distance of the rows to their nearest landmarks for it. "local" tunes the Gaussian
        to each row and landmark. "adaptive" needs no bandwidth: weights fall linearly in the squared distance, to 0 at
        the last landmark. "auto" takes a third of the mean distance, which finds narrow gaps between clusters; where
        that fragments the graph, it is adaptive. Links between landmarks are then squared, most of those of landmarks
        to themselves left out, and eigenvectors weighted by their eigenvalues where the spectrum has no gap. Where
        clusters are like Gaussians, as `diagnosis_` says, rows go to the most probable of as many Gaussians in the end.
    select : {"auto", "dnc", "dnc-kmeans", "kmeans", "rows"}, default="auto"
        How landmarks are selected: divide and conquer with light-k-means, divide and conquer with k-means on all
        rows, or k-means on all rows without division. These two are slower, and there for comparison. "rows" draws
        rows at random, and cuts their graph level by level instead of by eigenvectors, whose cost grows with the square
        of the number of clusters. "auto" is "dnc" below fifty clusters, or a hundred with fewer than 16
        features, and "rows" from there on.
    nearest : {"auto", "candidates", "exact"}, default="auto"
        Search the nearest landmarks among the candidates, or make sure that no other landmark is nearer. "auto" is
        "exact" where that takes little longer: with hundreds of features that depend on each other.
    noise : float, default=0.0
        Share of the rows that get the label -1: those with the least `score_samples`, which lie apart from all others;
        fewer where rows at the limit are equally far. New rows as far away get it too. Where most rows of a cluster
        would be noise, the graph is cut again without noise; clusters that are noise around the others are left out
        with any share, and without one. Else noise has a say in one thing only: whether clusters are like Gaussians is
        asked without it.
    refine : bool, default=False
        Better labels for more time: there are more landmarks, 4,000 with 56,000 rows or more, of fewer than 16 features
        2,000 with 28,000, and neighbours have a say. Of up to 35,000 rows at random, the prototypes, each takes the
        cluster of most of its neighbours among them, until hardly any changes; where the spectrum has no gap,
        communities of them do so first, as wholes. A row at a border then takes the cluster of most prototypes near
        it. `transform` and `score_samples` are as they were. A fit takes two to four times as long, and the model holds
        the prototypes, by up to 32 principal components. Where next to none would change, and where clusters are many
        (see `select`) and links of rows decide in any case, labels stay as they are; so do those of Gaussians, and
        of centres where rows are divided by position, as `diagnosis_` says.
    normalize : {"l2", "l1"}, default="l2"
        Norm to which rows of the embedding are scaled: the 2-norm, as in the published code of the paper, or the
        1-norm, as in its text.
    n_init : int, default=3
        Runs of k-means on a sample of the embedding, from the best of five times as many on few rows; the best is kept.
    max_iter : int, default=100
        Iterations of each.
    random_state : int, RandomState instance or None, default=None
        Seed. The same seed gives the same labels, whatever the number of threads.
    n_jobs : int or None, default=None
        Threads; None or -1 for all cores, -2 for all but one, and so on.
    max_memory : str or int, optional
        Memory that the process may use, such as "2GB"; by default half of what is free. What does not fit goes to
        scratch files. For an array in memory it is counted beyond the array.
    scratch_dir : path, optional
        Folder for scratch files, which are gone when a fit ends, however it ends.
    checkpoint : path, optional
        Folder for the results of finished phases. A fit that was interrupted, run again with the same data and
        parameters, goes on from there.
    verbose : int, default=0
        Print a line a phase when positive.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters.
    labels_ : ndarray of int32 of shape (n_samples,)
        Cluster of each row.
    landmarks_ : ndarray of shape (`n_landmarks_`, `n_features_in_`)
        Of length 1 where the metric is the cosine.
    n_landmarks_ : int
    bandwidth_ : float or None
        Bandwidth used, in the units of the data (of directions, for the cosine); None for "local" and "adaptive".
    eigenvalues_ : ndarray
        Smallest eigenvalues of the graph's normalised Laplacian on the landmarks, ascending from 0; a few more than
        `n_clusters`, so that the gap behind the last one used can be seen. Where that number was to be found,
        those of the graph that they were counted by. None at all where landmarks are rows.
    cluster_centers_ : ndarray of shape (n_clusters, n_components)
        Centroids in the embedding; without coordinates where landmarks are rows: there a row's links decide. A row is
        in the cluster of the nearest one, unless labels are refined, or come from Gaussians or centres among the rows.
    cluster_sizes_ : ndarray of int64 of shape (n_clusters,)
        Rows of each cluster.
    inertia_ : float
        Sum of squared distances of embedded rows to their centroids. Of more than 20,000 rows, or 200 a cluster, it
        is estimated from so many at random: most rows get their label from their landmarks, and are not embedded.
        Where labels are those of Gaussians, it is from 2,000 rows, or 100 a cluster, without outliers, and from 5,000
        where rows go to the nearest of centres among them.
    n_iter_ : int
        Iterations of the best start of k-means on the embedding.
    exact_fraction_ : float
        Share of rows whose nearest landmarks are proven to be the nearest of all; of more than 200,000 rows with fewer
        than 16 features, among those that `inertia_` is estimated from.
    n_graph_components_ : int
        Connected parts of the graph. Where they are more than the clusters, small ones are outliers, or the lightest
        are joined to their neighbours, as `diagnosis_` says.
    diagnosis_ : Diagnosis
        How clearly the graph shows the clusters; ``print(model.diagnosis_)`` says it in a sentence. Where it is in
        doubt, `fit` warns.
    tree_ : ndarray of shape (`n_clusters_` - 1, 4)
        Which clusters join first, by the weights that the cut links them by: a linkage matrix, as
        `scipy.cluster.hierarchy.dendrogram` takes it. `merged` gives the coarser clusterings.
    timings_ : dict of str to float
        Seconds of each phase.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X has any.
    notes_ : dict
        What was given to `save`; only in models that `dncsc.load_model` gave, which have no `labels_`.

    References
    ----------
    .. [1] Li, Ye, Imakura and Sakurai, "Divide-and-conquer based large-scale spectral clustering", 2022.

    Examples
    --------
    >>> from dncsc import DnCSC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(2000, noise=0.05, random_state=0)
    >>> model = DnCSC(n_clusters=2, n_landmarks=100, random_state=0).fit(X)
    >>> bool((model.labels_ == model.predict(X)).all())
    True
    """

    max_clusters: int = 50
    selection_rate: int | str = AUTO
    sample_size: int | str = AUTO
    n_candidates: int | str = AUTO
    bandwidth: float | str = AUTO
    n_landmarks: int | str = AUTO
    select: str = AUTO
    nearest: str = AUTO
    noise: float = 0.0
    refine: bool = False

    _constraints = {  # noqa: RUF012
        **CONSTRAINTS,
        "n_clusters": integer(1, AUTO),
        "n_landmarks": integer(1, AUTO),
        "bandwidth": positive(AUTO, MEAN, LOCAL, ADAPTIVE),
        "select": one_of(AUTO, *SELECT, ROWS),
    }

    def _recipe(self, n_features: int) -> Recipe:
        by_eigenvectors = replace(DNC_SC, select=SELECT.get(self.select, DNC_SC.select), nearest=NEAREST[self.nearest])
        if not self._is_multilevel(n_features):
            return by_eigenvectors
        of_few = by_eigenvectors if self.select == AUTO else None
        return replace(MULTILEVEL, nearest=NEAREST_IN_CELLS[self.nearest], of_few=of_few)

    def _is_multilevel(self, n_features: int) -> bool:
        counted = self.n_clusters == AUTO
        are_many = Settings.policy.are_many(self.max_clusters if counted else self.n_clusters, counted, n_features)
        return self.select == ROWS or (self.select == AUTO and are_many)
