"""Models as files: which records they are made of, and whether one that was read can be trusted with rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from dncsc.engines.frame import LONGEST, SHORTEST, Frame
from dncsc.model import FARTHEST, Model
from dncsc.phases.affinity import Adaptive, Gaussian, RowNormalised, SelfTuning
from dncsc.phases.base_clusterings import BaseClustering, RowsAndClusters, SharedClusterings
from dncsc.phases.cut.transfer_cut import Counted, Partition
from dncsc.phases.discretize import Centroids
from dncsc.phases.embedding import Lift, Lifted, RowsAndLandmarks
from dncsc.phases.exact_graph import Placed
from dncsc.phases.kmeans_baseline import IdentityEmbedding
from dncsc.phases.nearest import CandidateSearch, ExactSearch, Links
from dncsc.phases.nystrom import ByAllLandmarks, Kernel
from dncsc.phases.select.tree import Level, Selection, Tree
from dncsc.records import RecordError

KINDS: tuple[type, ...] = (
    Adaptive,
    BaseClustering,
    RowsAndClusters,
    SharedClusterings,
    ByAllLandmarks,
    CandidateSearch,
    Counted,
    Centroids,
    ExactSearch,
    Frame,
    Gaussian,
    Kernel,
    Level,
    Lift,
    Lifted,
    Links,
    Model,
    Partition,
    Placed,
    IdentityEmbedding,
    RowsAndLandmarks,
    RowNormalised,
    Selection,
    SelfTuning,
    Tree,
)


def check_model(model: Model, n_features: int) -> None:
    """Refuse a model that kernels could not be trusted with: wrong shapes, or numbers of things that do not exist."""
    frame = model.frame
    _need(frame.dtype in (np.float32, np.float64), "its precision is neither float32 nor float64")
    most = 2.0**120 if frame.dtype == np.float32 else 2.0**1000
    _need(1 / most <= frame.scale <= most, "its scale is not positive, or out of all measure")
    _array("the shift", frame.shift, (n_features,), np.dtype(np.float64))
    with np.errstate(over="ignore"):
        _need(np.isfinite(frame.shift / frame.scale).all(), "the middle of its rows is infinitely far away")
    _check_embedding(model.embedding, n_features, frame.dtype)
    check = _points if isinstance(model.embedding, IdentityEmbedding) else _array
    check("the centroids", model.centroids, (None, model.embedding.n_dimensions), model.embedding.dtype)
    _need(len(model.centroids) > 0, "it has no centroids")


def _need(true: Any, otherwise: str) -> None:
    if not true:
        raise RecordError(f"the model cannot be used: {otherwise}.")


def _array(what: str, array: np.ndarray, shape: tuple[int | None, ...], dtype: Any) -> None:
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    _need(fits and array.dtype == dtype, f"{what} has shape {array.shape} and dtype {array.dtype}")
    _need(array.dtype.kind != "f" or not np.isnan(array).any(), f"{what} has NaN")


def _points(what: str, array: np.ndarray, shape: tuple[int | None, ...], dtype: Any) -> None:
    """Points of the frame: farther out, squared distances overflow, and nothing is nearest to anything."""
    _array(what, array, shape, dtype)
    _need(np.all(np.abs(array) <= FARTHEST[np.dtype(dtype).name]), f"{what} lies outside of all rows")


def _numbers(what: str, array: np.ndarray, below: int) -> None:
    _need(array.size == 0 or (array.min() >= 0 and array.max() < below), f"{what} names what does not exist")


def _check_embedding(embedding: Any, d: int, dtype: Any) -> None:
    if isinstance(embedding, Lifted):
        p = _check_graph(embedding.graph, d, dtype)
        _array("the eigenvectors", embedding.lift.vectors, (p, None), dtype)
        _need(embedding.n_dimensions > 0, "it has no eigenvectors")
    elif isinstance(embedding, ByAllLandmarks):
        _points("the landmarks", embedding.kernel.landmarks, (None, d), dtype)
        p = len(embedding.kernel.landmarks)
        _need(SHORTEST <= embedding.kernel.bandwidth <= LONGEST, "its bandwidth is not positive, or too large")
        for what, array in (("the reach", embedding.reach), ("the root", embedding.root)):
            _array(what, array, (p,), np.float64)
        _array("the lines", embedding.lines, (p, None), np.float64)
        _need(embedding.n_dimensions > 0, "it has no eigenvectors")
    elif isinstance(embedding, IdentityEmbedding):
        _need(embedding.n_dimensions == d and embedding.dtype == dtype, "its rows have another shape")
    else:
        _need(isinstance(embedding, Placed), f"it places rows by a {type(embedding).__name__}")


def _check_graph(graph: Any, d: int, dtype: Any) -> int:
    """Check a bipartite graph; how many points it has."""
    if isinstance(graph, RowsAndLandmarks):
        return _check_landmarks(graph, d, dtype)
    _need(isinstance(graph, RowsAndClusters) and graph.shared, "its graph is none")
    for number, group in enumerate(graph.shared):
        _need(group.number == number and group.clusterings, "its base clusterings are not in order")
        shared = group.clusterings[0].embedding.graph.links
        for member in group.clusterings:
            _need(isinstance(member.embedding.graph, RowsAndLandmarks), "a member is an ensemble")
            _need(member.embedding.graph.links is shared, "members of a group have different landmarks")
            _check_embedding(member.embedding, d, dtype)
            _array("a member's centroids", member.centroids, (None, member.embedding.n_dimensions), dtype)
            _need(0 < len(member.centroids) <= 2**16, "a member has too many clusters")
        _check_parts(group, len(shared.search.landmarks))
    return int(graph.sizes.sum())


def _check_parts(group: SharedClusterings, p: int) -> None:
    """Check which part of the graph a landmark is in, and which cluster rows of a part are in."""
    _array("components of a graph", group.component, (p,), np.int32)
    _numbers("a component of a graph", group.component, p)
    n_parts = int(group.component.max()) + 1
    for member in group.clusterings:
        _array("a member's clusters", member.clusters, (len(member.centroids), n_parts), np.int32)
        _numbers("a member's cluster", member.clusters, 2**16)


def _check_landmarks(graph: RowsAndLandmarks, d: int, dtype: Any) -> int:
    search = graph.links.search
    inner: Any = search.among_candidates if isinstance(search, ExactSearch) else search
    _need(isinstance(inner, CandidateSearch), f"it searches by a {type(inner).__name__}")
    _points("the landmarks", inner.landmarks, (None, d), dtype)
    p = len(inner.landmarks)
    _array("the candidates", inner.candidates, (p, None), np.int32)
    _numbers("a candidate", inner.candidates, p)
    _need(1 <= inner.n_neighbors <= inner.candidates.shape[1], "it wants more neighbours than there are candidates")
    _array("the reach", inner.reach, inner.candidates.shape, dtype)
    _array("the horizon", inner.horizon, (p,), dtype)
    _check_tree(graph.links.tree, d, dtype, p)
    _check_affinity(graph.affinity, p, inner.n_neighbors, dtype)
    return p


def _check_tree(tree: Tree, d: int, dtype: Any, p: int) -> None:
    subsets = 1
    for level in tree.levels:
        _points("the centres", level.centres, (None, d), dtype)
        _array("the first centres", level.first, (subsets + 1,), np.int32)
        steps = itertools.pairwise([*level.first.tolist(), len(level.centres)])
        ascending = all(one <= other for one, other in steps)
        _need(level.first[0] == 0 and level.first[-1] == len(level.centres) and ascending, "its tree is torn")
        _need(np.all(np.diff(level.first) > 0), "a branch of its tree leads nowhere")
        subsets = len(level.centres)
    _need(tree.levels and subsets == p, "its tree leads to other landmarks")


def _check_affinity(affinity: Any, p: int, n_neighbors: int, dtype: Any) -> None:
    if isinstance(affinity, RowNormalised):
        _need(not isinstance(affinity.weights, RowNormalised), "its weights are scaled twice")
        _check_affinity(affinity.weights, p, n_neighbors, dtype)
    elif isinstance(affinity, Gaussian):
        _need(affinity.count is None or 1 <= affinity.count <= n_neighbors, "it weighs neighbours that are none")
        _need(affinity.bandwidth > 0, "its bandwidth is not positive")
    elif isinstance(affinity, SelfTuning):
        _array("the scales", affinity.scales, (p,), dtype)
    else:
        _need(isinstance(affinity, Adaptive), f"it weighs by a {type(affinity).__name__}")
