"""Which rows one task of a Dask engine visits, and which worker works on them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dncsc.engines.dask_units import batches_of, place_parts, slices_of, work_units
from dncsc.engines.layout import Layout

BLOCK = Layout(200_000, 2).block_rows

parts = st.lists(st.tuples(st.integers(1, 100), st.lists(st.sampled_from("abcd"), max_size=3)), min_size=1)


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


def test_a_task_is_all_that_a_thread_of_a_worker_has_up_to_some_tenths_of_a_second():
    units = work_units(Layout(10_000_000, 2), [625_000] * 16, 2)
    at, placement = range(len(units)), ["ab"[number % 2] for number in range(len(units))]

    for threads in ({"a": 1, "b": 1}, {"a": 2, "b": 3}):
        batches = batches_of(units, at, placement, threads, 2)
        assert [placement[batch[0]] for batch in batches] == [
            worker for worker in threads for _ in range(threads[worker])
        ]
        assert all(len({placement[number] for number in batch}) == 1 for batch in batches)
        assert sorted(number for batch in batches for number in batch) == list(at)
    wide = batches_of(units, at, placement, {"a": 1, "b": 1}, 64)  # of more values than a task visits in each unit
    unplaced = batches_of(units, at, [None] * len(units), {}, 2)
    assert len(wide) == len(unplaced) == len(units)


@settings(deadline=None)
@given(parts, st.dictionaries(st.sampled_from("abc"), st.integers(1, 8)))
def test_rows_are_worked_on_where_they_are_unless_a_worker_has_far_more_than_its_share(parts, threads):
    sizes, holders = zip(*parts, strict=True)
    placement = place_parts(sizes, holders, threads)
    for worker, held_by in zip(placement, holders, strict=True):
        assert (worker is None) == (not set(held_by) & set(threads))
    each = sum(sizes) / max(sum(threads.values()), 1)
    for worker, count in threads.items():
        load = sum(size for size, chosen in zip(sizes, placement, strict=True) if chosen == worker)
        assert load <= 1.25 * each * count + max(sizes)
        moved = [
            chosen
            for chosen, held_by in zip(placement, holders, strict=True)
            if held_by == [worker] and chosen != worker
        ]
        only_here = sum(size for size, held_by in parts if worker in held_by)
        assert not moved or only_here > 1.25 * each * count
