"""Columns are what their cells say, in whatever file and however many blocks they come."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from dncsc.tables.profile import MOST_VALUES, profile

N = 40


def of(*blocks, is_text=False, thousands=None):
    """The profile of one column."""
    (found,) = profile([[block] for block in blocks], ["x"], is_text, thousands)
    return found


def cells(*values):
    """A column of a text file."""
    return pa.array([*values] * (N // len(values)))


TEXT_CELLS = [
    (("1", " 2", "3"), "whole number"),
    (("1.0", "2", ""), "whole number"),
    (("1.5", "2", "NA"), "number"),
    (("1e3", "inf"), "number"),
    (("true", "False"), "true/false"),
    (("2024-01-31", "2024-02-01"), "date"),
    (("2024-01-31 10:00", "2024-02-01T11:30:15"), "date"),
    (("2024-01-31T10:00:00Z", "2024-02-01T11:30:15+02:00"), "date"),
    (("1,234", "12", "1,234,567.5"), "number with thousands"),
    (("1,23", "12"), "category"),
    (("0,123", "1,234"), "category"),
    (("31.01.2024", "01.02.2024"), "category"),
    (("a", "b", "a"), "category"),
    (("1", "2", "x"), "category"),
    (("", "NA"), "empty"),
]


@pytest.mark.parametrize(("values", "kind"), TEXT_CELLS, ids=[" ".join(each[0]) for each in TEXT_CELLS])
def test_letters_tell_what_a_column_of_text_files_holds(values, kind):
    assert of(cells(*values), is_text=True).kind == kind
    assert of(*(cells(*values)[row : row + 3] for row in range(0, N - 3, 3)), is_text=True).kind == kind


TYPED = [
    (pa.array([1, 2] * N), "whole number"),
    (pa.array([1.5, None] * N), "number"),
    (pa.array([Decimal("1.5"), Decimal("2.5")] * N), "number"),
    (pa.array([True, None] * N), "true/false"),
    (pa.array([datetime.date(2024, 1, 1), None] * N), "date"),
    (pa.array([datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)] * N), "date"),
    (pa.array(["1", "2"] * N), "category"),
    (pa.array(["2024-01-31", "2024-02-01"] * N), "date"),
    (pa.array(["a", None] * N).dictionary_encode(), "category"),
    (pa.array(["a", "b"] * N, pa.string_view()), "category"),
    (pa.array([1.5, 2.5] * N).dictionary_encode(), "number"),
    (pa.array([[1], [2]] * N), "other values"),
    (pa.array([1, 2] * N, pa.duration("s")), "other values"),
    (pa.nulls(N), "empty"),
    (np.full(N, np.nan), "empty"),
    (np.arange(N, dtype=np.float16), "whole number"),
]


@pytest.mark.parametrize(("column", "kind"), TYPED, ids=[f"{kind} {n}" for n, (_, kind) in enumerate(TYPED)])
def test_types_tell_what_a_column_of_other_files_holds(column, kind):
    assert of(column).kind == kind


def test_a_column_that_turns_far_down_is_what_all_its_cells_can_be():
    assert of(cells("1", "2"), cells("1,234"), is_text=True).kind == "number with thousands"
    assert of(cells("1", "2"), cells("2024-01-01"), is_text=True).values == ("1", "2", "2024-01-01")
    assert of(cells(""), cells("2024-01-01"), is_text=True).kind == "date"


def test_missing_values_are_counted_and_say_nothing_of_the_rest():
    found = of(pa.array(["3", None, "NA", "nan", " ", "5"]), is_text=True)
    assert (found.n_rows, found.n_missing, found.low, found.high, found.deviation) == (6, 4, 3, 5, 1)


@pytest.mark.parametrize(
    ("values", "counts_up", "is_identifier"),
    [
        (np.arange(7, 47), True, True),
        (np.arange(7, 47)[::-1], False, True),
        (np.arange(N) * 1000, False, True),
        (np.random.default_rng(0).permutation(N) * 1000, False, False),
        (np.arange(N) // 2, False, False),
        (np.arange(N) + 0.5, False, False),
        ([f"k{row}" for row in range(N)], False, True),
        ([f"k{row // 2}" for row in range(N)], False, False),
        ([None, *range(1, N)], True, False),
    ],
)
def test_values_that_go_up_or_all_differ_look_like_an_id(values, counts_up, is_identifier):
    for blocks in ([pa.array(values)], [pa.array(values[:11]), pa.array(values[11:])]):
        found = of(*blocks)
        assert (found.counts_up, found.is_identifier) == (counts_up, is_identifier)


def test_a_category_has_no_more_than_so_many_values():
    most = [f"v{number}" for number in range(MOST_VALUES)]
    assert of(pa.array(most * 3)).kind == "category"
    assert of(pa.array([*most, "one more"] * 3)).kind == "text"
    assert of(pa.array([*most[:30], "v0"])).kind == "text"  # as many values as rows, nearly


def test_thousands_are_read_as_they_are_written():
    found = of(cells("1'234", "5"), is_text=True, thousands="'")
    assert (found.kind, found.low, found.high) == ("whole number", 5, 1234)
