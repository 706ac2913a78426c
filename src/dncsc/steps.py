"""Carry out phases one by one: tell who listens, take the time, load and save what an interrupted run may need."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from dncsc.engines.base import Engine

Result = TypeVar("Result")


class Keeper(Protocol):
    """Keeps results of finished phases for a later run (`dncsc.checkpoint.Checkpoint`)."""

    def start(self, made_from: Mapping[str, Any]) -> None: ...

    def load(self, name: str, into: type[Result]) -> Result | None: ...

    def save(self, name: str, result: Any) -> None: ...


class Steps:
    """Carries out phases: tells the engine and whoever listens, takes the time, loads and saves where asked to.

    Results that are kept are small records; what columns hold follows from them by rules.

    Parameters
    ----------
    engine : Engine
    say : callable
        Told of each phase that ends.
    keeper : Keeper, optional
        Has results of an earlier run, and is given those of this one.
    together : str, optional
        Name of the one phase that all are told as.
    """

    def __init__(
        self,
        engine: Engine,
        say: Callable[[str], None] = lambda text: None,
        keeper: Keeper | None = None,
        together: str | None = None,
    ) -> None:
        self.timings: dict[str, float] = {}
        self._engine, self._say, self._keeper, self._together = engine, say, keeper, together
        self._count = 0

    def __call__(self, phase: str, function: Callable[..., Result], *arguments: Any, say: bool = True) -> Result:
        """Run a phase; the seconds of one that runs several times add up."""
        self._engine.phase = self._together or phase
        start = time.perf_counter()
        result = function(self._engine, *arguments)
        self.timings[phase] = self.timings.get(phase, 0.0) + time.perf_counter() - start
        if say:
            self.tell(phase)
        return result

    def tell(self, phase: str) -> None:
        """Say how long a phase took, if it ran."""
        if phase in self.timings:
            self._say(f"{phase:<10} {self.timings[phase]:8.3f} s")

    def forget(self, names: Sequence[str]) -> None:
        """Give up columns."""
        for name in reversed(names):
            self._engine.drop(name)

    def once(
        self, phase: str, into: type[Result], function: Callable[..., Result], *arguments: Any, say: bool = True
    ) -> Result:
        """Run a phase unless its result was kept."""
        if self._keeper is None:
            return self(phase, function, *arguments, say=say)
        name = f"{self._count:02d}-{phase}"
        self._count += 1
        result = self._keeper.load(name, into)
        if result is not None:
            self._engine.phase = phase
            self._say(f"{phase:<10}     kept")
            self._engine.register(getattr(result, "columns", ()))
            return result
        result = self(phase, function, *arguments, say=say)
        if result is not None and all(column.rule for column in getattr(result, "columns", ())):
            self._keeper.save(name, result)
        return result
