"""An ensemble does not say what none of its members would."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from dncsc import LSEC, DnCSC
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.own_choice import agreement, member_that_speaks


def table(n=8_000):
    """Four groups in six numbers, some of which were filled in, and two categories that say nothing."""
    random = np.random.default_rng(0)
    y = random.integers(0, 4, n)
    X = 3 * np.eye(4, 6)[y] + random.standard_normal((n, 6))
    X[random.random(X.shape) < 0.01] = 0
    X /= X.std(axis=0)
    return np.hstack([X, *(np.eye(c)[random.integers(0, c, n)] for c in (4, 5))]), y


def test_on_a_table_with_categories_the_ensemble_is_as_good_as_a_member():
    X, y = table()
    model = LSEC(4, random_state=0).fit(X)
    single = adjusted_rand_score(y, DnCSC(4, random_state=0).fit_predict(X))
    assert adjusted_rand_score(y, model.labels_) > single - 0.03
    assert single > 0.8
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 4


def test_members_that_end_at_a_gap_and_agree_are_believed_rather_than_the_consensus():
    """Four groups that touch: the consensus of fine base clusterings moves their borders (ARI 84)."""
    y = np.repeat(np.arange(4), 100)
    X = 1.2 * np.eye(4, 3)[y] + 0.3 * np.random.default_rng(2).standard_normal((400, 3))
    of_ensembles = [adjusted_rand_score(y, LSEC(4, random_state=seed).fit_predict(X)) for seed in range(4)]
    of_members = [adjusted_rand_score(y, DnCSC(4, random_state=seed).fit_predict(X)) for seed in range(4)]
    assert np.mean(of_ensembles) > np.mean(of_members) - 0.02


@pytest.mark.parametrize(
    ("among", "with_consensus", "has_gap", "chosen"),
    [
        ((0.9, 0.9), 0.85, (False, False), None),
        ((0.9, 0.9), 0.7, (False, False), 0),
        ((0.9, 0.9), 0.85, (True, True), 0),
        ((0.3, 0.3), 0.6, (False, True), 1),
        ((0.3, 0.3), 0.6, (True, True), None),
        ((0.3, 0.3), 0.6, (False, False), None),
        ((0.6, 0.6), 0.6, (False, True), None),
        ((0.1, 0.4, 0.3), 0.6, (True, False, True), 2),
        ((0.7, 0.9, 0.8), 0.1, (False, False, False), 1),
    ],
)
def test_members_speak_where_they_agree_or_contradict_and_one_sees_a_gap(among, with_consensus, has_gap, chosen):
    assert member_that_speaks(np.array(among), with_consensus, np.array(has_gap), CutPolicy()) == chosen


def test_agreement_is_the_adjusted_rand_index_and_weights_count_as_rows():
    random = np.random.default_rng(0)
    labels = random.integers(0, 4, 20_000)
    others = np.where(random.random(20_000) < 0.7, labels, random.integers(0, 6, 20_000))
    expected = adjusted_rand_score(labels, others)
    assert agreement(labels, others, np.ones(20_000)) == pytest.approx(expected, abs=1e-3)
    halves = np.r_[labels, labels], np.r_[others, others], np.full(40_000, 0.5)
    assert agreement(*halves) == pytest.approx(agreement(labels, others, np.ones(20_000)))
    assert agreement(labels, labels, np.ones(20_000)) == pytest.approx(1)
    assert agreement(labels * 0, labels * 0, np.ones(20_000)) == 1
