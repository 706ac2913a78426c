"""What is missing or new in rows that are to become what an encoding says: counted, told, and refused by name."""

from __future__ import annotations

import numpy as np

from dncsc.errors import InputError
from dncsc.tables.encoding import CategoryColumn, Encoding


class Survey:
    """Gaps and values that the fit did not see, in each column of the rows so far."""

    def __init__(self, encoding: Encoding) -> None:
        m = len(encoding.columns)
        self._columns, self._n_rows = encoding.columns, 0
        self._is_category = np.array([isinstance(column, CategoryColumn) for column in encoding.columns])
        self._gaps, self._unseen, self._first = np.zeros(m, np.int64), np.zeros(m, np.int64), np.full(m, -1)

    def add(self, stored: np.ndarray) -> None:
        """Take in stored numbers of more rows."""
        gaps = np.isnan(stored)
        is_first = (self._first < 0) & gaps.any(axis=0)
        self._first = np.where(is_first, self._n_rows + gaps.argmax(axis=0), self._first)
        self._gaps += gaps.sum(axis=0)
        self._unseen += (stored == -1).sum(axis=0) * self._is_category
        self._n_rows += len(stored)

    def refuse_gaps(self) -> None:
        """Refuse rows with gaps, if there are some."""
        having = np.flatnonzero(self._gaps)
        if not len(having):
            return
        number, others = having[0], len(having) - 1
        gaps = f"{self._gaps[number]:,} of {self._n_rows:,} rows, the first of which is row {self._first[number]}"
        more = f"; {others} more column{' has' if others == 1 else 's have'} gaps too" if others else ""
        raise InputError(
            f"column {self._columns[number].name!r} has no value in {gaps}{more}. Fill them or leave out such rows, or "
            "fit again with {missing}.",
            (),
            {"missing": "median"},
        )

    def warnings(self) -> list[str]:
        """A sentence for each column that has new values, or none at all."""
        said = []
        for column, gaps, unseen in zip(self._columns, self._gaps, self._unseen, strict=True):
            if unseen:
                rows = f"{unseen:,} of {self._n_rows:,} rows have values that the fit did not see"
                said.append(f"column {column.name!r}: {rows}, which count as none of its categories.")
            if gaps == self._n_rows > 0:
                rows = f"all {gaps:,} rows get" if gaps > 1 else "its row gets"
                said.append(f"column {column.name!r} is empty: {rows} what fills gaps.")
        return said
