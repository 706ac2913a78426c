"""Samples of rows: a smaller one is part of a larger one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.engines.seeds import stream
from dncsc.phases.discretize import draw
from dncsc.phases.inputs import ROWS
from dncsc.phases.sample import draw_rows


@pytest.mark.parametrize("wanted", [1, 100, 2_999, 3_000, 5_000])
def test_fewer_rows_of_a_sample_are_those_of_a_smaller_sample(wanted):
    X = np.arange(20_000, dtype=np.float32)[:, None]
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    n, keys = int(weight.sum()), stream(0, "some")
    with LocalEngine(ArraySource(X), weight=weight) as engine:
        large = draw_rows(engine, keys, 3_000, n, (ROWS,))
        small = draw_rows(engine, keys, min(wanted, 3_000), n, (ROWS,))
    found = large.fewer(wanted)
    np.testing.assert_array_equal(found.values[0], small.values[0])
    np.testing.assert_array_equal(found.weight, small.weight)
    np.testing.assert_array_equal(found.keys, small.keys)
    assert found.first.tolist() == small.first.tolist()
    assert (np.diff(found.values[0][:, 0]) > 0).all()


@pytest.mark.parametrize("wanted", [100, 3_000, 5_000, 30_000])
def test_a_sample_that_is_known_stands_for_smaller_ones_alone(wanted):
    X = np.arange(20_000, dtype=np.float32)[:, None]
    settings, embedding = SimpleNamespace(seed=0, n_counted=len(X)), SimpleNamespace(inputs=(ROWS,))
    keys = stream(0, "discretize")
    with LocalEngine(ArraySource(X)) as engine:
        expected = draw(engine, settings, embedding, wanted)
        engine.samples[keys, (ROWS,)] = draw_rows(engine, keys, 3_000, len(X), (ROWS,))
        found = draw(engine, settings, embedding, wanted)
    assert len(found.keys) == min(wanted, len(X))
    np.testing.assert_array_equal(found.values[0], expected.values[0])
