"""Scores against slow, obvious twins and against scikit-learn's."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from dncsc.metrics import accuracy, ari, nmi, purity, scores

SCORES = [accuracy, ari, nmi, purity]


def pairs(n_pairs=12):
    """Classes and clusters: random, related, of unequal number, single."""
    random = np.random.default_rng(0)
    for case in range(n_pairs):
        n = int(random.integers(5, 60))
        true = random.integers(0, random.integers(1, 5), n)
        pred = random.integers(0, random.integers(1, 6), n)
        yield true, np.where(random.random(n) < case / n_pairs, true, pred)


PAIRS = list(pairs())


def best_over_all_renamings(true, pred):
    """Share of rows that agree when clusters get the names of classes in the best way."""
    clusters = np.unique(pred)
    names = [*np.unique(true), *(-1 - np.arange(len(clusters)))]  # more clusters than classes: some stay nameless
    return max(
        np.mean(true == np.array(chosen)[np.searchsorted(clusters, pred)])
        for chosen in set(permutations(names, len(clusters)))
    )


def entropy(labels):
    share = np.unique(labels, return_counts=True)[1] / len(labels)
    return -(share * np.log(share)).sum()


@pytest.mark.parametrize(("true", "pred"), PAIRS[::2])
def test_accuracy_is_the_best_over_all_renamings(true, pred):
    small = (true[:30] % 3, pred[:30] % 4)
    assert accuracy(*small) == pytest.approx(best_over_all_renamings(*small))


@pytest.mark.parametrize("average", ["geometric", "arithmetic", "min", "max"])
@pytest.mark.parametrize(("true", "pred"), PAIRS)
def test_nmi_is_that_of_scikit_learn_for_each_average(true, pred, average):
    expected = normalized_mutual_info_score(true, pred, average_method=average)
    assert nmi(true, pred, average=average) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("true", "pred"), PAIRS)
def test_joint_nmi_is_the_shared_part_of_the_joint_entropy(true, pred):
    joint = entropy(true * 100 + pred)
    expected = (entropy(true) + entropy(pred) - joint) / joint if joint > 0 else 1.0
    assert nmi(true, pred, average="joint") == pytest.approx(expected, abs=1e-12)


def test_the_default_average_is_the_geometric_one():
    true, pred = PAIRS[5]
    assert nmi(true, pred) == nmi(true, pred, average="geometric")


@pytest.mark.parametrize(("true", "pred"), PAIRS)
def test_ari_is_that_of_scikit_learn(true, pred):
    assert ari(true, pred) == pytest.approx(adjusted_rand_score(true, pred))


@pytest.mark.parametrize(("true", "pred"), PAIRS)
def test_purity_counts_the_largest_class_of_each_cluster(true, pred):
    largest = sum(np.unique(true[pred == c], return_counts=True)[1].max() for c in np.unique(pred))
    assert purity(true, pred) == pytest.approx(largest / len(true))


@pytest.mark.parametrize("score", SCORES)
def test_a_renamed_partition_scores_one_and_names_do_not_matter(score):
    true, pred = PAIRS[7]
    words = np.array(["oak", "elm", "ash", "fir", "yew", "box"])
    assert score(true, 9 - true) == pytest.approx(1.0)
    assert score(words[true], words[pred].tolist()) == pytest.approx(score(true, pred))
    assert score(true - 2, pred * 7) == pytest.approx(score(true, pred))
    assert isinstance(score(true, pred), float)


@pytest.mark.parametrize("score", SCORES)
def test_order_of_rows_does_not_matter(score):
    true, pred = PAIRS[6]
    shuffled = np.random.default_rng(1).permutation(len(true))
    assert score(true[shuffled], pred[shuffled]) == pytest.approx(score(true, pred))


@pytest.mark.parametrize("average", ["geometric", "arithmetic", "min", "max", "joint"])
def test_nmi_at_its_ends(average):
    assert nmi([0, 0, 0], [1, 1, 1], average) == 1.0
    assert nmi([0, 0, 1, 1], [1, 1, 0, 0], average) == pytest.approx(1.0)
    assert nmi([0, 0, 1, 1], [0, 1, 0, 1], average) == pytest.approx(0.0)
    assert nmi([0, 0, 0, 0], [0, 1, 0, 1], average) == 0.0


def test_accuracy_leaves_clusters_without_a_class_out():
    assert accuracy([0, 0, 0, 0], [0, 1, 2, 3]) == 0.25
    assert accuracy([0, 1, 2, 3], [0, 0, 0, 0]) == 0.25
    assert purity([0, 0, 0, 0], [0, 1, 2, 3]) == 1.0


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("true", "pred", "words"),
    [
        ([0, 1, 2], [0, 1], "inconsistent numbers of samples|same (length|size)"),
        ([[0, 1], [1, 0]], [0, 1], "1d array|must be 1D|1-?dimensional"),
        ([], [], "empty"),
    ],
    ids=["lengths", "two dimensions", "empty"],
)
def test_labels_that_do_not_fit_together_are_refused(score, true, pred, words):
    with pytest.raises(ValueError, match=words):
        score(true, pred)


def test_an_unknown_average_is_refused_with_those_that_are_known():
    with pytest.raises(ValueError, match="'geometric', 'arithmetic', 'min', 'max', 'joint'; got 'mean'"):
        nmi([0, 1], [0, 1], average="mean")


@pytest.mark.parametrize("n_classes", [1, 3, 40])
@pytest.mark.parametrize("n_clusters", [1, 3, 40])
def test_all_scores_at_once_are_the_single_ones(n_classes, n_clusters):
    random = np.random.default_rng(n_classes + n_clusters)
    true, pred = random.integers(n_classes, size=60), random.integers(n_clusters, size=60)
    single = {"acc": accuracy, "nmi": nmi, "ari": ari, "purity": purity}
    expected = {name: score(true, pred) for name, score in single.items()}
    assert scores(true, pred) == pytest.approx(expected, abs=1e-12)
    assert scores(true, true) == pytest.approx(dict.fromkeys(single, 1.0))
