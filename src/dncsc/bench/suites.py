"""The suites: which sets, methods and parameters each compares. Everything else is the same for all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dncsc import datasets
from dncsc.bench import methods
from dncsc.bench.cells import Plan, SetSize
from dncsc.bench.shapes import SHAPES
from dncsc.datasets.synthetic import SYNTHETIC
from dncsc.suggest import did_you_mean

TEN = ("usps", "pendigits", "letters", "mnist", "covertype", "ts-60k", "tm-1m", "tc-6m", "cg-10m", "fl-20m")
FOUR = ("letters", "mnist", "ts-60k", "tm-1m")
"""The sets that the paper varies parameters on."""
NINE = ("k-means", "sc", "nystrom", "lsc-k", "lsc-r", "lsc-kh", "lsc-rh", "u-spec", "dnc-sc")
P = (200, 400, 600, 800, 1000)
K = (2, 3, 5, 7, 10)
ALPHA = (25, 50, 100, 200, 400)

QUICK_ROWS = 20_000
QUICK_REPEATS = 2
REPEATS = 5
SHAPE_ROWS = 1000
"""Of a shape, where no number is asked for."""

Grid = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Suite:
    """An experiment. Sets times points of the grid times engines times methods times repeats are its cells."""

    name: str
    title: str
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    grid: Grid = field(default_factory=dict)
    sizes: tuple[int, ...] = ()
    """numbers of rows, where they are what varies"""
    engines: tuple[str, ...] = ("threads",)
    reference: str = "dnc-sc"
    """the method, or engine, whose time others are divided by"""
    quick_sets: tuple[str, ...] = ("pendigits", "tm-1m")
    quick_grid: Grid = field(default_factory=dict)
    quick_sizes: tuple[int, ...] = ()


LANDMARKS: Any = {"grid": {"n_landmarks": P}, "quick_grid": {"n_landmarks": (200, 1000)}}
NEIGHBORS: Any = {"grid": {"n_neighbors": K}, "quick_grid": {"n_neighbors": (3, 10)}}
FLOWER: Any = {"sets": ("fl-20m",), "quick_sets": ("fl-20m",)}
CANDIDATES = "dnc-sc/nearest=candidates"
ABLATIONS = (
    "dnc-sc/select=kmeans/nearest=candidates",
    "dnc-sc/select=dnc-kmeans/nearest=candidates",
    CANDIDATES,
    "dnc-sc/select=kmeans/nearest=exact",
    "dnc-sc/select=dnc-kmeans/nearest=exact",
    "dnc-sc/nearest=exact",
)

_ALL = (
    Suite(
        "paper",
        "Ten sets, nine methods: ACC, NMI and time (the paper's Tables 3 to 5)",
        TEN,
        NINE,
        quick_sets=("pendigits", "tm-1m", "fl-20m"),
    ),
    Suite("landmarks", "ACC, NMI and time by the number of landmarks p", FOUR, NINE[2:], **LANDMARKS),
    Suite("neighbors", "ACC, NMI and time by the number of nearest landmarks K", FOUR, NINE[3:], **NEIGHBORS),
    Suite(
        "alpha",
        "ACC, NMI and time by K and the selection rate alpha",
        FOUR,
        ("dnc-sc",),
        {"n_neighbors": K, "selection_rate": ALPHA},
        quick_grid={"n_neighbors": (3, 10), "selection_rate": (50, 200)},
    ),
    Suite("phases", "Seconds a phase", FOUR, ("lsc-k", "lsc-r", "u-spec", "dnc-sc")),
    Suite(
        "selection",
        "Landmarks by k-means, and by divide and conquer with k-means and light-k-means",
        FOUR,
        ABLATIONS[:3],
        **LANDMARKS,
    ),
    Suite(
        "simulation",
        "The selection as a clustering of many blobs, next to k-means",
        tuple(f"blobs-{n}" for n in (500, 1000, 1500, 2000)),
        ("divide-and-conquer", "k-means"),
        reference="divide-and-conquer",
        quick_sets=("blobs-500", "blobs-1000"),
    ),
    Suite(
        "nearest",
        "Approximate and exact nearest landmarks",
        FOUR,
        (CANDIDATES, "dnc-sc/nearest=exact"),
        reference=CANDIDATES,
        **NEIGHBORS,
    ),
    Suite(
        "ablation",
        "Three selections, approximate and exact nearest landmarks",
        FOUR,
        ABLATIONS,
        reference=CANDIDATES,
    ),
    Suite(
        "scaling",
        "Time and memory by the number of rows",
        methods=("dnc-sc", "u-spec", "k-means"),
        sizes=tuple(int(size) for size in (1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7)),
        quick_sizes=(50_000, 100_000, 200_000),
        **FLOWER,
    ),
    Suite(
        "many-landmarks",
        "ACC, NMI and time with up to 10,000 landmarks",
        methods=("dnc-sc",),
        grid={"n_landmarks": (1000, 2000, 5000, 10_000)},
        quick_grid={"n_landmarks": (1000, 2000)},
        **FLOWER,
    ),
    Suite(
        "price",
        "The price of k-means: DnC-SC against scikit-learn's KMeans",
        TEN,
        ("dnc-sc", methods.YARDSTICK),
        reference=methods.YARDSTICK,
        quick_sets=("pendigits", "tm-1m", "fl-20m"),
    ),
    Suite(
        "engines",
        "Threads, files and Dask",
        ("mnist", "cg-10m"),
        ("dnc-sc",),
        engines=("threads", "one thread", "files", "dask"),
        reference="threads",
        quick_sets=("fl-20m",),
    ),
    Suite(
        "files",
        "Rows in a file, with less memory than they need",
        methods=("dnc-sc",),
        sizes=(20_000_000, 100_000_000),
        engines=("threads", "files"),
        reference="threads",
        quick_sizes=(100_000, 200_000),
        **FLOWER,
    ),
    Suite(
        "shapes",
        "ARI on shapes and groups of few rows, next to scikit-learn",
        tuple(SHAPES),
        ("dnc-sc", "lsec", "sklearn-spectral", "sklearn-kmeans-10"),
        sizes=(300, 1000, 3000),
        quick_sets=("moons", "uneven-2d", "answers-6d"),
        quick_sizes=(300, 1000),
    ),
)
SUITES = {suite.name: suite for suite in _ALL}


@dataclass(frozen=True)
class SuiteOptions:
    """How a suite is narrowed, widened or made smaller; None for its own choice."""

    sets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    rows: int | None = None
    repeats: int | None = None
    quick: bool = False
    seed: int = 0
    threads: int | None = None


def plan(suite: Suite, options: SuiteOptions) -> Plan:
    """The cells to run. Unknown names and numbers that make no sense are refused here."""
    sets = options.sets or (suite.quick_sets if options.quick else suite.sets)
    known = [*datasets.names(), *SHAPES]
    for name in sets:
        if name not in known:
            hint = did_you_mean(name, known)
            raise ValueError(f"there is no data set {name!r}.{hint} There are: {', '.join(known)}.")
    for name in options.methods or ():
        methods.check(name)
    for what, value in (("rows", options.rows), ("repeats", options.repeats), ("jobs", options.threads)):
        if value is not None and value < 1:
            raise ValueError(f"{what} must be at least 1; got {value}.")
    return Plan(
        suite.name,
        _sizes(suite, sets, options),
        tuple(options.methods or suite.methods),
        suite.quick_grid if options.quick else suite.grid,
        suite.engines,
        options.repeats or (QUICK_REPEATS if options.quick else REPEATS),
        options.seed,
        options.threads or os.cpu_count() or 1,
    )


def _sizes(suite: Suite, sets: Sequence[str], options: SuiteOptions) -> tuple[SetSize, ...]:
    """Sets and numbers of rows: real sets are taken whole, except where rows are what varies."""
    sizes = suite.quick_sizes if options.quick else suite.sizes
    if sizes:
        most = options.rows or max(sizes)
        fitting = [n for n in sizes if n <= most] or [most]
        return tuple((name, _unless_whole(name, n)) for name in sets for n in fitting)
    wanted = options.rows or (QUICK_ROWS if options.quick else None)
    return tuple((name, _rows(name, wanted)) for name in sets)


def _rows(name: str, wanted: int | None) -> int | None:
    if name in SHAPES:
        return wanted or SHAPE_ROWS
    return _unless_whole(name, min(wanted, SYNTHETIC[name].n)) if wanted and name in SYNTHETIC else None


def _unless_whole(name: str, rows: int) -> int | None:
    return None if name in SYNTHETIC and rows == SYNTHETIC[name].n else rows
