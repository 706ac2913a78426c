"""`--layers`: coarser clusterings beside the labels, from the tree of clusters; refused early where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dncsc.cli.outputs import Target
from dncsc.errors import InputError

if TYPE_CHECKING:
    import numpy as np


def parse_layers(texts: Sequence[str] | None, target: Target | None) -> list[int]:
    """Numbers of groups that --layers asks for, in the order given; none without it."""
    if texts is None:
        return []
    if target is None:
        raise InputError("--layers adds columns to the labels, but -o does not say where these go.")
    if target.holds == "one array":
        raise InputError(f"--layers: a {target.suffix} file holds one array and no layers. Use .npz, .csv or .parquet.")
    parts = [part.strip() for text in texts for part in text.split(",")]
    for part in parts:
        if not part.isascii() or not part.isdigit() or int(part) < 1:
            raise InputError(f"--layers must be numbers of groups of at least 1, such as 10,50,200; got {part!r}.")
    found = list(map(int, parts))
    for each in found:
        if found.count(each) > 1:
            raise InputError(f"--layers: {each} is given twice. Give each number of groups once.")
    return found


def check_method(layers: Sequence[int], estimator: Any, method: str) -> None:
    """Refuse, before any work, layers that a fit cannot have."""
    if not layers:
        return
    if not estimator._has_tree:
        raise InputError(
            f"--layers: the method {method} has no tree of clusters. Use one with a graph of landmarks, such as dnc-sc."
        )
    k = estimator.n_clusters
    if isinstance(k, int):
        _check_sizes(layers, k, f"-k asks for {k} clusters")
    else:
        _check_sizes(layers, estimator.max_clusters, f"-k {k} finds {estimator.max_clusters} clusters at most")


def check_model(layers: Sequence[int], fitted: Any, name: str) -> None:
    """Refuse layers that a model does not have."""
    if not layers:
        return
    if not hasattr(fitted, "tree_"):
        why = "was written before models had one: fit again" if getattr(fitted, "_has_tree", False) else "has none"
        raise InputError(
            f"--layers: {name} is a model of {type(fitted).__name__} without a tree of clusters; it {why}."
        )
    _check_sizes(layers, fitted.n_clusters_, f"the model has {fitted.n_clusters_} clusters")


def _check_sizes(layers: Sequence[int], most: int, why: str) -> None:
    for each in layers:
        if each > most:
            raise InputError(f"--layers {each}: {why}, which join into 1 to {most} groups. Give no larger number.")


def layer_groups(layers: Sequence[int], fitted: Any) -> dict[int, np.ndarray]:
    """For each layer the group of each cluster.

    Where as many clusters were asked for as there are groups, but rows have fewer, each cluster is a group. Where their
    number was to be found, more groups than that are refused.
    """
    if isinstance(fitted.n_clusters, str):
        _check_sizes(layers, fitted.n_clusters_, f"{fitted.n_clusters_} clusters were found")
    return {each: fitted.merged(min(each, fitted.n_clusters_)) for each in layers}
