"""The suites: which sets, methods and parameters each compares. Everything else is the same for all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dncsc.bench import sets as known_sets
from dncsc.bench.measure import ENGINES
from dncsc.bench.methods import YARDSTICK, check
from dncsc.bench.results import Plan
from dncsc.bench.rivals import RIVALS, what_lacks
from dncsc.bench.sets import ROWS, WHOLE
from dncsc.bench.shapes import SHAPES

TEN = ("usps", "pendigits", "letters", "mnist", "covertype", "ts-60k", "tm-1m", "tc-6m", "cg-10m", "fl-20m")
FOUR = ("letters", "mnist", "ts-60k", "tm-1m")
"""The sets that the paper varies parameters on."""
NINE = ("k-means", "sc", "nystrom", "lsc-k", "lsc-r", "lsc-kh", "lsc-rh", "u-spec", "dnc-sc")
P, MANY = (200, 400, 600, 800, 1000), (1000, 2000, 5000, 10_000)
K = (2, 3, 5, 7, 10)
ALPHA = (25, 50, 100, 200, 400)

REPEATS, QUICK_REPEATS = 5, 2
QUICK_ROWS = 20_000


@dataclass(frozen=True)
class Suite:
    """An experiment. Sets times points of the grid times engines times methods times repeats are its cells."""

    name: str
    title: str
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    sizes: tuple[int, ...] = ()
    """numbers of rows, where they are what varies"""
    engines: tuple[str, ...] = ("threads",)
    reference: str = "dnc-sc"
    """the method whose time others are divided by"""
    quick_sets: tuple[str, ...] = ("pendigits", "tm-1m")
    """instead of several sets"""
    quick_sizes: tuple[int, ...] = ()
    """of the grid and, by default, of the sizes, the first two are quick"""


OURS, FLOWER, THREE = ("dnc-sc",), ("fl-20m",), ("pendigits", "tm-1m", "fl-20m")
SELECTIONS = ("dnc-sc/select=kmeans", "dnc-sc/select=dnc-kmeans", "dnc-sc")
ABLATIONS = tuple(f"{select}/nearest={how}" for how in ("candidates", "exact") for select in SELECTIONS)

_ALL = (
    Suite(
        "paper", "Ten sets, nine methods: ACC, NMI and time (the paper's Tables 3 to 5)", TEN, NINE, quick_sets=THREE
    ),
    Suite("landmarks", "ACC, NMI and time by the number of landmarks p", FOUR, NINE[2:], {"n_landmarks": P}),
    Suite("neighbors", "ACC, NMI and time by the number of nearest landmarks K", FOUR, NINE[3:], {"n_neighbors": K}),
    Suite(
        "alpha",
        "ACC, NMI and time by K and the selection rate alpha",
        FOUR,
        OURS,
        {"n_neighbors": K, "selection_rate": ALPHA},
    ),
    Suite("phases", "Seconds a phase", FOUR, ("lsc-k", "lsc-r", "u-spec", "dnc-sc")),
    Suite(
        "selection",
        "Landmarks by k-means, and by divide and conquer with k-means and light-k-means",
        FOUR,
        ABLATIONS[:3],
        {"n_landmarks": P},
    ),
    Suite(
        "simulation",
        "The selection as a clustering of many blobs, next to k-means",
        ("blobs-500", "blobs-1000", "blobs-1500", "blobs-2000"),
        ("divide-and-conquer", "k-means"),
        reference="divide-and-conquer",
        quick_sets=("blobs-500", "blobs-1000"),
    ),
    Suite("nearest", "Approximate and exact nearest landmarks", FOUR, ABLATIONS[2::3], {"n_neighbors": K}),
    Suite(
        "ablation", "Three selections, approximate and exact nearest landmarks", FOUR, ABLATIONS, reference=ABLATIONS[2]
    ),
    Suite(
        "scaling",
        "Time and memory by the number of rows",
        FLOWER,
        ("dnc-sc", "u-spec", "k-means"),
        sizes=tuple(int(size) for size in (1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7)),
    ),
    Suite("many-landmarks", "ACC, NMI and time with up to 10,000 landmarks", FLOWER, OURS, {"n_landmarks": MANY}),
    Suite(
        "price",
        "The price of k-means: DnC-SC against scikit-learn's KMeans",
        TEN,
        ("dnc-sc", YARDSTICK),
        reference=YARDSTICK,
        quick_sets=THREE,
    ),
    Suite("engines", "Threads, files and Dask", ("mnist", "cg-10m"), OURS, engines=ENGINES, quick_sets=FLOWER),
    Suite(
        "files",
        "Rows in a file, with less memory than they need",
        FLOWER,
        OURS,
        sizes=(20_000_000, 100_000_000),
        engines=("threads", "files"),
        quick_sizes=(100_000, 200_000),
    ),
    Suite(
        "shapes",
        "ARI on shapes and groups of few rows, next to scikit-learn",
        tuple(SHAPES),
        ("dnc-sc", "lsec", "sklearn-spectral", "sklearn-kmeans-10"),
        sizes=(300, 1000, 3000),
        quick_sets=("moons", "uneven-2d", "answers-6d"),
    ),
    Suite(
        "embeddings",
        "Embeddings: time, memory, NMI and ARI by the number of clusters, next to k-means and EVoC",
        # All others of `dncsc.bench.sets.TOPICS` can be asked for.
        tuple(f"{k}-topics-{d}d" for d in (256, 64, 768) for k in (10, 100, 1000, 3000)),
        ("dnc-sc", YARDSTICK, "sklearn-minibatch", *RIVALS),
        sizes=(100_000, 1_000_000),
        quick_sets=("10-topics-64d", "100-topics-64d"),
        quick_sizes=(10_000,),
    ),
)
SUITES = {suite.name: suite for suite in _ALL}


def plan(
    suite: Suite,
    *,
    sets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    rows: int | None = None,
    repeats: int | None = None,
    quick: bool = False,
    seed: int = 0,
    jobs: int | None = None,
) -> Plan:
    """The cells to run; None for the suite's own choice. Unknown names and numbers that make no sense are refused.

    Methods of the suite whose package is not installed are left out.
    """
    for name in sets or ():
        known_sets.check(name)
    for name in methods or ():
        check(name)
    for what, value in {"rows": rows, "repeats": repeats, "jobs": jobs}.items():
        if value is not None and value < 1:
            raise ValueError(f"{what} must be at least 1; got {value}.")
    names = sets or (suite.quick_sets if quick and len(suite.sets) > 1 else suite.sets)
    most = rows or (QUICK_ROWS if quick else None)
    if suite.sizes:
        varied = (suite.quick_sizes or suite.sizes[:2]) if quick else suite.sizes
        fitting = [n for n in varied if n <= (rows or n)] or [rows or 0]
        sizes = [(name, None if n == WHOLE.get(name) else n) for name in names for n in fitting]
    else:  # real sets are taken whole
        fewer = {name: most if most and most < WHOLE.get(name, 0) else None for name in names}
        sizes = [(name, most or ROWS[name] if name in ROWS else fewer[name]) for name in names]
    return Plan(
        suite.name,
        tuple(sizes),
        tuple(methods or (name for name in suite.methods if not what_lacks(name))),
        {name: values[:2] if quick else values for name, values in suite.grid.items()},
        suite.engines,
        repeats or (QUICK_REPEATS if quick else REPEATS),
        seed,
        jobs or os.cpu_count() or 1,
    )
