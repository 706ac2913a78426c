"""How well each method finds known classes, next to its row in the paper."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from dncsc import clusterer
from dncsc.datasets import load, real
from dncsc.metrics import accuracy, nmi

MEASURES = ("ACC", "NMI")

PAPER = {
    ("k-means", "pendigits"): ((64.40, 4.73), (67.65, 1.18)),
    ("sc", "pendigits"): ((67.23, 4.35), (71.70, 1.21)),
    ("nystrom", "pendigits"): ((72.46, 0.18), (65.48, 0.21)),
    ("lsc-k", "pendigits"): ((82.30, 2.95), (80.78, 0.55)),
    ("lsc-r", "pendigits"): ((81.55, 3.79), (79.15, 1.74)),
    ("lsc-kh", "pendigits"): ((82.17, 4.09), (80.78, 0.55)),
    ("lsc-rh", "pendigits"): ((81.55, 5.12), (79.15, 1.74)),
    ("u-spec", "pendigits"): ((81.74, 4.95), (81.68, 2.33)),
    ("dnc-sc", "pendigits"): ((82.27, 1.33), (82.01, 1.08)),
    ("k-means", "usps"): ((67.01, 0.70), (61.28, 0.42)),
    ("sc", "usps"): ((73.21, 3.10), (77.90, 0.55)),
    ("nystrom", "usps"): ((69.47, 1.38), (65.07, 1.23)),
    ("lsc-k", "usps"): ((74.02, 7.34), (81.37, 1.92)),
    ("lsc-r", "usps"): ((73.90, 4.42), (76.22, 0.76)),
    ("lsc-kh", "usps"): ((73.66, 5.18), (76.41, 1.74)),
    ("lsc-rh", "usps"): ((73.89, 4.27), (76.24, 1.00)),
    ("u-spec", "usps"): ((80.79, 3.13), (81.86, 1.95)),
    ("dnc-sc", "usps"): ((82.55, 1.96), (82.86, 0.21)),
}
"""Mean and standard deviation of ACC and of NMI over 20 runs, in percent: tables of Li, Ye, Imakura and Sakurai,
"Divide-and-conquer based large-scale spectral clustering" (2022), as in src/dncsc/bench/paper_tables.csv."""

BASE = {"u-senc": "u-spec", "lsec": "dnc-sc"}
"""Ensembles, which are not in the paper, stand next to the method that they are made of."""

DEVIATIONS = {
    ("k-means", "usps", "ACC"): (
        60.0,
        "we start once; a deviation of 0.7 takes several starts, and n_init=10 gives 66.8",
    ),
    ("sc", "usps", "ACC"): (
        65.0,
        "the paper does not say t; t = 20 gives 66.0, t = 5 gives 79.1 (NMI 82.7), t = 10 gives 66.3",
    ),
    ("nystrom", "usps", "NMI"): (
        60.0,
        "the eigenvectors of the full 9298 x 9298 matrix give 60.9 too, bandwidths from 3 to 60 at most 61.8",
    ),
    ("lsc-r", "usps", "NMI"): (
        71.5,
        "preparation is not said: rows of length 1 give 74.2, with K = 2 76.1; equal weights, as in the old code, 72.4",
    ),
    ("lsc-rh", "usps", "NMI"): (
        71.5,
        "as for lsc-r; K = 3 gives 74.2",
    ),
}
"""Where we are more than two of the paper's standard deviations below its mean: our own bound, and why."""

SEEDS = {"sc": 1, "nystrom": 1, "u-senc": 1, "lsc-k": 2, "lsc-kh": 2, "u-spec": 3}
"""Instead of five: where a run takes long, and seeds differ by far less than the means are from their bounds."""

CASES = [*PAPER, ("u-senc", "pendigits"), ("lsec", "pendigits"), ("lsec", "usps")]
"""U-SENC takes twenty seconds on USPS; docs/methods.md has what it gives there."""


@functools.cache
def rows_and_classes(name):
    if real.find(name) is None:
        pytest.skip(f"there is no {name}.npz in the folder that DNCSC_DATA names")
    X, y = load(name)
    return X.astype(np.float32), y


def scores(method, name, seed):
    """ACC and NMI in percent."""
    X, y = rows_and_classes(name)
    labels = clusterer(method, len(np.unique(y)), random_state=seed).fit_predict(X)
    return 100 * accuracy(y, labels), 100 * nmi(y, labels)


@pytest.mark.long
@pytest.mark.parametrize(("method", "name"), CASES)
def test_classes_are_found_as_well_as_in_the_paper_or_it_is_said_why_not(method, name):
    found = np.array([scores(method, name, seed) for seed in range(SEEDS.get(method, 5))])
    row = PAPER[BASE.get(method, method), name]
    short = []
    for measure, ours, spread, (paper, deviation) in zip(MEASURES, found.mean(0), found.std(0), row, strict=True):
        own, reason = DEVIATIONS.get((method, name, measure), (None, ""))
        bound = paper - 2 * deviation if own is None else own
        line = f"{name:9} {method:7} {measure} {ours:6.2f} ± {spread:4.2f}   paper {paper:.2f} ± {deviation:.2f}"
        print(f"{line}   {ours - paper:+6.2f}   {reason}")
        short += [f"{line}; at least {bound:.2f}"] if ours < bound else []
    assert not short


def test_reasons_are_given_only_for_bounds_below_those_of_the_paper():
    for (method, name, measure), (bound, reason) in DEVIATIONS.items():
        paper, deviation = PAPER[BASE.get(method, method), name][MEASURES.index(measure)]
        assert bound < paper - 2 * deviation
        assert reason
