"""Tables in memory as features: a transformer of scikit-learn with the code and the record of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from dncsc.errors import InputError, ParameterError
from dncsc.rows.base import BATCH_ROWS
from dncsc.rows.columns import listed
from dncsc.rows.values import arrow
from dncsc.tables.learning import TableOptions, learned, planned
from dncsc.tables.notes import as_note, from_note
from dncsc.tables.profile import profile
from dncsc.tables.survey import Survey

MISSING = ("median", "mean", "refuse")
"""What may become of gaps: no rows are left out here."""


class TableEncoder(TransformerMixin, BaseEstimator):
    """Numbers, categories, dates and gaps of a table become features that distances make sense of.

    Categories become one column for each value, of 0 and 0.5, so that two rows that differ in one category are 0.7
    standard deviations of a scaled number apart. The columns `dncsc fit` makes of a file are the same. It needs
    pyarrow: ``pip install "dncsc[io]"``.

    Parameters
    ----------
    missing : {"median", "mean", "refuse"}, default="median"
        What fills gaps in columns of numbers, and stands for infinite ones. A category has a column for "is missing"
        then, if it has gaps; else a gap in later rows is none of its values. Tables with gaps are refused otherwise.
    categorical : {"one-hot", "drop", "refuse"}, default="one-hot"
        What becomes of columns of text with at most 100 different values. Those with more are refused, unless dropped.
        Truth values are 0 and 1, which are as far apart as two categories; with the other choices they are numbers.
    dates : {"refuse", "number", "drop"}, default="refuse"
        What becomes of dates and times; numbers are days since 1970-01-01.
    scale : {"standard", "robust", "none"}, default="standard"
        How numbers are scaled: by mean and standard deviation, or by median and quartiles of 100,000 rows.

    Attributes
    ----------
    encoding_ : Encoding
        What each column becomes.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where the table has names.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dncsc import TableEncoder
    >>> table = pa.table({"age": [20, 40, None, 60], "city": ["Rome", "Oslo", "Rome", "Oslo"]})
    >>> encoder = TableEncoder(scale="none").fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'city=Oslo', 'city=Rome']
    >>> encoder.transform(table).round(2)
    array([[20. ,  0. ,  0.5],
           [40. ,  0.5,  0. ],
           [40. ,  0. ,  0.5],
           [60. ,  0.5,  0. ]])
    """

    def __init__(
        self,
        *,
        missing: str = "median",
        categorical: str = "one-hot",
        dates: str = "refuse",
        scale: str = "standard",
    ) -> None:
        self.missing, self.categorical, self.dates, self.scale = missing, categorical, dates, scale

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn what each column becomes.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array of shape (n_samples, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        if self.missing not in MISSING:
            hint = "Drop such rows from the table first." if self.missing == "drop" else ""
            raise ParameterError("missing", self.missing, f"must be one of {', '.join(map(repr, MISSING))}", hint)
        options = TableOptions(self.missing, self.categorical, self.dates, self.scale)
        names, columns, named = _columns(X)
        plan = planned(profile(_blocks(columns), names), options)
        column_of = dict(zip(names, columns, strict=True))
        chosen = [column_of[name] for name in plan.names]
        stored = _stored(plan, chosen)
        self.encoding_ = learned(plan, options, [stored], stored.shape)
        self.n_features_in_ = len(names)
        self.__dict__.pop("feature_names_in_", None)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Features of each row of X.

        Columns are found by name, in any order, if both tables have names, else by their places; a value that a
        category did not have when it was fitted is none of its columns.
        """
        check_is_fitted(self)
        names, columns, named = _columns(X)
        known = list(getattr(self, "feature_names_in_", ())) if named else []
        if not known and len(columns) != self.n_features_in_:
            raise ValueError(
                f"X has {len(columns)} features, but TableEncoder is expecting {self.n_features_in_} features as input."
            )
        there = set(names)
        lacking = [name for name in self.encoding_.names if known and name not in there]
        if lacking:
            raise ValueError(f"X has no column {listed(lacking)}, which TableEncoder was fitted to.")
        order = names if known else list(getattr(self, "feature_names_in_", names))
        column_of = dict(zip(order, columns, strict=True))
        stored = _stored(self.encoding_, [column_of[name] for name in self.encoding_.names])
        if not self.encoding_.fills_gaps:
            survey = Survey(self.encoding_)
            survey.add(stored)
            survey.refuse_gaps()
        return self.encoding_.encode(stored)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features, such as ``city=Rome``."""
        check_is_fitted(self)
        return np.array(self.encoding_.feature_names, dtype=object)

    def notes(self) -> dict[str, Any]:
        """What a model's file keeps of it: ``model.save(path, notes=encoder.notes())``.

        `dncsc predict` then reads tables as this encoder does, and `from_model` gives it again.
        """
        check_is_fitted(self)
        return {"encoding": as_note(self.encoding_)}

    @classmethod
    def from_model(cls, model: Any) -> TableEncoder:
        """The encoder that was saved with a model, from `dncsc.load_model`, by `notes` or by ``dncsc fit --model``."""
        note = (getattr(model, "notes_", None) or {}).get("encoding")
        if note is None:
            raise ValueError("the model's file says nothing about a table: it was saved without notes of an encoder.")
        encoding = from_note(note, int(model.n_features_in_))
        encoder = cls(missing=encoding.missing, scale=encoding.scale)
        encoder.encoding_ = encoding
        encoder.n_features_in_ = len(encoding.names)
        encoder.feature_names_in_ = np.array(encoding.names, dtype=object)
        return encoder

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _columns(X: Any) -> tuple[list[str], list[Any], bool]:
    """Names and columns of a table, and whether the names are its own."""
    pa = arrow()
    kind = type(X).__module__.split(".")[0]
    _refuse_no_table(X)
    if kind == "pandas" and hasattr(X, "columns"):
        columns = [_of_objects(X.iloc[:, number], name) for number, name in enumerate(X.columns)]
        return _distinct([str(name) for name in X.columns]), columns, True
    if kind in ("polars", "pyarrow"):
        table = pa.table(X.to_arrow() if kind == "polars" else X)
        return _distinct(table.column_names), table.columns, True
    if np.ma.is_masked(X):
        X = X.astype(np.float64 if X.dtype.kind in "biuf" else object).filled(np.nan)
    as_they_are = object if isinstance(X, list | tuple) else None  # else numbers in lists become texts beside others
    array = check_array(X, dtype=as_they_are, ensure_all_finite=False)
    names = [f"x{number}" for number in range(array.shape[1])]
    if array.dtype == object:
        return names, [_of_objects(column, name) for name, column in zip(names, array.T, strict=True)], False
    return names, list(array.T), False


def _refuse_no_table(X: Any) -> None:
    """Say how to make a table of what is none yet."""
    if isinstance(X, str | os.PathLike):
        raise InputError("X is a path, not a table. Read it first, as pandas.read_csv does.")
    if type(X).__name__ == "LazyFrame":
        raise InputError("X is a polars LazyFrame, which has no rows yet. Give X.collect().")


def _of_objects(column: Any, name: Any) -> Any:
    """A column of values of any type as Arrow has it; NaN is a gap. Categories of pandas are texts, even numbers."""
    pa = arrow()
    if hasattr(column, "sparse"):
        column = column.sparse.to_dense()
    try:
        found = pa.array(column, from_pandas=True)
        return found.dictionary_decode().cast(pa.string()) if isinstance(found, pa.DictionaryArray) else found
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        advice = "Of numbers with some texts pandas.to_numeric(column, errors='coerce') makes numbers and gaps"
        raise InputError(f"column {name!r} holds values of several types: {error}. {advice}.") from error
    except pa.ArrowNotImplementedError as error:
        if hasattr(column, "cat"):  # of a kind that Arrow does not have, as the intervals of pandas.cut
            return _of_objects(column.cat.rename_categories(str), name)
        what = f"{column.dtype}, of which no features are made"
        raise InputError(f"column {name!r} holds values of type {what}. Leave it out.") from error


def _distinct(names: list[str]) -> list[str]:
    if not names:
        raise ValueError("X has no columns.")
    if len(set(names)) < len(names):
        raise ValueError(f"X needs columns with names that differ; got {listed(names)}.")
    return names


def _blocks(columns: Sequence[Any]) -> Iterator[list[Any]]:
    n_rows = len(columns[0])
    if not n_rows:
        raise ValueError("X has columns, but no rows.")
    for start in range(0, n_rows, BATCH_ROWS):
        yield [column[start : start + BATCH_ROWS] for column in columns]


def _stored(encoding: Any, columns: Sequence[Any]) -> np.ndarray:
    """Columns as numbers, side by side."""
    return np.stack([read(column) for read, column in zip(encoding.readers(), columns, strict=True)], axis=1)
