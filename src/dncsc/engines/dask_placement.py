"""Which worker works on which rows, so that rows stay where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

UNEVEN = 1.25
"""How much more than its share a worker may have before rows are worked on elsewhere."""


def place_parts(sizes: Sequence[int], holders: Sequence[Sequence[str]], threads: Mapping[str, int]) -> list[str | None]:
    """A worker for each part of the rows: one that holds it, unless that one holds far more than its share.

    Left to itself, Dask moves rows whenever another worker would be free a little sooner, in every pass anew.

    Parameters
    ----------
    sizes : sequence of int
        Bytes of each part.
    holders : sequence of sequences of str
        Workers that hold each part.
    threads : mapping
        Threads of each worker.

    Returns
    -------
    placement : list of str or None
        None where nobody holds the part.
    """
    each = sum(sizes) / max(sum(threads.values()), 1)
    most = {worker: UNEVEN * each * count + max(sizes, default=0) for worker, count in threads.items()}
    load = dict.fromkeys(threads, 0)

    def by_load(worker: str) -> float:
        return load[worker] / threads[worker]

    placement: list[str | None] = []
    for size, held_by in zip(sizes, holders, strict=True):
        chosen = min((worker for worker in held_by if worker in threads), key=by_load, default=None)
        if chosen is not None and load[chosen] + size > most[chosen]:
            chosen = min(threads, key=by_load)
        if chosen is not None:
            load[chosen] += size
        placement.append(chosen)
    return placement
