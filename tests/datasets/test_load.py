"""Data sets are found by name."""

from __future__ import annotations

import pytest

from dncsc.datasets import blocks, load, names
from dncsc.datasets.real import REAL
from dncsc.datasets.synthetic import SYNTHETIC

PAPER = ("usps", "pendigits", "letters", "mnist", "covertype", "ts-60k", "tm-1m", "tc-6m", "cg-10m", "fl-20m")
SIMULATION = ("blobs-500", "blobs-1000", "blobs-1500", "blobs-2000")


def test_every_set_of_the_paper_has_its_name():
    assert sorted(names()) == sorted([*PAPER, *SIMULATION]) == sorted([*REAL, *SYNTHETIC])


@pytest.mark.parametrize(
    ("wrong", "near"), [("pendigit", "pendigits"), ("fl-20", "fl-20m"), ("MNIST", None), ("blobs500", "blobs-500")]
)
def test_an_unknown_name_is_answered_with_the_nearest(wrong, near):
    words = f"no data set '{wrong}'" + (f".*Did you mean '{near}'" if near else "") + ".*usps"
    for function in (load, blocks):
        with pytest.raises(ValueError, match=words):
            function(wrong)


@pytest.mark.parametrize("n", [0, -1])
def test_no_rows_are_refused(n):
    with pytest.raises(ValueError, match=f"n must be at least 1; got {n}"):
        load("tm-1m", n=n)
