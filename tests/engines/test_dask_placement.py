"""Which worker works on which rows."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dncsc.engines.dask_placement import place_parts

parts = st.lists(st.tuples(st.integers(1, 100), st.lists(st.sampled_from("abcd"), max_size=3)), min_size=1)


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
