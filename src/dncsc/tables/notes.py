"""What a model's file keeps about columns, so that new rows become features as those of the fit did."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from dncsc.errors import InputError
from dncsc.tables.encoding import KINDS, MISSING, SCALES, CategoryColumn, Encoding, NumberColumn
from dncsc.tables.notation import Notation

NOTE_VERSION = 1
"""Of what a model's file says about the columns."""

MALFORMED = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError)
"""What a note raises that has other parts than it should, or numbers that are too large."""


def as_note(encoding: Encoding) -> dict[str, Any]:
    """What a model's file keeps."""
    about = {name: getattr(encoding, name) for name in ("missing", "scale", "weight")}
    return {
        "version": NOTE_VERSION,
        **about,
        **encoding.notation.marks,
        "columns": [{**vars(column), "kind": column.kind} for column in encoding.columns],
    }


def from_note(note: Any, n_features: int) -> Encoding:
    """What a model's file says, checked: files of strangers are opened too."""
    try:
        if note["version"] != NOTE_VERSION:
            raise InputError(
                f"the model's file says what columns become in version {note['version']!r}; this dncsc knows version "
                f"{NOTE_VERSION}. Use a newer one."
            )
        columns = tuple(_column(each) for each in note["columns"])
        about = _one_of(MISSING, note["missing"]), _one_of(SCALES, note["scale"]), note["weight"]
        found = Encoding(columns, *about, Notation(note.get("thousands"), note.get("decimal", ".")))
        fits = len(found.feature_names) == n_features and _is_number(found.weight) and found.weight > 0
        if not found.notation.is_sound:
            raise ValueError(found.notation)
    except MALFORMED as error:
        if isinstance(error, InputError):
            raise
        raise InputError("the model's file does not say what columns become, though it should.") from error
    if not fits:
        raise InputError(f"the model's file says what columns become, but not for {n_features} features.")
    return found


def from_scale_note(note: Any, names: Sequence[str]) -> Encoding:
    """What a model's file says that was written when columns were scaled, and nothing else."""
    try:
        centre, scale = ([float(each) for each in note[name]] for name in ("centre", "scale"))
        columns = [
            _column({"name": name, "kind": "number", "fill": None, "centre": c, "scale": s})
            for name, c, s in zip(names, centre, scale, strict=True)
        ]
        return Encoding(tuple(columns), scale=_one_of(SCALES, note.get("how", "standard")))
    except MALFORMED as error:
        raise InputError(
            f"the model's file does not say how to scale its {len(names)} columns, though it should."
        ) from error


def _column(note: Any) -> NumberColumn | CategoryColumn:
    """A column from a file; refused unless every field is what it should be."""
    given = dict(note)
    if given.get("kind") == "category":
        del given["kind"]
        column: Any = CategoryColumn(**{**given, "values": tuple(given["values"])})
        texts = [column.name, *column.values]
        good = len(set(column.values)) == len(column.values) > 0 and isinstance(column.has_gaps, bool)
    else:
        column = NumberColumn(**given)
        texts, numbers = [column.name], [column.centre, column.scale, 0.0 if column.fill is None else column.fill]
        good = all(map(_is_number, numbers)) and column.scale > 0
        _one_of(KINDS, column.kind)
    if not good or len(given) != len(fields(column)) or not all(isinstance(text, str) for text in texts):
        raise ValueError(column.name)
    return column


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)


def _one_of(known: Sequence[str], value: Any) -> str:
    if value not in known:
        raise ValueError(value)
    return str(value)
