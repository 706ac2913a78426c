"""Workers of a Dask engine: those of a client, or, without one, threads of this process."""

from __future__ import annotations

import contextlib
import pickle
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import dask
from dask.core import flatten
from dask.delayed import Delayed

from dncsc import memory
from dncsc.engines.dask_units import place_parts
from dncsc.engines.pool import Pool

Function = Callable[..., Any]
Key = str | tuple[str | int, ...]
"""What Dask knows a task by."""
Placement = Sequence[str | None]
"""The worker for each of some tasks; None for any. Where it is empty, any worker does for all."""

SHARE_OF_MEMORY = 0.4
"""Of all workers, that rows may take to stay there; larger ones are read again in every pass."""
MOST_BYTES = 2**22
"""In one task."""
FEW_BYTES = 2**19
"""That may go with the tasks that need them, all told, instead of to one worker first and from there to the others."""


class ClusterError(RuntimeError):
    """Rows that could not be had or worked on: which, in what phase, and what was said."""


@contextlib.contextmanager
def naming(what: str) -> Iterator[None]:
    """Errors of what is done inside become one that says what it was."""
    try:
        yield
    except Exception as error:
        raise ClusterError(f"{what}: {type(error).__name__}: {error}") from error


class RowParts(list[Any]):
    """Chunks of the rows, where workers have them or can read them: too many to be held, they are read in each pass."""

    def __init__(self, parts: Iterable[Any], read: Function | None = None) -> None:
        super().__init__(parts)
        self.threads: dict[str, int] = {}  # of each worker that has parts of its own
        self._read = read

    def again(self) -> Sequence[Any]:
        """The parts for one more pass."""
        return self._read(list(self)) if self._read else self

    def placement(self) -> Placement:
        return [None] * len(self)


class Workers:
    """Threads of this process, which work on parts of the rows. Subclasses may give promises in place of values."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @property
    def n_threads(self) -> int:
        return self._pool.n_threads

    def persist(self, rows: Any) -> RowParts:
        """Read the chunks of a Dask array: once where they take a small part of the memory, else for each pass."""
        parts = rows.to_delayed().ravel().tolist()
        if rows.nbytes > SHARE_OF_MEMORY * memory.free():
            return RowParts(parts)
        try:
            return RowParts(dask.compute(*parts, scheduler="threads"))
        except Exception:
            return RowParts(parts)  # the task for the part that cannot be read names its rows

    def send(self, value: Any, key: str, n_uses: int) -> Any:
        """Something that is needed so many times."""
        return value

    def map(
        self, function: Function, *items: Sequence[Any], keys: Sequence[Key], placement: Placement = (), **same: Any
    ) -> list[Any]:
        """Work on each item, and `same` for all."""
        return self._pool.each(lambda each: function(*each, **same), list(zip(*items, strict=True)))

    def gather(self, results: list[Any], behind: list[Any], where: Sequence[str]) -> list[Any]:
        """Values of results; where one failed, an error that says `where` the first of those behind them failed."""
        return results


def current_workers(pool: Pool) -> Workers:
    """Those of the current client; the threads of the pool where there is none."""
    try:
        from distributed import get_client

        return ClientWorkers(pool, get_client())
    except (ImportError, ValueError):
        return Workers(pool)


def read_here(rows: Any) -> Any:
    """Rows that are still to be read, read in the calling task."""
    return rows.compute(scheduler="synchronous") if isinstance(rows, Delayed) else rows


class _PersistedParts(RowParts):
    """Rows on workers of a cluster, each part with a worker, anew whenever workers come or go.

    What has to move does so once, as a task of its own: of a mere copy, Dask drops one or the other after a while.
    """

    def __init__(self, client: Any, parts: list[Any], sizes: list[int]) -> None:
        super().__init__(parts)
        self._client, self._sizes = client, sizes
        self._placement: Placement = [None] * len(parts)  # while no worker is known, any may do

    def placement(self) -> Placement:
        from distributed import wait

        try:
            wait(list(self))
        except CancelledError as error:
            raise ClusterError(
                f"rows were lost with a worker, and Dask cannot make them again: {error}. "
                "Rows that were scattered are only there once; have workers read them, or scatter them anew."
            ) from error
        threads = _known(self._client, "nthreads")
        if threads != self.threads:
            holders = self._client.who_has(list(self))
            self.threads = threads
            self._placement = place_parts(self._sizes, [holders[part.key] for part in self], threads)
            for number, (part, worker) in enumerate(zip(self, self._placement, strict=True)):
                if worker is not None and worker not in holders[part.key]:
                    key = f"dncsc.move-{number}-{uuid.uuid4().hex}"
                    self[number] = self._client.submit(_same, part, key=key, workers=[worker], allow_other_workers=True)
        return self._placement


def _known(client: Any, what: str) -> dict[str, int]:
    """What the scheduler knows of each worker there is."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return {address: worker[what] for address, worker in workers.items()}


class ClientWorkers(Workers):
    """The workers of a distributed client; values are futures, which a cluster makes again when it loses them."""

    def __init__(self, pool: Pool, client: Any) -> None:
        super().__init__(pool)
        self._client = client
        # Workers of this machine can be asked for results; of others, it takes the scheduler to reach them.
        known = [client.scheduler.address, *_known(client, "nthreads")]
        self._are_here = all("//127.0.0.1:" in address for address in known)

    @property
    def n_threads(self) -> int:
        return max(sum(_known(self._client, "nthreads").values()), 1)

    def persist(self, rows: Any) -> RowParts:
        limits = sum(_known(self._client, "memory_limit").values())
        if rows.nbytes > SHARE_OF_MEMORY * (limits or memory.free()):
            [rows] = dask.optimize(rows)
            parts = rows.to_delayed(optimize_graph=False).ravel().tolist()
            return RowParts(parts, partial(self._client.compute, priority=-1))  # read more when these are worked on
        from distributed import futures_of

        held = self._client.persist(rows)
        by_key = {future.key: future for future in futures_of(held)}
        sizes = [rows.nbytes // rows.shape[0] * count for count in rows.chunks[0]]
        return _PersistedParts(self._client, [by_key[key] for key in flatten(held.__dask_keys__())], sizes)

    def send(self, value: Any, key: str, n_uses: int) -> Any:
        # As tasks, and not scattered: what is scattered cannot be made again when its worker dies. In slices, since
        # Dask warns of tasks that bring much with them, with advice that is of no use to the user.
        data = pickle.dumps(value, protocol=5)
        if len(data) * n_uses <= FEW_BYTES:
            return value
        slices = [data[start : start + MOST_BYTES] for start in range(0, len(data), MOST_BYTES)]
        if len(slices) > 1:
            numbered = enumerate(slices)
            slices = [self._client.submit(_same, each, key=f"{key}-{n}", pure=False) for n, each in numbered]
        return self._client.submit(_joined, slices, key=key, pure=False)

    def map(
        self, function: Function, *items: Sequence[Any], keys: Sequence[Key], placement: Placement = (), **same: Any
    ) -> list[Any]:
        futures: dict[int, Any] = {}
        workers = placement or [None] * len(keys)
        for worker in dict.fromkeys(workers):
            at = [number for number, each in enumerate(workers) if each == worker]
            there = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
            some = ([values[number] for number in at] for values in items)
            mapped = self._client.map(function, *some, key=[keys[n] for n in at], pure=False, **there, **same)
            futures.update(zip(at, mapped, strict=True))
        return [futures[number] for number in range(len(keys))]

    def gather(self, results: list[Any], behind: list[Any], where: Sequence[str]) -> list[Any]:
        try:
            values: list[Any] = self._client.gather(results, direct=self._are_here)
            return values
        except ClusterError:
            raise
        except Exception as error:
            failed = (what for what, future in zip(where, behind, strict=True) if future.status == "error")
            with naming(next(failed, "the cluster failed")):
                raise error


def _same(value: Any) -> Any:
    return value


def _joined(slices: list[bytes]) -> Any:
    return pickle.loads(b"".join(slices))
