"""The process of a cell that measures nothing and does what its method says: tests need not wait for imports."""

from __future__ import annotations

import os
import time
from pathlib import Path

from dncsc.bench.cell import main


def run(cell, say):
    say("loading")
    time.sleep(0.1)
    say("warming up")
    BEHAVIOUR.get(cell["method"], waiting)(cell)
    say("fitting")
    return {"status": "ok", "acc": 1.0, "nmi": 1.0, "seconds": 0.1, "peak_bytes": 2**20}


def vanishing(cell):
    print("so long", flush=True)
    os._exit(3)


def endless(cell):
    time.sleep(300)


def greedy(cell):
    hoard = []
    for _ in range(40):
        hoard.append(b"x" * 20_000_000)
        time.sleep(0.03)


def waiting(cell):
    """In the second repeat, say who it is and wait until a file is there."""
    folder = Path(os.environ["BENCH_TEST_FOLDER"])
    if cell["seed"] == 1:
        (folder / "pid").write_text(str(os.getpid()))
        while not (folder / "go").exists():
            time.sleep(0.05)


BEHAVIOUR = {"vanishing": vanishing, "endless": endless, "greedy": greedy}


if __name__ == "__main__":
    main(run)
