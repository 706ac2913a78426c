"""Which records model files and checkpoints are made of, and whether a model that was read can be trusted with rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dncsc.engines.frame import EUCLIDEAN, LONGEST, METRICS, SHORTEST, Frame
from dncsc.model import FARTHEST, Model
from dncsc.phases.affinity import Adaptive, Gaussian, RowNormalised, SelfTuning
from dncsc.phases.base_clusterings import BaseClustering, RowsAndClusters, SharedClusterings
from dncsc.phases.cell_search import CellSearch
from dncsc.phases.cut.diagnosis import Diagnosis
from dncsc.phases.cut.layers import LandmarkLinks
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import NONE, Counted, Partition
from dncsc.phases.discretize import Centroids
from dncsc.phases.embedding import Lift, Lifted, RowsAndLandmarks, Voted
from dncsc.phases.exact_graph import Placed
from dncsc.phases.gaussian_clusters import GaussianClusters
from dncsc.phases.kmeans_baseline import IdentityEmbedding
from dncsc.phases.mixture import Centres, Mixture
from dncsc.phases.nearest import Links
from dncsc.phases.nystrom import ByAllLandmarks, Kernel
from dncsc.phases.refine import Prototypes, Refined
from dncsc.phases.search import CandidateSearch, ExactSearch
from dncsc.phases.second_look import Clusters
from dncsc.phases.select.tree import Cells, Level, Selection, Tree
from dncsc.records import Kind, RecordError, Schema

LARGEST = {"float32": 2.0**60, "float64": LONGEST}
"""Numbers whose squares can be summed."""


@dataclass(frozen=True)
class Fitted:
    """What a model file holds: all that fitting found but the labels, which `predict` gives again."""

    model: Model
    eigenvalues: np.ndarray
    n_components: int
    inertia: float
    n_iter: int
    cluster_sizes: np.ndarray
    tree: np.ndarray | None = None
    diagnosis: Diagnosis | None = None


KINDS = Schema(
    10,
    [
        Kind("affinity/adaptive", Adaptive),
        Kind("affinity/gaussian", Gaussian, "bandwidth count"),
        Kind("affinity/row-normalised", RowNormalised, "weights"),
        Kind("affinity/self-tuning", SelfTuning, "scales"),
        Kind("base-clustering", BaseClustering, "embedding centroids clusters"),
        Kind("centroids", Centroids, "places n_iter mean_squared", mean_squared=None),
        Kind("clusters", Clusters, "partition centroids"),
        Kind(
            "cluster-count",
            Counted,
            "n_clusters clearness is_clear eigenvalues others between links n_parts smallest clear_from second_count "
            "tells_categories",
            others=NONE,
            between=None,
            links=None,
            n_parts=None,
            smallest=None,
            clear_from=CutPolicy.clear_gap,
            second_count=None,
            tells_categories=False,
        ),
        Kind("embedding/graph", Lifted, "graph coordinates=lift"),
        Kind("embedding/vote", Voted, "graph cluster n_clusters=n_dimensions"),
        Kind("embedding/refined", Refined, "embedding prototypes settled"),
        Kind("embedding/identity", IdentityEmbedding, "n_dimensions dtype"),
        Kind(
            "embedding/nystrom", ByAllLandmarks, "kernel degree_weights=reach root_degrees=root vectors=lines by_length"
        ),
        Kind("embedding/of-fitted-rows", Placed, "n_dimensions dtype"),
        Kind(
            "diagnosis",
            Diagnosis,
            "n_clusters clearness is_clear n_components largest_share is_coarse is_torn candidates was_counted "
            "is_by_position is_by_linkage n_parts between smallest clear_from second_count is_gaussian "
            "tells_categories",
            is_by_position=False,
            is_by_linkage=False,
            n_parts=None,
            between=None,
            smallest=None,
            clear_from=CutPolicy.clear_gap,
            second_count=None,
            is_gaussian=False,
            tells_categories=False,
        ),
        Kind(
            "fitted",
            Fitted,
            "model eigenvalues n_components inertia n_iter cluster_sizes tree diagnosis",
            tree=None,
            diagnosis=None,
        ),
        Kind("frame", Frame, "dtype scale shift metric", metric=EUCLIDEAN),
        Kind("graph/rows-and-clusters", RowsAndClusters, "landmark_graphs=shared"),
        Kind("graph/rows-and-landmarks", RowsAndLandmarks, "links affinity"),
        Kind("kernel/gaussian", Kernel, "landmarks bandwidth"),
        Kind("landmark-coordinates", Lift, "vectors by_length"),
        Kind("landmark-graph-clusterings", SharedClusterings, "number clusterings component"),
        Kind("cells", Cells, "centres first"),
        Kind("landmarks", Selection, "landmarks tree cells", cells=None),
        Kind("landmark-links", LandmarkLinks, "start neighbor weight"),
        Kind("links", Links, "tree search mean_distance exact_fraction ranks"),
        Kind("gaussian-clusters", GaussianClusters, "mixture centroids"),
        Kind("mixture", Mixture, "means factors constants"),
        Kind("centres", Centres, "places"),
        Kind(
            "model",
            Model,
            "frame embedding centroids noise_threshold classifier",
            noise_threshold=None,
            classifier=None,
        ),
        Kind(
            "partition",
            Partition,
            "embedding eigenvalues n_components component rejected counted links clearness is_clear is_coarse is_torn "
            "is_by_position is_by_linkage clear_from centres",
            clearness=None,
            is_clear=False,
            is_coarse=False,
            is_torn=False,
            is_by_position=False,
            is_by_linkage=False,
            clear_from=CutPolicy.clear_gap,
            centres=None,
        ),
        Kind("prototypes", Prototypes, "directions search cluster"),
        Kind("search/candidates", CandidateSearch, "landmarks n_neighbors candidates reach horizon"),
        Kind("search/cells", CellSearch, "landmarks n_neighbors cells n_probed"),
        Kind("search/exact", ExactSearch, "among_candidates"),
        Kind("tree", Tree, "levels directions", directions=None),
        Kind("tree-level", Level, "centres first"),
    ],
)
"""What models and checkpoints are made of. Tags and names left of "=" never change; a new field has a default."""


def check_fitted(fitted: Fitted, n_features: int) -> None:
    """Refuse a model that kernels could not be trusted with: wrong shapes, or indices out of range."""
    model, frame = fitted.model, fitted.model.frame
    _need(frame.dtype in (np.float32, np.float64), "its precision is neither float32 nor float64")
    _need(frame.metric in METRICS, f"its metric {frame.metric!r} is none of {', '.join(METRICS)}")
    most = 2.0**120 if frame.dtype == np.float32 else 2.0**1000
    _need(1 / most <= frame.scale <= most, "its scale is out of range")
    _array("shift", frame.shift, (n_features,), np.float64, np.inf)
    with np.errstate(over="ignore"):
        _need(np.isfinite(frame.shift / frame.scale).all(), "its shift is not finite")
    refined = model.embedding if isinstance(model.embedding, Refined) else None
    embedding = model.embedding if refined is None else refined.embedding
    _check_embedding(embedding, n_features, frame.dtype)
    far = FARTHEST[frame.dtype.name] if isinstance(embedding, IdentityEmbedding) else None
    width = 0 if isinstance(embedding, Voted) else embedding.n_dimensions
    _array("centroids", model.centroids, (None, width), embedding.dtype, far)
    _need(width or len(model.centroids) == embedding.n_dimensions, "its clusters are not those of its landmarks")
    _need(len(model.centroids) > 0, "it has no centroids")
    if refined is not None:
        _need(isinstance(refined.embedding.graph, RowsAndLandmarks), "what is refined has no landmarks")
        _check_prototypes(refined.prototypes, n_features, frame.dtype, len(model.centroids))
        _array("settled landmarks", refined.settled + 1, (refined.graph.n_points,), np.int32, len(model.centroids))
    if isinstance(model.classifier, Mixture):
        _check_mixture(model.classifier, len(model.centroids), n_features)
    if isinstance(model.classifier, Centres):
        _array("centres", model.classifier.places, (len(model.centroids), n_features), frame.dtype)
    if model.noise_threshold is not None:
        has_landmarks = isinstance(getattr(embedding, "graph", None), RowsAndLandmarks)
        _need(has_landmarks and 0 <= model.noise_threshold < np.inf, "its threshold of noise is out of range")
    _array("cluster sizes", fitted.cluster_sizes, (len(model.centroids),), np.int64, np.iinfo(np.int64).max)
    _array("eigenvalues", fitted.eigenvalues, (None,), np.float64)
    if fitted.tree is not None:
        _check_tree(fitted.tree, len(model.centroids))
    if fitted.diagnosis is not None:
        _array("candidates", fitted.diagnosis.candidates, (None, 2), np.float64)


def _check_tree(tree: np.ndarray, n_clusters: int) -> None:
    """Check that each cluster, and each that two have become, joins one other, once."""
    _array("the tree of clusters", tree, (n_clusters - 1, 4), np.float64)
    parts = np.sort(tree[:, :2].ravel())
    is_later = tree[:, :2] < n_clusters + np.arange(n_clusters - 1)[:, None]
    _need(np.array_equal(parts, np.arange(2 * n_clusters - 2)) and is_later.all(), "the tree of clusters is malformed")


def _need(true: Any, otherwise: str) -> None:
    if not true:
        raise RecordError(f"{otherwise}.")


def _array(what: str, array: np.ndarray, shape: tuple[int | None, ...], dtype: Any, most: float | None = None) -> None:
    """Check an array: indices are from 0 to `most`, other numbers not larger, nor so large that squares overflow."""
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    _need(fits and array.dtype == dtype, f"{what} of shape {array.shape} and dtype {array.dtype} do not fit")
    is_index = array.dtype.kind == "i"
    _need(is_index or not np.isnan(array).any(), f"{what} have NaN")
    if most is None and not is_index:
        most = LARGEST[array.dtype.name]
    if most is not None:
        within = np.all(array <= most) and np.all(array >= (0 if is_index else -most))
        _need(within, f"{what} are {'out of range' if is_index else 'too large'}")


def _check_embedding(embedding: Any, d: int, dtype: Any) -> None:
    if isinstance(embedding, Lifted):
        p = _check_graph(embedding.graph, d, dtype)
        _array("eigenvectors", embedding.lift.vectors, (p, None), dtype)
    elif isinstance(embedding, Voted):
        p = _check_graph(embedding.graph, d, dtype)
        _array("clusters of landmarks", embedding.cluster, (p,), np.int32, embedding.n_dimensions - 1)
    elif isinstance(embedding, ByAllLandmarks):
        _array("landmarks", embedding.kernel.landmarks, (None, d), dtype, FARTHEST[dtype.name])
        p = len(embedding.kernel.landmarks)
        _need(SHORTEST <= embedding.kernel.bandwidth <= LONGEST, "its bandwidth is out of range")
        _array("degree weights", embedding.reach, (p,), np.float64)
        _array("root degrees", embedding.root, (p,), np.float64)
        _need((embedding.root > 0).all(), "root degrees are not positive")
        _array("eigenvectors", embedding.lines, (p, None), np.float64)
    elif isinstance(embedding, IdentityEmbedding):
        _need(embedding.n_dimensions == d and embedding.dtype == dtype, "its rows have another shape")
    else:
        _need(isinstance(embedding, Placed), "its embedding is of another kind")
    _need(embedding.n_dimensions > 0, "it has no eigenvectors")


def _check_graph(graph: Any, d: int, dtype: Any) -> int:
    """Check a bipartite graph; how many points it has."""
    if isinstance(graph, RowsAndLandmarks):
        return _check_landmarks(graph, d, dtype)
    _need(isinstance(graph, RowsAndClusters) and graph.shared, "its graph has no base clusterings")
    for number, shared in enumerate(graph.shared):
        _need(shared.number == number and shared.clusterings, "its landmark graphs are not in order")
        graphs = [each.embedding.graph for each in shared.clusterings]
        _need(all(isinstance(each, RowsAndLandmarks) for each in graphs), "a base clustering is an ensemble")
        same = all(each.links is graphs[0].links for each in graphs)
        _need(same, "base clusterings of one landmark graph have different landmarks")
        p = _check_landmarks(graphs[0], d, dtype)
        _array("components of a graph", shared.component, (p,), np.int32, p - 1)
        n_components = int(shared.component.max(initial=0)) + 1
        for each in shared.clusterings:
            _check_embedding(each.embedding, d, dtype)
            _array("centroids of a base clustering", each.centroids, (None, each.embedding.n_dimensions), dtype)
            k = len(each.centroids)
            _need(0 < k <= 2**16, "a base clustering has no clusters, or too many")
            _array("clusters of a base clustering", each.clusters, (k, n_components), np.int32, 2**16 - 1)
    return int(graph.sizes.sum())


def _check_landmarks(graph: RowsAndLandmarks, d: int, dtype: Any) -> int:
    search = graph.links.search
    if isinstance(search, CellSearch):
        p = _check_cells(search, d, dtype)
        _need(not graph.links.tree.levels, "it has both cells and a tree")
        _check_affinity(graph.affinity, p, search.n_neighbors, dtype)
        return p
    inner: Any = search.among_candidates if isinstance(search, ExactSearch) else search
    _need(isinstance(inner, CandidateSearch), "its search is of another kind")
    far = FARTHEST[dtype.name]
    _array("landmarks", inner.landmarks, (None, d), dtype, far)
    p = len(inner.landmarks)
    _array("candidates", inner.candidates, (p, None), np.int32, p - 1)
    _need(1 <= inner.n_neighbors <= inner.candidates.shape[1], "it has no neighbours, or more than candidates")
    _array("reach", inner.reach, inner.candidates.shape, dtype)
    _array("horizon", inner.horizon, (p,), dtype, np.inf)  # where all landmarks are candidates, there is none
    subsets, directions = 1, graph.links.tree.directions
    if directions is not None:
        d = _check_directions(directions, d, dtype)
    for level in graph.links.tree.levels:
        _array("centres of the tree", level.centres, (None, d), dtype, far)
        _array("first centres of the tree", level.first, (subsets + 1,), np.int32)
        ascending = np.all(np.diff(level.first.astype(np.int64)) > 0)
        complete = level.first[0] == 0 and level.first[-1] == len(level.centres)
        _need(complete and ascending, "the tree is incomplete")
        subsets = len(level.centres)
    _need(graph.links.tree.levels and subsets == p, "the tree leads to other landmarks")
    _check_affinity(graph.affinity, p, inner.n_neighbors, dtype)
    return p


def _check_directions(directions: np.ndarray, d: int, dtype: Any) -> int:
    """Check what rows are projected to; how many directions there are."""
    _array("directions", directions, (None, d), dtype, 2.0)
    _need(len(directions) > 0, "it projects rows to nothing")
    return len(directions)


def _check_prototypes(prototypes: Prototypes, d: int, dtype: Any, n_clusters: int) -> None:
    if prototypes.directions is not None:
        d = _check_directions(prototypes.directions, d, dtype)
    q = _check_cells(prototypes.search, d, dtype)
    _array("clusters of prototypes", prototypes.cluster, (q,), np.int32, n_clusters - 1)


def _check_mixture(mixture: Mixture, k: int, d: int) -> None:
    _array("means of a mixture", mixture.means, (k, d), np.float64)
    _array("factors of a mixture", mixture.factors, (k, d, d), np.float64)
    _array("constants of a mixture", mixture.constants, (k,), np.float64)


def _check_cells(search: CellSearch, d: int, dtype: Any) -> int:
    """Check landmarks that are sorted by cells; how many there are."""
    far, p, cells = FARTHEST[dtype.name], len(search.landmarks), search.cells
    _array("landmarks", search.landmarks, (None, d), dtype, far)
    _array("centres of cells", cells.centres, (None, d), dtype, far)
    _array("first landmarks of cells", cells.first, (len(cells.centres) + 1,), np.int32)
    complete = cells.first[0] == 0 and cells.first[-1] == p and np.all(np.diff(cells.first.astype(np.int64)) >= 0)
    _need(complete, "the cells do not have all landmarks")
    _need(1 <= search.n_neighbors <= p, "it has no neighbours, or more than landmarks")
    _need(1 <= search.n_probed <= len(cells.centres), "it searches no cells, or more than there are")
    return p


def _check_affinity(affinity: Any, p: int, n_neighbors: int, dtype: Any) -> None:
    if isinstance(affinity, RowNormalised):
        _need(not isinstance(affinity.weights, RowNormalised), "its weights are row-normalised twice")
        _check_affinity(affinity.weights, p, n_neighbors, dtype)
    elif isinstance(affinity, Gaussian):
        _need(affinity.count is None or 1 <= affinity.count <= n_neighbors, "it weighs more neighbours than it has")
        _need(affinity.bandwidth > 0, "its bandwidth is not positive")
    elif isinstance(affinity, SelfTuning):
        _array("scales", affinity.scales, (p,), dtype)
    else:
        _need(isinstance(affinity, Adaptive), "its affinity is of another kind")
