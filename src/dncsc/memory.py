"""Memory of this process and of the machine, in bytes."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def resident() -> int:
    """What this process holds now; its peak where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak()


def peak() -> int:
    """What this process held at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # on Windows
        return 0
    found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found if sys.platform == "darwin" else 1024 * found


def free() -> int:
    """What new work could use without pushing anything out, within the limits of a container."""
    return min(_free_of_machine(), _free_of_container())


def _free_of_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        fields = {line.split(":")[0]: line.split()[1] for line in lines}
        return int(fields["MemAvailable"]) * 1024
    except (OSError, KeyError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _free_of_container(folder: Path = Path("/sys/fs/cgroup")) -> int:
    """What a control group leaves; files in the cache of the system do not count."""
    try:
        limit = int((folder / "memory.max").read_text())
        used = int((folder / "memory.current").read_text())
        fields = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return max(limit - used + int(fields.get("inactive_file", 0)), 0)
    except (OSError, ValueError):
        return sys.maxsize
