"""What columns become does not depend on how rows come in blocks, and a model's file says it in full."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dncsc.errors import InputError
from dncsc.tables.encoder import TableEncoder
from dncsc.tables.encoding import CATEGORY_WEIGHT, CategoryColumn, Encoding, NumberColumn
from dncsc.tables.learning import TableOptions, UnusableColumnsError, learned, planned
from dncsc.tables.notation import EUROPEAN, PLAIN
from dncsc.tables.notes import as_note, from_note, from_scale_note
from dncsc.tables.profile import profile

MAKERS = {
    "number": st.one_of(st.none(), st.floats(-1e6, 1e6), st.just(math.nan)),
    "whole": st.one_of(st.none(), st.integers(-(2**40), 2**40)),
    "truth": st.one_of(st.none(), st.booleans()),
    "date": st.one_of(st.none(), st.dates()),
    "category": st.one_of(st.none(), st.sampled_from(["a", "b", "ü", ""])),
}
TYPES = {
    "number": pa.float64(),
    "whole": pa.int64(),
    "truth": pa.bool_(),
    "date": pa.date32(),
    "category": pa.string(),
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(sorted(MAKERS)), min_size=1, max_size=4))
    n = draw(st.integers(4, 30))
    columns = [pa.array(draw(st.lists(MAKERS[kind], min_size=n, max_size=n)), TYPES[kind]) for kind in kinds]
    return pa.table(columns, names=[f"{kind} {number}" for number, kind in enumerate(kinds)])


def encode(encoding, table):
    stored = [read(table[name]) for read, name in zip(encoding.readers(), encoding.names, strict=True)]
    return encoding.encode(np.stack(stored, axis=1))


@settings(max_examples=150, deadline=None)
@given(
    table=tables(),
    missing=st.sampled_from(["median", "mean"]),
    scale=st.sampled_from(["none", "standard", "robust"]),
    cut=st.integers(1, 29),
)
def test_features_of_blocks_are_those_of_the_whole_table(table, missing, scale, cut):
    options = TableOptions(missing, "one-hot", "number", scale)
    try:
        plan = planned(profile([table.columns], table.column_names), options)
    except InputError:  # a column without values, or of texts that all differ
        return
    stored = np.stack([read(table[name]) for read, name in zip(plan.readers(), plan.names, strict=True)], axis=1)
    encoding = learned(plan, options, [stored], stored.shape)
    whole = encode(encoding, table)
    assert np.isfinite(whole).all()
    assert whole.shape == (len(table), len(encoding.feature_names))
    parts = [part for part in (table[:cut], table[cut:]) if len(part)]
    np.testing.assert_array_equal(np.concatenate([encode(encoding, part) for part in parts]), whole)
    again = from_note(json.loads(json.dumps(as_note(encoding))), whole.shape[1])
    assert again == encoding
    np.testing.assert_array_equal(encode(pickle.loads(pickle.dumps(again)), table), whole)


def test_rows_of_another_category_are_one_apart():
    encoding = Encoding((CategoryColumn("city", ("Oslo", "Rome")), NumberColumn("age")))
    Y = encode(encoding, pa.table({"city": ["Rome", "Oslo", "Bern"], "age": [1, 1, 1]}))
    assert encoding.feature_names == ("city=Oslo", "city=Rome", "age")
    assert np.linalg.norm(Y[0] - Y[1]) == pytest.approx(math.sqrt(2) * CATEGORY_WEIGHT)
    np.testing.assert_array_equal(Y[2], [0, 0, 1])  # a value that is none of those


def test_a_gap_in_a_category_is_a_value_only_where_gaps_are_filled():
    table = pa.table({"city": ["Oslo", "Rome", None] * 4})
    profiles = profile([table.columns], ["city"])
    for missing, row in [("median", [0, 0, CATEGORY_WEIGHT]), ("drop", [np.nan, np.nan])]:
        encoding = planned(profiles, TableOptions(missing, "one-hot"))
        np.testing.assert_array_equal(encode(encoding, table)[2], row)
    with pytest.raises(UnusableColumnsError, match="'city' lacks 4 of 12 values: missing='median' fills them"):
        planned(profiles, TableOptions("refuse", "one-hot"))


def test_a_gap_that_the_fit_did_not_see_is_a_value_that_it_did_not_see():
    for missing in ("median", "mean"):
        encoding = Encoding((CategoryColumn("city", ("Oslo", "Rome")),), missing)
        np.testing.assert_array_equal(encode(encoding, pa.table({"city": ["Bern", None, "Oslo"]}))[:2], 0)


def test_infinite_numbers_are_filled_as_gaps_are():
    table = pa.table({"a": [1.0, 2.0, np.inf, 9.0, -np.inf]})
    np.testing.assert_array_equal(TableEncoder(scale="none").fit_transform(table)[:, 0], [1, 2, 2, 9, 2])
    with pytest.raises(
        UnusableColumnsError, match="'a' lacks 2 of 5 values, 2 of them infinite: missing='median' fills them"
    ):
        TableEncoder(missing="refuse").fit(table)


def test_truth_values_are_as_far_apart_as_two_categories_and_not_scaled():
    table = pa.table({"member": [True, False, None, False]})
    options = TableOptions("median", "one-hot", scale="standard")
    plan = planned(profile([table.columns], ["member"]), options)
    stored = plan.readers()[0](table["member"])[:, None]
    encoding = learned(plan, options, [stored], stored.shape)
    assert np.ptp(encode(encoding, table)) == pytest.approx(math.sqrt(2) * CATEGORY_WEIGHT)
    texts = pa.table({"member": ["true", "False", "0", "1"]})
    np.testing.assert_array_equal(encode(encoding, texts)[:, 0] > 0, [True, False, False, True])


def test_dates_are_days():
    column = NumberColumn("when", "date")
    found = column.read(pa.array(["1970-01-02", "1970-01-01T12:00", None]), PLAIN)
    np.testing.assert_array_equal(found, [1, 0.5, np.nan])
    np.testing.assert_array_equal(column.read(pa.array([1], pa.date32()), PLAIN), [1])
    np.testing.assert_array_equal(column.read(pa.array([43_200_000], pa.timestamp("ms", "Europe/Oslo")), PLAIN), [0.5])


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        (NumberColumn("a"), "x", "column 'a' holds 'x' in row 1, which is no number"),
        (NumberColumn("a"), "1,234", r"in row 1, which is no number.*pandas.read_csv\(thousands=','\)"),
        (NumberColumn("a"), "1,5", r"in row 1, which is no number.*pandas.read_csv\(decimal=','\)"),
        (NumberColumn("a"), "1.234,5", r"pandas.read_csv\(thousands='.', decimal=','\)"),
        (NumberColumn("a", "date"), "5.3.2024", "holds '5.3.2024' in row 1, which is no date as 2024-12-31"),
        (NumberColumn("a", "true/false"), "maybe", "which is no truth value"),
    ],
)
def test_a_cell_that_is_something_else_is_named(column, cell, words):
    with pytest.raises(InputError, match=words):
        column.read(pa.array(["", cell]), PLAIN)


GOOD = as_note(Encoding((NumberColumn("a", fill=1.0), CategoryColumn("b", ("x", "y"))), "median", "standard"))
BAD = {
    "not a note": [],
    "no version": {**GOOD, "version": None},
    "a later version": {**GOOD, "version": 2},
    "an unknown way": {**GOOD, "missing": "guess"},
    "thousands that are none": {**GOOD, "thousands": "7"},
    "a decimal mark that is none": {**GOOD, "decimal": None},
    "one mark for both": {**GOOD, "thousands": "."},
    "a weight that is none": {**GOOD, "weight": -1.0},
    "no columns": {**GOOD, "columns": []},
    "a column too few": {**GOOD, "columns": GOOD["columns"][:1]},
    "a scale of 0": {**GOOD, "columns": [{**GOOD["columns"][0], "scale": 0.0}, GOOD["columns"][1]]},
    "a fill that is text": {**GOOD, "columns": [{**GOOD["columns"][0], "fill": "1"}, GOOD["columns"][1]]},
    "an unknown kind": {**GOOD, "columns": [{**GOOD["columns"][0], "kind": "place"}, GOOD["columns"][1]]},
    "an unknown field": {**GOOD, "columns": [{**GOOD["columns"][0], "power": 2}, GOOD["columns"][1]]},
    "a name that is none": {**GOOD, "columns": [{**GOOD["columns"][0], "name": 3}, GOOD["columns"][1]]},
    "a value twice": {**GOOD, "columns": [GOOD["columns"][0], {**GOOD["columns"][1], "values": ["x", "x"]}]},
    "values that are none": {**GOOD, "columns": [GOOD["columns"][0], {**GOOD["columns"][1], "values": [1, 2]}]},
}


@pytest.mark.parametrize("what", BAD)
def test_what_a_strangers_file_says_is_checked(what):
    assert from_note(GOOD, 3).missing == "median"
    with pytest.raises(InputError, match="the model's file"):
        from_note(BAD[what], 3)


def test_what_files_say_stays_readable():
    """Written by the first version: never change it, but add another one."""
    note = {
        "version": 1,
        "missing": "median",
        "scale": "standard",
        "weight": 0.5,
        "columns": [
            {"name": "age", "kind": "number", "fill": 40.0, "centre": 40.0, "scale": 10.0},
            {"name": "born", "kind": "date", "fill": 0.0, "centre": 0.0, "scale": 1.0},
            {"name": "member", "kind": "true/false", "fill": 1.0, "centre": 0.0, "scale": 1.0},
            {"name": "city", "kind": "category", "values": ["Oslo", "Rome"], "has_gaps": True},
        ],
    }
    encoding = from_note(note, 6)
    table = pa.table({"age": [30, None], "born": ["1970-01-03", None], "member": [False, None], "city": ["Rome", None]})
    np.testing.assert_array_equal(encode(encoding, table), [[-1, 2, 0, 0, 0.5, 0], [0, 0, 1, 0, 0, 0.5]])
    assert as_note(encoding) == {**note, "columns": [{**each, **_tuples(each)} for each in note["columns"]]}


def test_how_numbers_are_written_is_kept_where_it_is_not_as_programs_write_them():
    plain = Encoding((NumberColumn("a"),))
    assert not {"thousands", "decimal"} & set(as_note(plain))
    for marks in ({"thousands": ","}, {"decimal": ","}, EUROPEAN._asdict()):
        encoding = replace(plain, notation=PLAIN._replace(**marks))
        assert from_note(json.loads(json.dumps(as_note(encoding))), 1) == encoding


def _tuples(column):
    return {name: tuple(value) for name, value in column.items() if isinstance(value, list)}


def test_models_that_know_of_scales_alone_are_understood():
    note = {"how": "robust", "centre": [1.0, 2.0], "scale": [2.0, 4.0]}
    encoding = from_scale_note(note, ["a", "b"])
    np.testing.assert_array_equal(encoding.encode(np.array([[3.0, 10.0]])), [[1, 2]])
    for bad in ({}, {**note, "scale": [0.0, 1.0]}, {**note, "centre": [1.0]}, {**note, "centre": ["x", 1.0]}):
        with pytest.raises(InputError, match="does not say how to scale its 2 columns"):
            from_scale_note(bad, ["a", "b"])


def test_options_that_do_not_exist_are_named():
    with pytest.raises(InputError, match="missing must be one of 'refuse', 'drop', 'median', 'mean'; got 'guess'"):
        TableOptions(missing="guess")
    for mark in ("", "1", "+", ",,"):
        with pytest.raises(InputError, match="thousands must be one character"):
            TableOptions(thousands=mark)
        with pytest.raises(InputError, match="decimal must be one character"):
            TableOptions(decimal=mark)
    for options in ({"thousands": "."}, {"thousands": ",", "decimal": ","}):
        with pytest.raises(InputError, match=r"thousands and decimal are both '[.,]'"):
            TableOptions(**options)
    assert TableOptions(thousands=".", decimal=",").notation == EUROPEAN


def test_quartiles_next_to_each_other_beside_a_large_value_do_not_overflow():
    table = pa.table({"x": [0.0] * 5 + [1e-303] * 5 + [262144.0]})
    assert np.isfinite(TableEncoder(scale="robust").fit_transform(table)).all()
