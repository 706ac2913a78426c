"""The paper's numbers: its Tables 3 to 5, its ablation and its simulation, as published."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from dncsc.bench.summary import Spread

METHODS = {
    "KM": "k-means",
    "k-means approximate": "dnc-sc/select=kmeans/nearest=candidates",
    "k-means exact": "dnc-sc/select=kmeans/nearest=exact",
    "DnC-k-means approximate": "dnc-sc/select=dnc-kmeans/nearest=candidates",
    "DnC-k-means exact": "dnc-sc/select=dnc-kmeans/nearest=exact",
    "DnC-light-k-means exact": "dnc-sc/nearest=exact",
}
"""Our names of the paper's methods, where they are not the same in small letters."""

DNC_SC = "dnc-sc", "dnc-sc/nearest=candidates", "dnc-sc/bandwidth=mean"
"""All are the paper's DnC-SC: ours, ours with its search of nearest landmarks, and ours with its weights."""

MEASURES = {"acc_percent": "acc", "nmi_percent": "nmi", "seconds": "seconds"}


@cache
def _published() -> dict[tuple[str, str, str], Spread]:
    text = files("dncsc.bench").joinpath("paper_tables.csv").read_text()
    return {
        (row["dataset"].lower(), METHODS.get(row["method"], row["method"].lower()), MEASURES[row["metric"]]): Spread(
            float(row["mean"]), float(row["std"]) if row["std"] else None
        )
        for row in csv.DictReader(text.splitlines())
        if row["mean"]
    }


def published(name: str, rows: int | None, method: str, measure: str) -> Spread | None:
    """Mean and deviation in the paper, scores in percent; None where it has none, or for a set of another size."""
    return None if rows else _published().get((name, DNC_SC[0] if method in DNC_SC else method, measure))
