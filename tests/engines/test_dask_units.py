"""Which rows one task of a Dask engine visits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dncsc.engines.dask_units import slices_of, work_units
from dncsc.engines.layout import Layout

BLOCK = Layout(200_000, 2).block_rows


@settings(deadline=None)
@given(st.lists(st.integers(0, 9 * BLOCK), min_size=1, max_size=40).filter(any), st.integers(1, 9))
def test_work_units_are_all_blocks_in_order_each_begun_in_one_chunk(chunks, n_threads):
    layout, bounds = Layout(sum(chunks), 2), np.cumsum(chunks)
    units = work_units(layout, chunks, n_threads)
    blocks = [block for number in range(layout.n_shards) for block in layout.shard(number)]
    segments = [segment for unit in units for segment in unit.segments]
    assert (segments[0].start, segments[-1].stop) == (0, layout.n_rows)
    assert all(one.stop == other.start for one, other in pairwise(segments))
    shards = [list(layout.shard(number)) for number in range(layout.n_shards)]
    assert [s.start for s in segments if s.is_first] == [shard[0][0] for shard in shards]
    assert [s.stop for s in segments if s.is_last] == [shard[-1][1] for shard in shards]
    for unit in units:
        begun = [start for start, _ in blocks if unit.start <= start < unit.stop]
        assert len({int(np.searchsorted(bounds, start, side="right")) for start in begun}) == 1
        assert all(segment.is_first for segment in unit.segments[unit.goes_on :])
        assert len(unit.segments) == 1 or len(unit) <= layout.n_rows / n_threads / 4


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=20).filter(any), st.data())
def test_slices_of_parts_are_the_rows_asked_for(sizes, data):
    start = data.draw(st.integers(0, sum(sizes) - 1))
    stop = data.draw(st.integers(start + 1, sum(sizes)))
    parts = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    slices = slices_of(start, stop, sizes)
    found = [parts[slice_.part][slice_.start : slice_.stop] for slice_ in slices]
    np.testing.assert_array_equal(np.concatenate(found), np.arange(start, stop))
    assert all(map(len, found))


def test_shards_of_a_chunk_are_one_task_where_there_are_enough_of_these():
    layout = Layout(10_000_000, 2)
    few, many = (len(work_units(layout, [1_000_000] * 10, n_threads)) for n_threads in (2, 40))
    assert few < 20 < layout.n_shards <= many
