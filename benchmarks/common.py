"""What the benchmarks share: tables on the terminal, the machine, and runs in their own process."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REPORTER = "import json, sys; sys.path.insert(0, sys.argv[1]); from {module} import {function}; "


def best_of(function: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Shortest wall time of some runs, and the last result."""
    shortest, result = float("inf"), None
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result


def in_own_process(module: str, function: str, **arguments: Any) -> Any:
    """Run ``module.function(**arguments)`` in a new interpreter and return what it returns, through JSON."""
    call = f"print(json.dumps({function}(**json.loads(sys.argv[2]))))"
    code = REPORTER.format(module=module, function=function) + call
    done = subprocess.run(
        [sys.executable, "-c", code, str(HERE), json.dumps(arguments)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{module}.{function} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def print_table(title: str, header: list[str], rows: list[list[str]]) -> None:
    """A table whose columns line up, right-aligned but for the first."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    print(f"\n{title}\n")
    for line in (header, ["-" * width for width in widths], *rows):
        first, *rest = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join([first.strip().ljust(widths[0]), *rest]), flush=True)


def machine() -> str:
    """Processor, cores and load, to be read beside every number."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load:.2f}"
