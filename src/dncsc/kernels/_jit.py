"""The one place that knows Numba: `jit` compiles a kernel and keeps it in Numba's cache.

A cache is a convenience and must never be a reason to fail. Where it cannot be written, kernels are compiled anew in
each process; where a file of it is damaged, it is dropped and written again. Both are said once, as a warning.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache
from numba.core.sigutils import normalize_signature

Function = TypeVar("Function", bound=Callable[..., Any])

_said: set[str] = set()
_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
_SOURCE_STAMP = hashlib.sha256(
    b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in _SOURCES)
).hexdigest()


class CacheWarning(UserWarning):
    """Compiled kernels could not be kept or read back; results are not affected."""


def _say_once(text: str) -> None:
    if text not in _said:
        _said.add(text)
        warnings.warn(text, CacheWarning, stacklevel=4)


class _TolerantCache(FunctionCache):
    """Numba's cache on disk, whose every failure means "compile it then".

    Numba compiles a kernel again when its own file has changed. Kernels call kernels of other files, and their code
    is part of what is kept: here a change of any of them counts.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = (self._cache_file._source_stamp, _SOURCE_STAMP)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            loaded = super().load_overload(sig, target_context)
            if loaded is not None and tuple(loaded.signature.args) != tuple(normalize_signature(sig)[0]):
                raise ValueError("compiled for other types")  # two processes may have written the same file
            return loaded
        except Exception as error:  # a damaged file can raise anything that unpickling can
            kind = type(error).__name__
            _say_once(f"the cache of compiled kernels in {self.cache_path} is damaged ({kind}); compiling again")
            try:
                self.flush()
            except Exception:  # unwritable as well as damaged: each process compiles for itself
                self.disable()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _say_once(
                f"compiled kernels cannot be kept in {self.cache_path} ({error}); the next process compiles again"
            )


def jit(**options: Any) -> Callable[[Function], Function]:
    """Compile a kernel that releases the GIL, on first call, and cache it on disk where possible.

    Options of `numba.njit`, such as ``fastmath={"reassoc"}``, are passed on. Kernels never use ``parallel=True``:
    threads belong to the engine.
    """

    def decorate(function: Function) -> Function:
        dispatcher = numba.njit(nogil=True, **options)(function)
        try:
            dispatcher._cache = _TolerantCache(function)
        except RuntimeError:  # Numba found no writable folder
            _say_once(
                "compiled kernels cannot be kept, as no folder for them can be written: set NUMBA_CACHE_DIR to one"
            )
        return dispatcher

    return decorate
