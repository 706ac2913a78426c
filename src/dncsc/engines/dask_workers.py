"""Those who do the work of a Dask engine: the workers of a client, or, without one, threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import dask
from dask.delayed import Delayed, delayed

from dncsc.engines.columns import free_memory
from dncsc.engines.pool import Pool

SHARE_OF_MEMORY = 0.4
"""of all workers, that rows may take to be held there; larger ones are read again in every pass"""


class ClusterTrouble(RuntimeError):
    """Rows that could not be had or worked on: which, in what phase, and what was said."""


class HeldRows(list[Any]):
    """Rows that workers hold, part by part."""

    def again(self) -> Sequence[Any]:
        """The parts for one more pass."""
        return self


class Workers(Protocol):
    """Does work on parts of the rows. What it gives may be promises, which other work takes in place of values."""

    def hold(self, rows: Any) -> HeldRows:
        """Read the chunks of a Dask array, once where they take a small part of the memory, else for each pass."""
        ...

    def send(self, value: Any, key: str) -> Any:
        """Something that much work needs."""
        ...

    def map(self, function: Callable[..., Any], *arguments: Iterable[Any], keys: list[str], **same: Any) -> list[Any]:
        """Work on each item, and `same` for all."""
        ...

    def gather(self, results: list[Any], behind: list[Any], where: Callable[[int, BaseException], str]) -> list[Any]:
        """Values of results; where one failed, an error about the first of what is behind them that did."""
        ...

    def as_delayed(self, promises: list[Any]) -> list[Delayed]: ...

    def keep(self, array: Any) -> Any:
        """A Dask array whose values are held from now on."""
        ...


def current_workers(pool: Pool) -> Workers:
    """Those of the current client; the threads of the pool where there is none."""
    try:
        from distributed import get_client

        return ClientWorkers(get_client())
    except (ImportError, ValueError):
        return ThreadWorkers(pool)


def read_here(rows: Any) -> Any:
    """Rows that are still to be read, read by whoever works on them."""
    return rows.compute(scheduler="synchronous") if isinstance(rows, Delayed) else rows


class ThreadWorkers:
    """Threads of this process; values are values."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def hold(self, rows: Any) -> HeldRows:
        parts = rows.to_delayed().ravel().tolist()
        if rows.nbytes > SHARE_OF_MEMORY * free_memory():
            return HeldRows(parts)
        try:
            return HeldRows(dask.compute(*parts, scheduler="threads"))
        except Exception:
            return HeldRows(parts)  # whoever works on the part that cannot be read says which it is

    def send(self, value: Any, key: str) -> Any:
        return value

    def map(self, function: Callable[..., Any], *arguments: Iterable[Any], keys: list[str], **same: Any) -> list[Any]:
        return self._pool.each(lambda each: function(*each, **same), list(zip(*arguments, strict=True)))

    def gather(self, results: list[Any], behind: list[Any], where: Callable[[int, BaseException], str]) -> list[Any]:
        return results

    def as_delayed(self, promises: list[Any]) -> list[Delayed]:
        return [delayed(promise, traverse=False) for promise in promises]

    def keep(self, array: Any) -> Any:
        return array.persist(scheduler="synchronous")


class _ReadAgain(HeldRows):
    """Rows that are too many to be held: each pass has them read anew."""

    def __init__(self, client: Any, parts: list[Delayed]) -> None:
        super().__init__(parts)
        self._client = client

    def again(self) -> Sequence[Any]:
        futures: Sequence[Any] = self._client.compute(list(self))
        return futures


class ClientWorkers:
    """The workers of a distributed client; values are futures, which a cluster makes again when it loses them."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def hold(self, rows: Any) -> HeldRows:
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        memory = sum(worker["memory_limit"] for worker in workers) or free_memory()
        if rows.nbytes > SHARE_OF_MEMORY * memory:
            [rows] = dask.optimize(rows)
            return _ReadAgain(self._client, rows.to_delayed(optimize_graph=False).ravel().tolist())
        from distributed import futures_of

        held = self._client.persist(rows)
        by_key = {future.key: future for future in futures_of(held)}
        return HeldRows(by_key[key] for [key] in held.__dask_keys__())

    def send(self, value: Any, key: str) -> Any:
        # As a task, and not scattered: what is scattered cannot be made again when its worker dies.
        return self._client.submit(_same, value, key=key, pure=False)

    def map(self, function: Callable[..., Any], *arguments: Iterable[Any], keys: list[str], **same: Any) -> list[Any]:
        futures: list[Any] = self._client.map(function, *arguments, key=keys, pure=False, **same)
        return futures

    def gather(self, results: list[Any], behind: list[Any], where: Callable[[int, BaseException], str]) -> list[Any]:
        try:
            values: list[Any] = self._client.gather(results)
            return values
        except ClusterTrouble:
            raise
        except Exception as error:
            for number, future in enumerate(behind):
                if future.status == "error":
                    raise ClusterTrouble(where(number, error)) from error
            raise ClusterTrouble(f"the cluster failed: {type(error).__name__}: {error}") from error

    def as_delayed(self, promises: list[Any]) -> list[Delayed]:
        return [delayed(promise) for promise in promises]

    def keep(self, array: Any) -> Any:
        return self._client.persist(array)


def _same(value: Any) -> Any:
    return value
