"""Columns are what their cells say, in whatever file and however many blocks they come."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from dncsc.tables.notation import EUROPEAN, GROUPED, NOTATIONS, PLAIN, Notation
from dncsc.tables.profile import MOST_VALUES, profile

N = 40


def of(*blocks, is_text=False, notation=PLAIN):
    """The profile of one column."""
    (found,) = profile([[block] for block in blocks], ["x"], is_text, notation)
    return found


def cells(*values):
    """A column of a text file."""
    return pa.array([*values] * (N // len(values)))


TEXT_CELLS = [
    (("1", " 2", "3"), "whole number"),
    (("1.0", "2", ""), "whole number"),
    (("1.5", "2", "NA"), "number"),
    (("1e3", "inf"), "whole number"),
    (("true", "False"), "true/false"),
    (("2024-01-31", "2024-02-01"), "date"),
    (("2024-01-31 10:00", "2024-02-01T11:30:15"), "date"),
    (("2024-01-31T10:00:00Z", "2024-02-01T11:30:15+02:00"), "date"),
    (("1,234", "12", "1,234,567.5"), "number with thousands"),
    (("1,23", "12"), "number with decimal comma"),
    (("0,123", "1,234"), "number with decimal comma"),
    (("1.234,5", "1.234", "7"), "number with decimal comma"),
    (("1,23", "1.5"), "category"),
    (("1,23", "1,234.5"), "category"),
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
    (pa.array([1.5, 2.5] * N).dictionary_encode(), "category"),
    (pa.chunked_array([pa.array([1, 2] * N).dictionary_encode()] * 2), "category"),
    (pa.array([True, False] * N).dictionary_encode(), "true/false"),
    (pa.array([[1], [2]] * N), "other values"),
    (pa.array([1, 2] * N, pa.duration("s")), "other values"),
    (pa.nulls(N), "empty"),
    (np.full(N, np.nan), "empty"),
    (np.arange(N, dtype=np.float16), "whole number"),
]


@pytest.mark.parametrize(("column", "kind"), TYPED, ids=[f"{kind} {n}" for n, (_, kind) in enumerate(TYPED)])
def test_types_tell_what_a_column_of_other_files_holds(column, kind):
    assert of(column).kind == kind
    assert of(column).looks_like in ("", "durations")


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


@pytest.mark.parametrize("name", ["id", "ID", "Id", "client_id", "Client ID", "clientId", "row.id", "uuid"])
def test_many_values_under_the_name_of_an_id_look_like_one(name):
    codes = np.arange(N) // 2 * 1000
    numbers, texts, few = pa.array(codes), pa.array([f"c{code}" for code in [*codes, *range(200)]]), pa.array(codes % 3)
    assert [profile([[cells]], [name])[0].is_identifier for cells in (numbers, texts, few)] == [True, True, False]
    for other in ("paid", "humid", "idle", "ids left", "grid"):
        assert not profile([[numbers]], [other])[0].is_identifier


def test_marks_are_values_where_all_texts_of_a_column_are_marks():
    for values, kind, found in [
        (["+", "-", "", "-", "+", "NA"], "category", ("+", "-")),
        (["a", "-", "b", "-", "a", "b"], "category", ("a", "b")),
        (["1", "-", "2.5", "-", "4", "5"], "number", ()),
        (["-", "-"], "empty", ()),
    ]:
        of_all = of(pa.array(values), pa.array(values), is_text=True)
        missing = len(values) if kind == "empty" else 2
        assert (of_all.kind, of_all.values, of_all.n_missing) == (kind, found, 2 * missing)


def test_a_category_has_no_more_than_so_many_values():
    most = [f"v{number}" for number in range(MOST_VALUES)]
    assert of(pa.array(most * 3)).kind == "category"
    assert of(pa.array([*most, "one more"] * 3)).kind == "text"
    assert of(pa.array([*most[:30], "v0"])).kind == "text"  # as many values as rows, nearly


def test_thousands_are_read_as_they_are_written():
    found = of(cells("1'234", "5"), is_text=True, notation=Notation("'"))
    assert (found.kind, found.low, found.high) == ("whole number", 5, 1234)
    found = of(cells("1.234,5", "5"), is_text=True, notation=EUROPEAN)
    assert (found.kind, found.low, found.high) == ("number", 5, 1234.5)


def test_what_is_no_thousands_is_told_with_its_row():
    """`--thousands ,` must not make 15 of 1,5."""
    found = of(cells("1,234", "12"), cells("7", "1,5"), is_text=True, notation=GROUPED)
    assert (found.kind, found.misfit) == ("number with decimal comma", (N + 1, "1,5"))
    many = [f"{number},234.5" for number in range(1, N)]
    found = of(pa.array([*many, "1,5"]), is_text=True, notation=GROUPED)
    assert (found.kind, found.misfit, found.is_identifier) == ("text", (N - 1, "1,5"), False)


def test_numbers_with_a_slip_are_no_category_and_no_id():
    whole = [str(number % 20) for number in range(3 * N)]
    for cell in ("none", "12%"):
        for blocks in ([[*whole, cell]], [whole, [cell]]):
            found = of(*map(pa.array, blocks), is_text=True)
            assert (found.kind, found.misfit) == ("text", (3 * N, cell))
    assert of(cells("1", "2", "x"), is_text=True).misfit is None


def test_a_mark_for_gaps_among_numbers_is_told_however_often_it_stands_there():
    numbers = [str(number / 4) for number in range(N)]
    for mark in ("*", "...", "+"):
        for blocks in ([numbers * 2 + [mark] * N], [numbers, [mark] * N, numbers]):
            found = of(*map(pa.array, blocks), is_text=True)
            assert (found.kind, found.misfit) == ("text", (len(blocks[0]) if blocks[1:] else 2 * N, mark))
    for others in (["*", "+"] * N, ["other"] * N, ["*"] * 3 * N):
        assert of(pa.array(numbers * 2 + others), is_text=True).misfit is None


LOOKS = [
    (["{}:30", "{}:15:59"], "times of day"),
    (["({}.50)", "{},100", "(€{})"], "negative numbers in brackets"),
    (["€{},234.50", "€{}"], "money"),
    (["-{} EUR", "{},5 EUR"], "money"),
    (["{}%", "{}.5 %"], "percents"),
    (["{}/12/2020", "{}.1.20"], "dates"),
    (["2020/1/{} 10:30"], "dates"),
    (["\u2212{}", "1,2{}.5", "-{}", "\u2212.{}e\u22122"], "numbers with the minus sign \u2212"),
    (["\u2212{}%", "{}%"], "percents"),
    (["\u2212{} kg", "{} kg"], "numbers with a unit"),
]


@pytest.mark.parametrize("is_text", [True, False])
@pytest.mark.parametrize(("forms", "what"), LOOKS, ids=[each[0][0] for each in LOOKS])
def test_texts_that_are_meant_as_numbers_or_dates_are_no_id_and_no_category(forms, what, is_text):
    for n_values in (30, 1):  # all different, and each three times
        values = [forms[row % len(forms)].format(10 + row % 30) for row in range(30)] * (1 if n_values == 30 else 3)
        for blocks in ([pa.array(values)], [pa.array(values[:11]), pa.array(values[11:])]):
            found = of(*blocks, is_text=is_text)
            assert (found.kind, found.looks_like, found.is_identifier) == ("text", what, False)
            assert found.advice
    few = of(pa.array([forms[0].format(10), forms[0].format(11)] * N), is_text=is_text)
    assert (few.kind, few.looks_like) == ("category", "")


def test_texts_of_tables_that_are_numbers_in_another_notation_are_told():
    for values, what in [(["1,234", "12"], "thousands"), (["1,5", "12"], "a decimal comma"), (["12", "34"], "")]:
        found = of(pa.array([*values, *(f"1{row}{values[0][1:]}" for row in range(20))]))
        assert found.kind == "text"
        assert found.looks_like == (f"numbers with {what}" if what else "")


@pytest.mark.parametrize(("every", "found"), [(2, "numbers with the minus sign \u2212"), (50, "")])
def test_a_typographic_minus_is_told_and_where_few_numbers_have_it_the_first_of_them(every, found):
    values = [f"{value:.2f}" for value in np.random.default_rng(0).normal(100, 20, 200)]
    values[1::every] = [f"\u2212{value}" for value in values[1::every]]
    for blocks in ([values], [values[:1], values[1:]]):
        column = of(*map(pa.array, blocks), is_text=True)
        assert (column.kind, column.looks_like, column.is_identifier) == ("text", found, False)
        assert column.misfit == (None if found else (1, values[1]))


def test_infinite_numbers_count_as_missing():
    for column, is_text in [(np.array([1.0, 2.0, np.inf, np.nan]), False), (pa.array(["1", "2", "inf", ""]), True)]:
        found = of(column, is_text=is_text)
        assert (found.n_missing, found.n_infinite, found.low, found.high) == (2, 1, 1, 2)


def test_a_column_says_which_notations_it_fits():
    points = {each for each in NOTATIONS if each.decimal == "."}
    commas = set(NOTATIONS) - points
    for values, fitting in [
        (("1", "2"), {*points, *commas}),
        (("1.234", "2"), {*points, EUROPEAN}),
        (("1,234", "2"), {GROUPED, *commas}),
        (("1.5", "2"), points),
        (("1,5", "2"), commas),
        (("1.234,5", "2"), {EUROPEAN}),
        (("1'234", "2"), {Notation("'"), Notation("'", ",")}),
        (("1 234,5", "2"), {Notation(" ", ",")}),
        (("a", "b"), set()),
    ]:
        for blocks in ([cells(*values)], [cells(value) for value in values]):
            assert set(of(*blocks, is_text=True).notations) == fitting


@pytest.mark.parametrize("mark", ["'", "\u2019", " ", "\u00a0", "\u202f"])
def test_apostrophes_and_blanks_between_thousands_are_recognised(mark):
    found = of(cells("7", "12"), cells(f"1{mark}234", f"-2{mark}345{mark}678.5"), is_text=True)
    assert (found.kind, found.low, found.high) == ("number with thousands", -2345678.5, 1234)
    found = of(cells("7", "12"), cells(f"1{mark}234", f"2{mark}345,5"), is_text=True)
    assert (found.kind, found.low, found.high) == ("number with decimal comma", 7, 2345.5)
    assert of(cells(f"12{mark}34", "5"), is_text=True).kind == "category"
    texts = of(pa.array([f"1{mark}2{row}" for row in range(20, 50)]))
    assert texts.looks_like == "numbers with thousands"
    assert f"thousands={mark!r}" in texts.advice


def test_a_slip_among_numbers_with_apostrophes_is_told_with_its_row():
    found = of(pa.array([*(f"{row}'234" for row in range(1, 30)), "none"]), is_text=True)
    assert (found.kind, found.misfit) == ("text", (29, "none"))
