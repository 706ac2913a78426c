"""Errors and warnings that carry fields, and how they become sentences.

A message names a parameter in braces: ``{n_jobs}``. A `Vocabulary` says what that is called where the message is read:
``n_jobs`` in Python, ``--jobs`` at a terminal. No message is ever taken apart again.
"""

from __future__ import annotations

import copyreg
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dncsc.suggest import did_you_mean

ANY_VALUE = ...
"""Stands for the value of a parameter that the user has to choose."""

MOST_NAMED = 10
"""Columns that a message names."""


HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that are not seen: they command terminals, turn the order of reading, or end lines."""

JOINERS = "\u200c\u200d"
"""Not seen either, but part of words, and harmless."""


def visible(text: str, keep: str = "") -> str:
    """Text as it can be shown to people, whoever wrote it: hidden characters but those in `keep` as escapes.

    Examples
    --------
    >>> print(visible("name\x1b[2J"))
    name\\x1b[2J
    """
    if text.isprintable():
        return text
    harmless = JOINERS + keep
    hidden = {letter for letter in set(text) if unicodedata.category(letter) in HIDDEN and letter not in harmless}
    return text.translate({ord(letter): repr(letter)[1:-1] for letter in hidden})


class Vocabulary(NamedTuple):
    """What parameters are called where a message is read: alone, and with a value."""

    name: Callable[[str], str]
    setting: Callable[[str, Any], str]


PYTHON = Vocabulary(lambda name: name, lambda name, value: f"{name}=" if value is ANY_VALUE else f"{name}={value!r}")


LONGEST_CELL = 60
"""Letters of a cell that a message shows."""


def shown(cell: Any) -> str:
    """A cell as a message names it: a double quote that lacks its pair makes one of the rest of a file."""
    is_long = isinstance(cell, str) and len(cell) > LONGEST_CELL
    return f"{cell[:LONGEST_CELL]!r}..." if is_long else repr(cell)


def enumerated(texts: Sequence[str], last: str = "and") -> str:
    """Texts as a sentence lists them, with a word before the last.

    Examples
    --------
    >>> enumerated(["a", "b", "c"])
    'a, b and c'
    """
    *most, end = texts or [""]
    return f" {last} ".join([", ".join(most), end] if most else [end])


class Worded(Exception):
    """What is said to the user; base of errors and warnings that name parameters.

    The message has parameters in braces: `names` alone, `settings` with their values: ``n_jobs=2`` or ``--jobs 2``.
    """

    def __init__(self, message: str, names: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None:
        self.message, self.names, self.settings = message, tuple(names), dict(settings or {})

    def __reduce__(self) -> Any:
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined] # not by __init__

    def worded(self, words: Vocabulary) -> str:
        """The message in the words of a vocabulary."""
        text = self.message
        for name in self.names:
            text = text.replace(f"{{{name}}}", words.name(name))
        for name, value in self.settings.items():
            text = text.replace(f"{{{name}}}", words.setting(name, value))
        return text

    def __str__(self) -> str:
        return self.worded(PYTHON)


class InputError(Worded, ValueError):
    """Input that cannot be worked with."""


class ParameterError(InputError, TypeError):
    """A parameter of the wrong type or value.

    The rule ends a sentence that begins with the name: "must be an integer of at least 1". The hint says what to do.
    """

    def __init__(self, name: str, value: Any, rule: str, hint: str = "") -> None:
        super().__init__(f"{{{name}}} {rule}; got {value!r}.{hint and ' '}{hint}", (name,))
        self.name, self.value, self.rule, self.hint = name, value, rule, hint


class ParameterOrderError(InputError):
    """A parameter that is smaller than another one, and must not be."""

    def __init__(self, name: str, value: Any, least_name: str, least: Any) -> None:
        super().__init__(
            f"{{{name}}} must be at least {{{least_name}}}. Raise the first to {least} or more, or lower the second to "
            f"{value} or less.",
            (),
            {name: value, least_name: least},
        )
        self.name, self.value, self.least_name, self.least = name, value, least_name, least


class UnknownNameError(InputError, TypeError):
    """A name that does not exist; `where` begins the sentence: "there is no method"."""

    def __init__(self, where: str, name: Any, known: Sequence[str]) -> None:
        super().__init__(f"{where} {name!r}.{did_you_mean(name, known)} There are: {', '.join(known)}.")
        self.where, self.name, self.known = where, name, list(known)


class TooFewRowsError(InputError):
    """Fewer rows than clusters; where these are counted ("auto"), fewer than two."""

    def __init__(self, n_rows: int, n_clusters: int | str) -> None:
        if isinstance(n_clusters, str):
            problem = f"n_samples={n_rows}: n_clusters={n_clusters!r} needs two rows or more."
        else:
            problem = (
                f"n_samples={n_rows} should be >= n_clusters={n_clusters}: each cluster needs a row. "
                f"Set n_clusters to {n_rows} or less, or give more rows."
            )
        super().__init__(problem)
        self.n_rows, self.n_clusters = n_rows, n_clusters


class TooManyRowsError(InputError):
    """More rows than a method takes."""

    def __init__(self, n_rows: int, max_rows: int) -> None:
        self.n_rows, self.max_rows = n_rows, max_rows
        self.reason = f"the neighbours of all rows would take about {n_rows**2 * 1e-9:,.1f} billion distances."
        super().__init__(
            f"n_samples={n_rows} is more than max_rows={max_rows}: {self.reason} Use DnCSC, or raise max_rows."
        )


class NotFiniteError(InputError):
    """Values that are NaN or infinite: how many of each kind, where the first is, and the name of its column.

    In a Dask array with chunks of unknown sizes, rows are counted within the chunk.
    """

    def __init__(
        self, counts: Mapping[str, int], row: int, column: int, name: str | None = None, chunk: int | None = None
    ) -> None:
        self.counts, self.row, self.column, self.name, self.chunk = dict(counts), row, column, name, chunk
        kinds = ", ".join(f"{count} x {kind}" for kind, count in counts.items() if count)
        named = "" if name is None else f" ({name!r})"
        self.found = f"{kinds}; the first is in row {row}, column {column}{named}."
        within = "" if chunk is None else f"In chunk {chunk}, counting its rows from 0: "
        fill = "or fill them: sklearn.impute.SimpleImputer, or for tables dncsc.TableEncoder"
        bound = "or bound them: numpy.clip"  # which no imputer fills
        super().__init__(
            f"{within}X contains values that are not finite: {self.found} "
            f"Leave out these rows or columns, {fill if counts.get('NaN') else bound}."
        )


class NotNumericError(InputError, TypeError):
    """Columns of a table that hold no numbers: what each holds, by its name or number."""

    def __init__(self, columns: Mapping[Any, str]) -> None:
        self.columns = dict(columns)
        said = [f"column {name!r} holds {what}" for name, what in columns.items()]
        if len(said) > MOST_NAMED:
            said[MOST_NAMED:] = [f"{len(said) - MOST_NAMED} more columns hold no numbers"]
        problem, them = f"X has to be numeric, but {enumerated(said)}", "them" if said[1:] else "it"
        super().__init__(f"{problem}. Leave {them} out, or encode {them} first: dncsc.TableEncoder.")
