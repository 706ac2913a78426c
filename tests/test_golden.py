"""Labels are those of the version that wrote tests/golden/labels.json; see tests/golden/freeze.py."""

from __future__ import annotations

import json

import pytest

from dncsc.datasets import real
from golden.freeze import CLASSES, FILE, KINDS, cases, machine, summary

FROZEN = json.loads(FILE.read_text())
SAME_MACHINE = FROZEN["made on"] == machine()
REAL = ("usps", "pendigits", "letters", "mnist", "covertype")


@pytest.fixture(scope="module", name="absent")
def absent_sets() -> list[str]:
    return [name for name in REAL if real.find(name) is None]


LONG = "methods", "defaults", "few rows"


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.long) if kind in LONG else kind for kind in KINDS]
)
def test_labels_are_those_that_were_frozen(kind, absent):
    frozen = {name: case for name, case in FROZEN["cases"].items() if not name.endswith(tuple(absent) or " ")}
    found = {name: summary(labels()) for name, labels in cases(kind) if name in frozen}
    if SAME_MACHINE:
        assert found == {name: frozen[name] for name in found}
    for name, case in found.items():  # elsewhere products of matrices round differently, and rows at borders may move
        moved = sum(abs(one - other) for one, other in zip(case["sizes"], frozen[name]["sizes"], strict=True)) / 2
        assert moved <= 0.05 * sum(case["sizes"]), name


def test_every_frozen_case_still_exists():
    assert list(FROZEN["cases"]) == [name for kind in KINDS for name, _ in cases(kind)]
    assert len(CLASSES) == 10
