"""Tables of clients as people have them, and the command in an answer: for tests of the command line."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd

FIT = ["-k", "3", "--landmarks", "40"]
N = 240
GROUP = np.arange(N) % 3


def clients() -> pd.DataFrame:
    """Three groups of clients that numbers, but not the city, tell apart."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "client": np.arange(1001, 1001 + N),
            "born": pd.date_range("1950-01-01", periods=N, freq="11D").strftime("%Y-%m-%d"),
            "age": np.round(30 + 15.0 * GROUP + random.normal(size=N), 1),
            "income": 20_000 + 30_000 * GROUP + random.integers(0, 3_000, N),
            "city": random.choice(["Oslo", "Rome", "Bern, old"], N),
            "member": random.random(N) < 0.5,
            "note": [f"note {row // 2}" for row in range(N)],
        }
    )
    frame.loc[random.random(N) < 0.05, "age"] = np.nan
    frame.loc[random.random(N) < 0.03, "city"] = None
    return frame


FRAME = clients()
CHOSEN = ["--id", "client", "--drop", "note"]
ENCODED = [*CHOSEN, "--missing", "median", "--categorical", "one-hot", "--dates", "drop", "--scale", "standard"]


def write(frame: pd.DataFrame, name: str) -> None:
    if name.endswith(".parquet"):
        frame.to_parquet(name, row_group_size=70)
    elif name.endswith((".feather", ".arrow")):
        frame.to_feather(name)
    else:
        frame.to_csv(name, index=False, sep="\t" if ".tsv" in name else ",")


def command_in(said: str) -> list[str]:
    """The command in the last line of an answer, as a shell takes it."""
    name, *arguments = shlex.split(said.splitlines()[-1])
    assert name == "dncsc"
    return arguments
