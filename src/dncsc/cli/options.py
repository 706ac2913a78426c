"""Options that several commands share, and the estimators they stand for, checked before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dncsc.cli.errors import OPTIONS
from dncsc.errors import InputError

if TYPE_CHECKING:
    from dncsc.rows import Rows

ROWS, METHOD, OUTPUT, RUNNING = "Rows", "Method", "Output", "Running"
"""Panels of the help."""


def epilog(*examples: str) -> str:
    """Examples, a paragraph each."""
    return "\n\n".join([f"Example{'s' if len(examples) > 1 else ''}:", *examples])


def complete_method(incomplete: str) -> list[str]:
    """Methods that begin like this."""
    from dncsc import methods

    return [name for name in methods() if name.startswith(incomplete)]


def option(panel: str | None, help: str, *names: str, **given: Any) -> Any:
    """An option in a panel of the help; without names, it is called like the function's argument."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **given)


Data = Annotated[
    str,
    typer.Argument(
        help="Rows to read: a .npy, .npz, .csv, .tsv, .parquet, .feather or .arrow file, a folder or quoted pattern of "
        "such files, or - for CSV on standard input.",
        show_default=False,
    ),
]
ColumnNames = Annotated[
    list[str] | None,
    option(ROWS, "Columns to use, by name, or by number from 0 where there are none.", metavar="A,B,..."),
]
Drop = Annotated[list[str] | None, option(ROWS, "Use all columns but these.", metavar="A,B,...")]
Identifier = Annotated[
    list[str] | None, option(ROWS, "Not features: carried over to the labels.", "--id", metavar="A,B,...")
]
EscapeFormulas = Annotated[
    bool,
    option(
        OUTPUT,
        "Put ' before cells of --id in CSV that a spreadsheet would take for formulas: those that begin with =, +, - "
        "or @ and are no numbers.",
        "--escape-formulas",
    ),
]
Scale = Annotated[
    Literal["none", "standard", "robust"],
    option(
        ROWS,
        "Scale columns of numbers: standard by mean and standard deviation, robust by median and quartiles of 100,000 "
        "rows.",
        metavar="none|standard|robust",
    ),
]
Missing = Annotated[
    Literal["refuse", "drop", "median", "mean"],
    option(
        ROWS,
        "Missing values: median and mean fill numbers and make a gap a value of its category; drop leaves such rows "
        "out, whose labels are empty, or -1 in .npy and .npz.",
        metavar="refuse|drop|median|mean",
    ),
]
Categorical = Annotated[
    Literal["refuse", "one-hot", "drop"],
    option(
        ROWS,
        "Columns of text: one-hot makes a column of each value, of at most 100; drop leaves all text out.",
        metavar="refuse|one-hot|drop",
    ),
]
Dates = Annotated[
    Literal["refuse", "drop", "number"],
    option(ROWS, "Dates and times: number makes days since 1970-01-01 of them.", metavar="refuse|drop|number"),
]
Thousands = Annotated[
    str | None, option(ROWS, "What stands between thousands in CSV, as the commas in 1,234,567.", metavar="CHARACTER")
]
Decimal = Annotated[
    str | None, option(ROWS, "What stands before decimals in CSV, as the comma in 1,5.", metavar="CHARACTER")
]
Clusters = Annotated[str, option(METHOD, "Number of clusters, or auto to find it.", "--clusters", "-k", metavar="N")]
MaxClusters = Annotated[
    int | None, option(METHOD, "Most clusters that -k auto looks for; 50 unless given.", metavar="N")
]
Method = Annotated[
    str,
    option(METHOD, "Clustering method; dncsc methods lists them.", metavar="NAME", autocompletion=complete_method),
]
Metric = Annotated[
    Literal["euclidean", "cosine"],
    option(METHOD, "How rows are compared; cosine compares directions alone.", metavar="euclidean|cosine"),
]
Landmarks = Annotated[
    int | None, option(METHOD, "Landmarks: more for finer shapes; 1000 in most methods.", metavar="N")
]
Neighbors = Annotated[int | None, option(METHOD, "Landmarks a row is linked to; 5 in most methods.", metavar="N")]
Noise = Annotated[
    float | None,
    option(METHOD, "Share of the rows that lie apart from all others, such as 0.05, to label -1.", metavar="SHARE"),
]
Refine = Annotated[
    bool,
    option(METHOD, "More landmarks, and neighbours have a say: better labels, in two to four times the time."),
]
Seed = Annotated[int, option(METHOD, "Seed: one seed, one answer, on any number of threads.", metavar="N", min=0)]
Jobs = Annotated[int | None, option(RUNNING, "Threads. Default: as many as there are cores.", metavar="N")]
MaxMemory = Annotated[
    str | None, option(RUNNING, "Memory to use at most, such as 2GB; what does not fit waits on disk.", metavar="SIZE")
]
Quiet = Annotated[bool, option(RUNNING, "Say nothing but warnings and errors.", "--quiet", "-q")]
Debug = Annotated[bool, option(RUNNING, "Show where in the code an error arose.", "--debug")]
Labels = option(OUTPUT, "Labels, or - for standard output.", "--output", "-o", metavar="FILE")
Layers = Annotated[
    list[str] | None,
    option(
        OUTPUT,
        "Coarser clusterings too, a column each: label_10 has the clusters joined into 10 groups.",
        metavar="N,N,...",
    ),
]
Force = Annotated[bool, option(OUTPUT, "Overwrite outputs that exist.", "--force")]
Json = Annotated[
    bool,
    option(OUTPUT, "Summary for programs, on standard output, or on standard error when labels go there.", "--json"),
]
JsonTable = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def number_of_clusters(text: str) -> int | str:
    """What -k says: a positive number, or "auto"."""
    if text == "auto":
        return text
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InputError(f"-k must be a number of clusters of at least 1, or auto; got {text!r}.")
    return int(text)


def make_estimator(method: str, k: int | str, **given: Any) -> Any:
    """The estimator of a method, with what a fit would refuse refused; parameters that are None are left to it."""
    from dncsc import clusterer
    from dncsc.estimators.parameters import check_parameters

    parameters = {name: value for name, value in given.items() if value is not None}
    known = clusterer(method).get_params()
    for name in parameters:
        if name not in known:
            raise InputError(f"{OPTIONS[name]}: the method {method} has no use for it. Leave it out.")
    if k == "auto" and "max_clusters" not in known:  # which those alone have that find the number of clusters
        raise InputError(f"-k auto: the method {method} does not count clusters; dnc-sc does. Give -k a number.")
    if k != "auto" and "max_clusters" in parameters:
        raise InputError(f"--max-clusters: -k {k} is a number already. Leave it out, or give -k auto.")
    estimator = clusterer(method, k, **parameters)  # type: ignore[arg-type]
    check_parameters(estimator)
    return estimator


def check_enough(n_rows: int, k: int | str, name: str) -> None:
    """Refuse fewer rows than clusters."""
    if isinstance(k, int) and n_rows < k:
        found = f"{name} has only {n_rows:,} row{'s' * (n_rows != 1)}, and each cluster needs one"
        raise InputError(f"-k {k}: {found}. Give -k {n_rows} or less.")


def passes(estimator: Any, rows: Rows) -> int:
    """Passes over the rows to expect; 0 where they are not known."""
    from dncsc import DnCSC, estimate

    return estimate(*rows.shape, **estimator.get_params()).passes if isinstance(estimator, DnCSC) else 0
