"""Memory of this process and of the machine, and sizes in bytes as people write them."""

from __future__ import annotations

import mmap
import re
import sys
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dncsc.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
UNKNOWN = 4 * 10**9
"""Bytes taken to be free where the system does not tell."""


def resident() -> int:
    """Bytes that this process holds now; its peak where the system does not tell."""
    import psutil

    try:
        return int(psutil.Process().memory_info().rss)
    except (psutil.Error, OSError):
        return peak()


def peak() -> int:
    """The most bytes that this process held; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # on Windows
        import psutil

        return int(getattr(psutil.Process().memory_info(), "peak_wset", 0))
    found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found if sys.platform == "darwin" else 1024 * found


def let_go(values: np.ndarray) -> None:
    """Give back the pages of a mapped file that have been read; they are read again where they are needed.

    Only of arrays that cannot be written: pages that are written on copy would be lost.
    """
    if values.flags.writeable:
        return
    owner: Any = values
    while owner is not None and not isinstance(owner, mmap.mmap):
        owner = getattr(owner, "base", None)
    if owner is not None and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        owner.madvise(mmap.MADV_DONTNEED)


def free() -> int:
    """Bytes that new work can use without swapping, within the limits of a container."""
    import psutil

    try:
        available = int(psutil.virtual_memory().available)
    except (psutil.Error, OSError):
        available = UNKNOWN
    return min(available, _free_of_container())


def _free_of_container(folder: Path = Path("/sys/fs/cgroup")) -> int:
    """What a control group leaves; cached files do not count."""
    try:
        limit = int((folder / "memory.max").read_text())
        used = int((folder / "memory.current").read_text())
        fields = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return max(limit - used + int(fields.get("inactive_file", 0)), 0)
    except (OSError, ValueError):
        return sys.maxsize


def parse_bytes(text: str | int) -> int:
    """A size such as 2000000000, "2GB", "1.5 GiB" or "800M", in bytes.

    Examples
    --------
    >>> parse_bytes("2GB"), parse_bytes("1.5 GiB"), parse_bytes(1000)
    (2000000000, 1610612736, 1000)
    """
    if isinstance(text, Integral) and not isinstance(text, bool) and text > 0:
        return int(text)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(text).upper())
    size = int(float(match[1]) * UNITS[match[2]]) if match and match[2] in UNITS else 0
    if size <= 0:
        raise ParameterError("max_memory", text, 'must be a size such as "2GB" or a number of bytes')
    return size


def format_bytes(size: float) -> str:
    """Bytes for people.

    Examples
    --------
    >>> format_bytes(123_456_789), format_bytes(1_234_567)
    ('123 MB', '1.2 MB')
    """
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= scale:
            return f"{size / scale:.{0 if size >= 100 * scale else 1}f} {unit}"
    return f"{size / 1e3:.0f} kB"
