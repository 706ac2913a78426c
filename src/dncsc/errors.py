"""Errors and warnings that carry fields, and how they become sentences.

A message names a parameter in braces: ``{n_jobs}``. A `Vocabulary` says what that is called where the message is read:
``n_jobs`` in Python, ``--jobs`` at a terminal. No message is ever taken apart again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dncsc.suggest import did_you_mean

ANY_VALUE = ...
"""Stands for the value of a parameter that the user has to choose."""


class Vocabulary(NamedTuple):
    """What parameters are called where a message is read."""

    name: Callable[[str], str]
    """of a parameter alone"""
    setting: Callable[[str, Any], str]
    """of a parameter with its value"""


PYTHON = Vocabulary(lambda name: name, lambda name, value: f"{name}=" if value is ANY_VALUE else f"{name}={value!r}")


class Worded(Exception):
    """What is said to the user; base of errors and warnings that name parameters.

    Parameters
    ----------
    message : str
        With parameters in braces.
    names : sequence of str
        Parameters that stand in it by name.
    settings : mapping, optional
        Parameters that stand in it with their values: ``n_jobs=2`` or ``--jobs 2``.
    """

    def __init__(self, message: str, names: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, names, settings)
        self.message, self.names, self.settings = message, tuple(names), dict(settings or {})

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


class FieldError(InputError):
    """A value that breaks the rule of its field.

    Parameters
    ----------
    name : str
        What the value was given as: a parameter, in most cases.
    value : object
    rule : str
        The end of a sentence that begins with the name, such as "must be an integer of at least 1".
    hint : str, optional
        A sentence on what to do.
    """

    def __init__(self, name: str, value: Any, rule: str, hint: str = "") -> None:
        super().__init__(f"{{{name}}} {rule}; got {value!r}.{hint and ' '}{hint}", (name,))
        self.name, self.value, self.rule, self.hint = name, value, rule, hint
        self.args = (name, value, rule, hint)


class ParameterError(FieldError, TypeError):
    """A parameter of the wrong type or value."""


class ParameterOrderError(InputError):
    """A parameter that is smaller than another one, and must not be."""

    def __init__(self, name: str, value: Any, least_name: str, least: Any) -> None:
        super().__init__(f"{{{name}}} must be at least {{{least_name}}}.", (), {name: value, least_name: least})
        self.name, self.value, self.least_name, self.least = name, value, least_name, least
        self.args = (name, value, least_name, least)


class UnknownNameError(InputError, TypeError):
    """A name that does not exist: of a method, a parameter, a column.

    Parameters
    ----------
    where : str
        The beginning of a sentence, such as "there is no method".
    name : str
    known : sequence of str
        The names there are.
    """

    def __init__(self, where: str, name: Any, known: Sequence[str]) -> None:
        super().__init__(f"{where} {name!r}.{did_you_mean(name, known)} There are: {', '.join(known)}.")
        self.where, self.name, self.known = where, name, list(known)
        self.args = (where, name, self.known)


class TooFewRowsError(InputError):
    """Fewer rows than clusters."""

    def __init__(self, n_rows: int, n_clusters: int) -> None:
        super().__init__(f"n_samples={n_rows} should be >= n_clusters={n_clusters}.")
        self.n_rows, self.n_clusters = n_rows, n_clusters
        self.args = (n_rows, n_clusters)


class TooManyRowsError(InputError):
    """More rows than a method takes."""

    def __init__(self, n_rows: int, max_rows: int) -> None:
        self.n_rows, self.max_rows = n_rows, max_rows
        super().__init__(
            f"n_samples={n_rows} is more than max_rows={max_rows}: {self.reason} Use DnCSC, or raise max_rows."
        )
        self.args = (n_rows, max_rows)

    @property
    def reason(self) -> str:
        """Why there is a bound."""
        return f"the neighbours of all rows would take about {self.n_rows**2 * 1e-9:,.0f} billion distances."


class NotFiniteError(InputError):
    """Values that are NaN or infinite.

    Parameters
    ----------
    counts : mapping of str to int
        How many there are of each kind: "NaN", "inf", "-inf".
    row, column : int
        Where the first is.
    name : str, optional
        Of its column.
    chunk : int, optional
        Of a Dask array, where rows are counted within it.
    """

    def __init__(
        self, counts: Mapping[str, int], row: int, column: int, name: str | None = None, chunk: int | None = None
    ) -> None:
        self.counts, self.row, self.column, self.name, self.chunk = dict(counts), row, column, name, chunk
        within = "" if chunk is None else f"In chunk {chunk}, counting its rows from 0: "
        super().__init__(
            f"{within}X contains values that are not finite: {self.found} "
            "Remove or impute them, for example with sklearn.impute.SimpleImputer."
        )
        self.args = (self.counts, row, column, name, chunk)

    @property
    def found(self) -> str:
        """How many there are, and where the first is."""
        kinds = ", ".join(f"{count} x {kind}" for kind, count in self.counts.items() if count)
        name = "" if self.name is None else f" ({self.name!r})"
        return f"{kinds}; the first is in row {self.row}, column {self.column}{name}."


class NotNumericError(InputError, TypeError):
    """A table with values that are not numbers.

    Parameters
    ----------
    found : str
        What is in it instead: the end of a sentence that begins with "X has to be numeric, but".
    """

    def __init__(self, found: str) -> None:
        super().__init__(
            f"X has to be numeric, but {found}. Encode text columns as numbers first, for example with "
            "sklearn.preprocessing.OneHotEncoder."
        )
        self.found = found
        self.args = (found,)
