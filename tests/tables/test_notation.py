"""Numbers are read as they are written, and what is written otherwise is no number."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dncsc.tables.cells import numbers
from dncsc.tables.notation import DECIMAL_COMMA, EUROPEAN, GROUPED, PLAIN, Notation

MARKS = ",.' _|\\]^$(\u202f\u00b7"


@given(
    value=st.decimals(-(10**12), 10**12, places=3),
    marks=st.lists(st.sampled_from(MARKS), min_size=2, max_size=2, unique=True),
)
def test_a_number_is_the_same_in_every_notation(value, marks):
    notation = Notation(*marks)
    assert notation.is_sound
    text = f"{value:,}".translate(str.maketrans(",.", "".join(marks)))
    assert numbers(pa.array([text, None, "nan"]), notation)[0] == float(value)


@pytest.mark.parametrize("text", ["1,5", "12,34", "8,29752110861129", "0,123", "1234,567", "1,234,56", ",123"])
def test_groups_after_the_first_have_three_digits(text):
    assert numbers(pa.array(["1,234", text]), GROUPED) is None


@pytest.mark.parametrize(("notation", "text"), [(DECIMAL_COMMA, "1.5"), (EUROPEAN, "1.5"), (EUROPEAN, "1,234,567")])
def test_with_a_decimal_comma_a_point_is_none(notation, text):
    assert numbers(pa.array([text]), notation) is None


def test_missing_cells_fit_every_notation():
    assert GROUPED.fits(pa.nulls(3, pa.string()))


@pytest.mark.parametrize("marks", [("", "."), ("1", "."), ("+", "."), (",,", "."), (".", "."), (None, "")])
def test_marks_are_single_characters_that_differ(marks):
    assert PLAIN.is_sound
    assert not Notation(*marks).is_sound
