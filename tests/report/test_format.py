"""Numbers as people write them."""

from __future__ import annotations

import pytest

from dncsc.report.format import format_date, format_number, format_seconds


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (1234567.891, 2, "1,234,567.89"),
        (-0.001, 1, "0.0"),
        (-2.5, 1, "\N{MINUS SIGN}2.5"),
        (0.05036, None, "0.05036"),
        (2e-9, None, "2e\N{MINUS SIGN}09"),
    ],
)
def test_numbers_are_written_for_people(value, places, text):
    assert format_number(value, places) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.0 ms"), (1e-6, "< 0.1 ms"), (0.0123, "12.3 ms"), (2.104, "2.10 s"), (61.23, "61.2 s"), (7384, "2 h 3 min")],
)
def test_durations_are_written_for_people(value, text):
    assert format_seconds(value) == text


@pytest.mark.parametrize(
    ("days", "spread", "text"),
    [
        (18_293.9, 17.0, "2020-02-01"),
        (-0.5, 400.0, "1969-12-31"),
        (18_293.75, 0.1, "2020-02-01 18:00:00"),
        (18_293.0, 0.0, "2020-02-01"),
    ],
)
def test_dates_are_written_for_people_with_the_time_where_it_matters(days, spread, text):
    assert format_date(days, spread) == text
