"""Run a recipe over an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.frame import EUCLIDEAN, Frame
from dncsc.engines.scales import unscaled
from dncsc.engines.seeds import generator
from dncsc.errors import InputError
from dncsc.model import Model
from dncsc.phases.affinity import Affinity
from dncsc.phases.confidence import CONFIDENCE, confidence
from dncsc.phases.cut.count import beside, with_parts
from dncsc.phases.cut.diagnosis import diagnose
from dncsc.phases.cut.layers import LandmarkLinks, cluster_tree, with_a_landmark_each
from dncsc.phases.cut.transfer_cut import Counted, Partition, cut_landmarks
from dncsc.phases.cut.weights import Attempt, by_data, by_name, for_ensemble
from dncsc.phases.discretize import LABEL, Centroids, Labelled, label_all, share_between
from dncsc.phases.embedding import Embedding, Lifted, Voted
from dncsc.phases.ensemble import EnsembleSize, LandmarkGraphs, consensus
from dncsc.phases.gaussian_clusters import GaussianClusters, find_gaussians
from dncsc.phases.inputs import columns_of
from dncsc.phases.kmeans_baseline import IdentityEmbedding
from dncsc.phases.mixture import Centres, Classifier
from dncsc.phases.nearest import Links
from dncsc.phases.noise import find_noise_limit
from dncsc.phases.refine import Refined, refine
from dncsc.phases.second_look import Clusters, find_clusters
from dncsc.phases.select.tree import Selection
from dncsc.phases.settings import Settings
from dncsc.phases.shared_sample import keep_sample
from dncsc.phases.survey import Surveyed, survey
from dncsc.phases.two_modes import count_modes
from dncsc.recipes import Recipe
from dncsc.steps import Keeper, Steps
from dncsc.version import __version__


@dataclass
class Run:
    """What a run found."""

    model: Model
    labels: Any
    partition: Partition
    centroids: Centroids
    labelled: Labelled
    timings: dict[str, float]
    tree: np.ndarray | None = None
    """in which order clusters join, where they were cut from a graph of points"""
    confidence: Any = None
    """how far the base clusterings of an ensemble agree on each row"""
    n_zero: int = 0
    """rows of 0, where the metric gives them no direction"""


def run(
    recipe: Recipe,
    engine: Engine,
    settings: Callable[[Frame, int, bool], Settings],
    names: Sequence[str] | None = None,
    say: Callable[[str], None] = lambda text: None,
    ensemble: EnsembleSize | None = None,
    keeper: Keeper | None = None,
    metric: str = EUCLIDEAN,
) -> Run:
    """Carry out a recipe.

    Parameters
    ----------
    recipe : Recipe
    engine : Engine
        Entered, and in its raw frame.
    settings : callable
        Gives the settings once the frame and the number of rows of positive weight are known, for many clusters, or
        for few of the many there might be.
    names : sequence of str, optional
        Names of the features, for messages.
    say : callable
        Told of each phase that ends.
    ensemble : EnsembleSize, optional
        For an ensemble.
    keeper : Keeper, optional
        Has results of an earlier run, and is given those of this one.
    metric : str
        What distances are between: rows as they are, or, for the cosine, rows of length 1.
    """
    engine.frame = replace(engine.frame, metric=metric)
    steps = Steps(engine, say, keeper)
    early = None
    if ensemble is None and keeper is None:  # members have samples of their own, and what was kept may need none
        early = recipe.early_sample(engine, settings(engine.frame, engine.layout.n_rows, False))
    surveyed = steps("survey", survey, names, keeper is not None, early)
    engine.frame, engine.weight_scale = surveyed.frame, surveyed.weight_scale
    choose = partial(settings, surveyed.frame, surveyed.n_counted)
    chosen = choose(False)
    if surveyed.drawn is not None:
        keep_sample(engine, chosen, surveyed.drawn)
    if keeper is not None:
        keeper.start(_made_from(recipe, engine, surveyed, chosen, ensemble))
    used = recipe
    if ensemble is None:
        used, partition = _graph(recipe, steps, choose)
    else:
        partition = consensus(engine, chosen, ensemble, partial(_landmark_graphs, recipe, steps))
    of_used = choose(used is not recipe)
    if partition.counted is not None:
        chosen = replace(of_used, n_clusters=partition.counted.n_clusters, count_clusters=False)

    placed = _discretize(used, steps, chosen, partition)
    partition, centroids, embedding = placed.partition, placed.centroids, placed.embedding
    units = [engine.frame.scale] * 2 if isinstance(embedding, IdentityEmbedding) else []  # places in a graph have none
    inertia = unscaled(placed.labelled.inertia, engine.weight_scale, *units)
    agreed = None
    if ensemble is not None:
        assert isinstance(embedding, Lifted)
        steps("confidence", confidence, embedding.graph, len(centroids.places))
        agreed = engine.take(CONFIDENCE)
    tree = None
    if partition.links is not None:
        tree, partition = _tree(partition, partition.links, centroids, chosen, placed.classifier)
    steps.forget(columns_of(embedding.inputs))
    model = Model(engine.frame, embedding, centroids.places, placed.noise_threshold, placed.classifier)
    labelled = replace(placed.labelled, inertia=inertia)
    labels = engine.take(LABEL)
    if partition.counted is not None and _is_sure(partition, labelled.count):
        others = _other_landmarks(of_used, partition.counted)
        counted = _confirmed(used, steps, chosen, others, partition, placed)
        partition = replace(partition, counted=counted)
    found = partition, centroids, labelled, steps.timings, tree, agreed, surveyed.n_zero
    return Run(model, labels, *found)


def _is_sure(partition: Partition, sizes: np.ndarray) -> bool:
    """Whether nothing speaks against the number of few clusters that were counted."""
    counted = partition.counted
    assert counted is not None
    return counted.between is None and not diagnose(partition, sizes, counted.n_clusters).is_doubtful


def _other_landmarks(settings: Settings, counted: Counted) -> Settings:
    """Settings by which other, fewer landmarks are selected."""
    n_landmarks = settings.policy.landmarks_to_confirm(settings.n_landmarks, counted.n_clusters)
    return replace(settings, seed=int(generator(settings.seed, "confirm").integers(2**31)), n_landmarks=n_landmarks)


def _confirmed(
    recipe: Recipe, steps: Steps, chosen: Settings, others: Settings, partition: Partition, placed: _Placed
) -> Counted:
    """What was counted, with what rows and other landmarks say against it."""
    assert partition.counted is not None
    places = placed.embedding, placed.centroids.places
    n_modes = steps("confirm", count_modes, chosen, partition, *places, say=False)
    counted = steps("confirm", _confirm, recipe, others, partition.counted, placed.labelled.count)
    return replace(counted, n_parts=n_modes)


def _confirm(engine: Engine, recipe: Recipe, others: Settings, counted: Counted, sizes: np.ndarray) -> Counted:
    """The same count, with that of other landmarks if it differs, or is in doubt.

    All rows have their labels. So where the graph of these landmarks has no solution, the fit does not end: its count
    is not confirmed.
    """
    try:
        second, partition = _count_again(engine, recipe, others)
    except (InputError, np.linalg.LinAlgError):  # of the solver: rows were read before, and are checked for changes
        return replace(counted, second_count=counted.n_clusters)
    if second.n_clusters == counted.n_clusters and _is_sure(partition, sizes):
        return counted
    return replace(beside(counted, second, others.policy), second_count=second.n_clusters)


def _count_again(engine: Engine, recipe: Recipe, settings: Settings) -> tuple[Counted, Partition]:
    """What is counted, and the partition into as many clusters, whose landmarks are forgotten."""
    steps = Steps(engine, together="confirm")
    _, partition = _graph(recipe, steps, lambda few: settings)
    counted = partition.counted
    assert counted is not None
    chosen = replace(settings, n_clusters=counted.n_clusters)
    found = find_clusters(engine, chosen, partition, recipe.discretize)
    assert found.partition.links is not None
    _, partition = _tree(found.partition, found.partition.links, found.centroids, chosen)
    steps.forget(columns_of(partition.embedding.inputs))
    return counted, partition


class _Placed(NamedTuple):
    """What the last phase found, and what it labelled rows by."""

    partition: Partition
    centroids: Centroids
    embedding: Embedding
    labelled: Labelled
    noise_threshold: float | None
    classifier: Classifier | None


def _discretize(recipe: Recipe, steps: Steps, chosen: Settings, partition: Partition) -> _Placed:
    """Phase 5; with other clusters where the partition shows none, and finer borders where there are such."""
    limit = steps("discretize", find_noise_limit, chosen, partition.embedding, say=False) if chosen.noise else None
    found = steps.once("discretize", Clusters, find_clusters, chosen, partition, recipe.discretize, limit, say=False)
    partition, centroids = found.partition, found.centroids
    embedding, threshold = partition.embedding, None if limit is None else limit.threshold
    classifier: Classifier | None = None if partition.centres is None else Centres(partition.centres)
    gaussian = steps.once("discretize", GaussianClusters, cast(Any, find_gaussians), chosen, found, limit, say=False)
    if gaussian is not None:
        classifier, centroids = gaussian.mixture, gaussian.centroids
    refined = _refined(steps, chosen, found) if chosen.refine and classifier is None else None
    embedding, phase = (embedding, "discretize") if refined is None else (refined, "refine")
    if refined is not None:
        steps.tell("discretize")
    labelled = steps(phase, label_all, embedding, centroids, threshold, classifier)
    return _Placed(partition, centroids, embedding, labelled, threshold, classifier)


def _refined(steps: Steps, chosen: Settings, found: Clusters) -> Refined | None:
    """What refines labels; None where that would change next to none."""
    partition, centroids = found.partition, found.centroids
    if not partition.is_as_cut:
        return None
    assert isinstance(partition.embedding, Lifted)
    between = steps("refine", share_between, chosen, partition.embedding, centroids, say=False)
    if between < chosen.policy.least_between:
        return None
    return steps.once("refine", Refined, cast(Any, refine), chosen, partition, centroids.places, say=False)


def _tree(
    partition: Partition,
    links: LandmarkLinks,
    centroids: Centroids,
    chosen: Settings,
    classifier: Classifier | None = None,
) -> tuple[np.ndarray, Partition]:
    """In which order clusters of landmarks join, and, where they were counted, the partition with their parts."""
    cut = partition.embedding
    assert isinstance(cut, Lifted | Voted)
    landmarks = cut.graph.points
    if classifier is not None:
        cluster = with_a_landmark_each(classifier.label(landmarks), classifier.middles, landmarks)
    else:
        cluster = cut.label_points(centroids.places)
        if isinstance(cut, Lifted):
            cluster = with_a_landmark_each(cluster, centroids.places, cut.places_of_points)
    tree = cluster_tree(links.matrix, cluster, len(centroids.places), landmarks, chosen.policy.join_power)
    if partition.counted is None:
        return tree, partition
    return tree, replace(partition, counted=with_parts(partition.counted, cluster, landmarks, chosen.policy))


def _graph(
    recipe: Recipe, steps: Steps, settings: Callable[[bool], Settings], before: Counted | None = None
) -> tuple[Recipe, Partition]:
    """Phases 1 to 4, and the recipe that they follow in the end; `before` is what was counted with another one."""
    chosen = settings(before is not None)
    selection, links, affinity = _weighed(recipe, steps, chosen)
    counted = None
    if chosen.count_clusters:
        counted = steps.once("count", Counted, recipe.count, chosen, links)
        if recipe.of_few is not None and counted.n_clusters < chosen.policy.many_clusters:
            assert links is not None
            steps.forget([column.name for column in links.columns])
            return _graph(recipe.of_few, steps, settings, counted)
        chosen = replace(chosen, n_clusters=counted.n_clusters, count_clusters=False)
        counted = counted if before is None else beside(counted, before, chosen.policy)
    partition = steps.once("partition", Partition, recipe.partition, chosen, selection, links, affinity)
    return recipe, replace(partition, counted=counted)


def _landmark_graphs(recipe: Recipe, steps: Steps, settings: Settings) -> LandmarkGraphs:
    """The same for base clusterings of an ensemble, for each kind of weights."""
    _, links, affinity = _weighed(recipe, steps, settings)
    assert links is not None

    def cut(attempts: Sequence[Attempt], chosen: Settings) -> Partition:
        return steps.once("partition", Partition, cut_landmarks, chosen, links, attempts)

    if affinity:
        return LandmarkGraphs([cut([by_name(affinity)], settings)])
    fine = [cut([attempt], settings) for attempt in for_ensemble(settings, links)]
    return LandmarkGraphs(fine, cut(by_data(settings, links), replace(settings, n_vectors=None)))


def _weighed(
    recipe: Recipe, steps: Steps, settings: Settings
) -> tuple[Selection | None, Links | None, Affinity | None]:
    """Phases 1 to 3."""
    selection = links = affinity = None
    if recipe.select:
        selection = steps.once("select", Selection, recipe.select, settings)
    if recipe.nearest:
        links = steps.once("nearest", Links, recipe.nearest, settings, selection)
    if recipe.affinity:
        affinity = steps.once("affinity", Affinity, recipe.affinity, settings, links)  # type: ignore[type-abstract,arg-type]
    return selection, links, affinity


def _made_from(
    recipe: Recipe, engine: Engine, surveyed: Surveyed, settings: Settings, ensemble: EnsembleSize | None
) -> dict[str, Any]:
    """Everything that results depend on."""
    layout, frame = engine.layout, engine.frame
    data = {"n_rows": layout.n_rows, "n_features": layout.n_features, "dtype": frame.dtype.name, "metric": frame.metric}
    method = {field.name: getattr(getattr(recipe, field.name), "__name__", None) for field in fields(recipe)}
    size = {} if ensemble is None else asdict(ensemble)
    return {"version": __version__, **data, "checksum": surveyed.checksum, **method, **asdict(settings), **size}
