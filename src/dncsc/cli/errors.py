"""What went wrong in one line, and the exit code that says which kind of trouble it was."""

from __future__ import annotations

import errno
import os
import re
import sys

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
}
"""Parameters of estimators, and what they are called on the command line; "checkpoint" is an English word too."""

IN_OTHER_WORDS = {
    r"\bn_samples=(\d+) should be >= n_clusters=(\d+)": r"each cluster needs a row: \2 at the least, and there is \1",
    r"\bn_samples=(\d+) is more than max_rows=(\d+)": r"\1 rows are more than the \2 that this method takes",
    r"\bUse DnCSC, or raise max_rows": "Use another method, such as dnc-sc",
    r"\bLook at eigenvalues_, and": "Look at the eigenvalues, which a --report shows, and",
    r"^X contains\b": "the rows contain",
    r", for example with sklearn\.impute\.SimpleImputer": "",
    r"\bas scratch_dir\b": "in the environment variable TMPDIR",
}
"""What is said to those who write Python, and what is said at a terminal instead, where there are no such names."""


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
        text = _line(error.format_message()).replace("Value error, ", "")
        return REFUSED, f"{text[:1].lower()}{text[1:]}{_help_of(error)}"
    if isinstance(error, OSError):
        return FILE, _of_file(error)
    if isinstance(error, MemoryError):
        advice = "" if str(error) else "out of memory. Set a bound with --max-memory, for example --max-memory 2GB."
        return REFUSED, in_options(_line(error)) + advice
    if isinstance(error, ValueError | TypeError | ImportError):
        return REFUSED, in_options(_line(error))
    return (
        FAULT,
        f"this is a fault of dncsc: {type(error).__name__}: {_line(error)} Run again with --debug to see where.",
    )


def in_options(text: str) -> str:
    """The text with options of the command line in place of parameters: `n_jobs=0` becomes `--jobs 0`."""
    for python, words in IN_OTHER_WORDS.items():
        text = re.sub(python, words, text)
    text = re.sub(r"\bcolumns=\[(.*?)\]", lambda found: f"--columns {_between_commas(found[1])}", text)
    text = re.sub(r"\bcolumns=", "--columns", text)
    names = "|".join(OPTIONS)
    text = re.sub(rf"\b({names})=(?!=)", lambda found: f"{OPTIONS[found[1]]} ", text)
    return re.sub(rf"\b({names})\b", lambda found: OPTIONS[found[1]] if "_" in found[1] else found[1], text)


def _between_commas(names: str) -> str:
    """What stands in a list of Python, as --columns takes it."""
    return ",".join(f'"{name}"' if "," in name else name for name in re.findall(r"'([^']*)'", names)) or names


def tell(text: str) -> None:
    """Print a line about trouble."""
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
        return _line(error)
    reason = os.strerror(error.errno)
    advice = " Make room there, or write to another disk." if error.errno == errno.ENOSPC else ""
    return f"{error.filename}: {reason[:1].lower()}{reason[1:]}.{advice}"
