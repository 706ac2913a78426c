"""What is missing or new in rows is counted over all blocks, and named by the table's own columns."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.errors import InputError
from dncsc.tables.encoding import CategoryColumn, Encoding, NumberColumn
from dncsc.tables.survey import Survey

ENCODING = Encoding((NumberColumn("age", fill=4.0), CategoryColumn("plan", ("a", "b", "c"))), "median")
NAN = np.nan


def survey(*blocks):
    found = Survey(ENCODING)
    for block in blocks:
        found.add(np.array(block, float))
    return found


def test_gaps_are_refused_by_column_number_and_first_row():
    gaps = survey([[1, 0], [2, 1]], [[3, 2], [4, NAN]], [[5, NAN], [6, 0]])
    with pytest.raises(InputError, match=r"column 'plan' has no value in 2 of 6 rows, the first of which is row 3\."):
        gaps.refuse_gaps()
    with pytest.raises(InputError, match=r"row 1; 1 more column has gaps too. Fill .* fit again with missing='median'"):
        survey([[1, 0]], [[NAN, NAN]]).refuse_gaps()
    survey([[1, 0]], [[2, -1]]).refuse_gaps()


def test_of_a_table_without_rows_nothing_is_told():
    assert Survey(ENCODING).warnings() == []


def test_values_that_the_fit_did_not_see_and_empty_columns_are_told_once():
    assert survey([[-1, 0], [NAN, NAN]]).warnings() == []  # some gaps, and a number
    assert survey([[NAN, -1], [NAN, 0]], [[NAN, -1]]).warnings() == [
        "column 'age' is empty: all 3 rows get what fills gaps.",
        "column 'plan': 2 of 3 rows have values that the fit did not see, which count as none of its categories.",
    ]
