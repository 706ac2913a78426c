"""What went wrong in one line, in the words of a terminal, and the exit code that says which kind of error it was."""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import Any

from dncsc.errors import (
    ANY_VALUE,
    NotFiniteError,
    ParameterError,
    TooFewRowsError,
    TooManyRowsError,
    Vocabulary,
    Worded,
    visible,
)

FAULT, REFUSED, FILE, CLUSTER, CLOSED_PIPE = 1, 2, 3, 4, 141


class ClusterUnavailableError(Exception):
    """A Dask cluster that cannot be reached, or failed."""


OPTIONS = {
    "n_clusters": "-k",
    "max_clusters": "--max-clusters",
    "metric": "--metric",
    "n_landmarks": "--landmarks",
    "n_neighbors": "--neighbors",
    "noise": "--noise",
    "refine": "--refine",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "seed": "--seed",
    "max_memory": "--max-memory",
    "checkpoint": "--resume",
    "columns": "--columns",
    **{name: f"--{name}" for name in ("missing", "categorical", "dates", "scale", "thousands", "decimal")},
    "scratch_dir": "the environment variable TMPDIR",
    "eigenvalues_": "the eigenvalues, which a --report shows",
    "tree_": "the tree of clusters, which a --report shows",
}
"""What the library's names are called on the command line."""

RULES = {"n_jobs": "must be a number of threads, or -1 for all cores"}
"""Rules of parameters that are worded otherwise on the command line, which has no None."""


LEAKED = "Value error, "
"""What the library that checks options for Typer says before it says what is wrong."""

ADVICE = {
    errno.ENOSPC: " Make room there, or write to another disk.",
    errno.EFBIG: " Files may be no larger there: ulimit -f tells a limit of the shell. Write elsewhere.",
}
"""What to do about errors of the system."""


def _setting(name: str, value: Any) -> str:
    """A parameter with its value, as it is typed: `--columns a,"b, c"`."""
    if isinstance(value, list | tuple):
        value = ",".join(f'"{each}"' if "," in str(each) else str(each) for each in value)
    return _name(name) if value is ANY_VALUE else f"{_name(name)} {value}"


def _name(name: str) -> str:
    return OPTIONS.get(name, name)


COMMAND_LINE = Vocabulary(_name, _setting)

known_as: dict[str, str] = {}
"""Temporary files, and what the user knows them as."""


def explain(error: BaseException) -> tuple[int, str]:
    """Exit code and one line for an error."""
    code, text = REFUSED, in_options(error)
    if hasattr(error, "format_message"):  # what Click calls a ClickException, wherever Typer keeps it
        text, context = _line(error.format_message().replace(LEAKED, "")), getattr(error, "ctx", None)
        text = f"{text[:1].lower()}{text[1:]}{f' See: {context.command_path} --help' if context else ''}"
    elif isinstance(error, ClusterUnavailableError):
        code = CLUSTER
    elif isinstance(error, OSError):
        code = FILE
        if error.errno is not None and error.filename is not None:
            reason = os.strerror(error.errno)
            text = f"{error.filename}: {reason[:1].lower()}{reason[1:]}.{ADVICE.get(error.errno, '')}"
    elif isinstance(error, MemoryError) and not str(error):
        text = "out of memory. Set a bound with --max-memory, for example --max-memory 2GB."
    elif isinstance(error, RuntimeError) and "can't start new thread" in text:
        text = "no thread can be started: there is too little memory, or the system allows no more. Lower --jobs."
    elif not isinstance(error, MemoryError | ValueError | TypeError | ImportError):
        code = FAULT
        text = f"this is a fault of dncsc: {type(error).__name__}: {text} Run again with --debug to see where."
    for path, name in known_as.items():
        text = text.replace(path, name)
    return code, text


def in_options(said: object) -> str:
    """One line for an error or a warning of the library, with options in place of parameters."""
    match said:
        case TooFewRowsError():
            k, n = said.n_clusters, said.n_rows
            advice = "Give two or more" if k == "auto" else f"Each cluster needs one: give -k {n} or less"
            text = f"-k {k}: there {'is 1 row' if n == 1 else f'are {n} rows'}. {advice}."
        case TooManyRowsError():
            limit = f"{said.n_rows} rows are more than the {said.max_rows} that this method takes"
            text = f"{limit}: {said.reason} Use another method, such as dnc-sc."
        case NotFiniteError():
            text = f"the rows contain values that are not finite: {said.found} Remove or impute them."
        case ParameterError(name=name) if name in RULES:
            text = f"{_name(name)} {RULES[name]}; got {said.value!r}."
        case Worded():
            text = said.worded(COMMAND_LINE)
        case _:
            text = str(said)
    return _line(text)


def tell(text: str) -> None:
    """Print a line about an error, or several."""
    print("dncsc:", visible(text, keep="\n"), file=sys.stderr, flush=True)


def _line(text: str) -> str:
    """As one line that ends like a sentence."""
    line = re.sub(r"\s+", " ", text, flags=re.ASCII).strip()  # blanks of other kinds may be what it is about
    return line if not line or line[-1] in ".!?" else f"{line}."
