"""What went wrong in one line, in the words of a terminal, and the exit code that says which kind of error it was."""

from __future__ import annotations

import errno
import os
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
)

FAULT, REFUSED, FILE, CLUSTER, CLOSED_PIPE = 1, 2, 3, 4, 141


class CliError(Exception):
    """Something to tell the user in one line."""

    code = REFUSED


class UsageError(CliError):
    """Input or options that cannot be worked with."""


class FileError(CliError):
    """A file or folder that cannot be read or written."""

    code = FILE


class ClusterUnavailableError(CliError):
    """A Dask cluster that cannot be reached, or failed."""

    code = CLUSTER


OPTIONS = {
    "n_clusters": "-k",
    "n_landmarks": "--landmarks",
    "n_neighbors": "--neighbors",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "max_memory": "--max-memory",
    "checkpoint": "--resume",
    "columns": "--columns",
    "scratch_dir": "the environment variable TMPDIR",
    "eigenvalues_": "the eigenvalues, which a --report shows",
}
"""What the library's names are called on the command line."""

RULES = {"n_jobs": "must be a number of threads, or -1 for all cores"}
"""Rules of parameters that are worded otherwise on the command line, which has no None."""


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
    code, text = _explain(error)
    for path, name in known_as.items():
        text = text.replace(path, name)
    return code, text


def _explain(error: BaseException) -> tuple[int, str]:
    if isinstance(error, CliError):
        return error.code, _line(error)
    if hasattr(error, "format_message"):  # what Click calls a ClickException, wherever Typer keeps it
        text = _line(error.format_message())
        return REFUSED, f"{text[:1].lower()}{text[1:]}{_help_of(error)}"
    if isinstance(error, OSError):
        return FILE, _of_file(error)
    if isinstance(error, MemoryError) and not str(error):
        return REFUSED, "out of memory. Set a bound with --max-memory, for example --max-memory 2GB."
    if isinstance(error, MemoryError | ValueError | TypeError | ImportError):
        return REFUSED, in_options(error)
    return (
        FAULT,
        f"this is a fault of dncsc: {type(error).__name__}: {_line(error)} Run again with --debug to see where.",
    )


def in_options(said: object) -> str:
    """One line for an error or a warning of the library, with options in place of parameters."""
    match said:
        case TooFewRowsError():
            text = f"each cluster needs a row: {said.n_clusters} at the least, and there is {said.n_rows}."
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
    """Print a line about an error."""
    print(f"dncsc: {text}", file=sys.stderr, flush=True)


def _line(text: object) -> str:
    """As one line that ends like a sentence."""
    line = " ".join(str(text).split())
    return line if not line or line[-1] in ".!?" else f"{line}."


def _help_of(error: BaseException) -> str:
    context = getattr(error, "ctx", None)
    return f" See: {context.command_path} --help" if context is not None else ""


def _of_file(error: OSError) -> str:
    if error.errno is None or error.filename is None:
        return in_options(error)
    reason = os.strerror(error.errno)
    advice = " Make room there, or write to another disk." if error.errno == errno.ENOSPC else ""
    return f"{error.filename}: {reason[:1].lower()}{reason[1:]}.{advice}"
