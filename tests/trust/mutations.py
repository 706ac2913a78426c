"""Damage: bytes of any file, and every part of a model's file."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

EXTREMES = [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff" * 8, b"\xff" * 7 + b"\x7f"]
"""Numbers that sizes and offsets should not be."""


def damaged(content: bytes, random: np.random.Generator) -> bytes:
    """Bytes changed, cut off, left out, repeated, put in, or made an extreme number."""
    at = int(random.integers(len(content)))
    to = at + int(random.integers(1, 64))
    match random.integers(6):
        case 0:
            changed = bytearray(content)
            for place in random.integers(len(content), size=random.integers(1, 9)):
                changed[place] = random.integers(256)
            return bytes(changed)
        case 1:
            return content[:at]
        case 2:
            return content[:at] + content[to:]
        case 3:
            return content[:to] + content[at:]
        case 4:
            return content[:at] + random.bytes(to - at) + content[at:]
        case _:
            number = EXTREMES[random.integers(len(EXTREMES))]
            return content[:at] + number + content[at + len(number) :]


DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]
VALUES: list[Any] = [
    *(None, True, 0, 1, -1, 2**31, 2**63, 10**400, 0.5, -1e308, 5e-324, "", "x", "\x1b[2J\u202e\ud800", "../../x"),
    *([], [0], ["x"], {}, {"x": 1}, DEEP, {"tuple": []}, {"tuple": 7}, {"array": "array0"}, {"array": "no"}),
    *({"same": 0}, {"same": 99}, {"dtype": "float32"}, {"dtype": "O"}, {"tag": "model"}, {"tag": "x", "fields": {}}),
]
"""What may stand in JSON where something else should."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a header, from the top."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*path, key)
        yield from places(each, (*path, key))


def with_value(header: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The same header with another value in one place."""
    changed = copy.deepcopy(header)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def without_value(header: Any, path: tuple[Any, ...]) -> Any:
    """The same header without one of its parts."""
    changed = with_value(header, path, None)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return changed


def _with_last(value: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        changed = array.copy()
        with np.errstate(all="ignore"):
            changed.flat[-1:] = np.array(value).astype(array.dtype)
        return changed

    return change


def _typed(dtype: str) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return array.astype(dtype)

    return change


ARRAYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "no rows": lambda a: a[:0],
    "a row less": lambda a: a[:-1],
    "a row more": lambda a: np.concatenate([a, a[-1:]]),
    "no columns": lambda a: a[..., :0],
    "turned": lambda a: a.T,
    "flat": lambda a: a.ravel(),
    "deep": lambda a: a[None],
    "backwards": lambda a: a[::-1],
    "zeros": lambda a: np.zeros_like(a),
    **{f"all {value}": lambda a, value=value: np.full_like(a, value) for value in (1, -1)},
    **{f"one {v}": _with_last(v) for v in (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300, -1.0, 2.0**31, 2.0**62)},
    **{
        f"as {dtype}": _typed(dtype) for dtype in ("int8", "float16", "float32", ">f8", "complex128", "bool", "U3", "O")
    },
}
"""What may become of an array."""
