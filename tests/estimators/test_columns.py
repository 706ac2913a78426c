"""A column that cannot be used is named, with its type and what to do, in whatever kind of table it comes."""

from __future__ import annotations

from datetime import date

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dncsc import DnCSC
from dncsc.errors import InputError, NotNumericError
from dncsc.estimators.columns import find_no_numbers, refuse_types

N = 12
WIDTH = np.random.default_rng(0).normal(size=N)
DAYS = pd.date_range("2020-01-01", periods=N)
TEXTS = ["red", "blue", "green"] * (N // 3)
NULLABLE = pd.array([1, None, 3] * (N // 3), dtype="Int64")

PANDAS = {
    "dates": (DAYS, "holds dates (datetime64["),
    "dates of a zone": (DAYS.tz_localize("UTC"), "holds dates (datetime64["),
    "dates of Arrow": (pd.array(DAYS, dtype="timestamp[ns][pyarrow]"), "holds dates (timestamp[ns][pyarrow])"),
    "spans of time": (DAYS - DAYS[0], "holds spans of time (timedelta64["),
    "periods": (DAYS.to_period("D"), "holds Period('2020-01-01', 'D') in row 0 (period[D])"),
    "Python's dates": ([date(2020, 1, 1)] * N, "holds datetime.date(2020, 1, 1) in row 0 (object)"),
    "categories": (pd.Categorical(TEXTS), "holds 'red' in row 0 (category)"),
    "text": (pd.Series(TEXTS, dtype=object), "holds 'red' in row 0 (object)"),
    "long text": (pd.Series(["a" * 999] * N, dtype=object), f"holds '{'a' * 56}... in row 0 (object)"),
    "text of its own type": (pd.array(TEXTS, dtype="string"), "holds 'red' in row 0 (string)"),
    "text after numbers": (pd.Series([1, "2", None, "n/a"] * 3, dtype=object), "holds 'n/a' in row 3 (object)"),
    "lists": ([[1, 2]] * N, "holds [1, 2] in row 0 (object)"),
    "complex numbers": (np.full(N, 1j), "holds complex numbers (complex128)"),
}
POLARS = {
    "dates": (DAYS, "holds dates (Datetime("),
    "spans of time": (DAYS - DAYS[0], "holds spans of time (Duration("),
    "categories": (pl.Series(TEXTS, dtype=pl.Categorical), "holds 'red' in row 0 (Categorical"),
    "text": (TEXTS, "holds 'red' in row 0 (String)"),
    "lists": ([[1, 2]] * N, "holds lists (List(Int64))"),
    "records": ([{"a": 1}] * N, "holds records (Struct("),
}
ARROW = {
    "dates": (pa.array(DAYS), "holds dates (timestamp["),
    "days": (pa.array([date(2020, 1, 1)] * N), "holds dates (date32[day])"),
    "categories": (pa.array(TEXTS).dictionary_encode(), "holds 'red' in row 0 (dictionary<values=string"),
    "text": (pa.array(TEXTS), "holds 'red' in row 0 (string)"),
}
TABLES = {
    **{f"pandas: {name}": (pd.DataFrame({"width": WIDTH, "odd": odd}), said) for name, (odd, said) in PANDAS.items()},
    **{f"polars: {name}": (pl.DataFrame({"width": WIDTH, "odd": odd}), said) for name, (odd, said) in POLARS.items()},
    **{f"Arrow: {name}": (pa.table({"width": WIDTH, "odd": odd}), said) for name, (odd, said) in ARROW.items()},
}


@pytest.mark.parametrize("case", TABLES)
def test_a_column_without_numbers_is_named_with_its_type(case):
    table, said = TABLES[case]
    with pytest.raises(NotNumericError) as caught:
        DnCSC(2).fit(table)
    assert f"column 'odd' {said}" in str(caught.value)
    assert str(caught.value).endswith("Leave it out, or encode it first: dncsc.TableEncoder.")
    assert list(caught.value.columns) == ["odd"]


def test_of_spans_of_time_it_is_told_how_they_become_numbers():
    table, _ = TABLES["pandas: spans of time"]
    with pytest.raises(NotNumericError, match=r"spans of time \(timedelta64.*\), of which dt.total_seconds\(\) makes"):
        DnCSC(2).fit(table)


def test_all_columns_without_numbers_are_named_at_once():
    frame = pd.DataFrame({"day": DAYS, "width": WIDTH, "colour": TEXTS, "gaps": NULLABLE})
    for table in (frame, dd.from_pandas(frame, npartitions=2)):
        with pytest.raises(NotNumericError) as caught:
            DnCSC(2).fit(table)
        assert list(caught.value.columns) == ["day", "colour"]


def test_columns_without_names_are_numbered():
    with pytest.raises(NotNumericError, match="column 1 holds 'red' in row 2"):
        DnCSC(2).fit([[1.0, 2.0], [3.0, 4.0], [5.0, "red"]])
    with pytest.raises(NotNumericError, match=r"column 1 holds datetime.date\(2020, 1, 1\) in row 0"):
        DnCSC(2).fit([[1.0, date(2020, 1, 1)]] * 3)


GAPS = {
    "pandas": pd.DataFrame({"width": WIDTH, "gaps": [np.nan, *WIDTH[1:]]}),
    "pandas' nullable integers": pd.DataFrame({"width": WIDTH, "gaps": NULLABLE[::-1]}).iloc[1:],
    "objects": pd.DataFrame({"width": WIDTH, "gaps": pd.Series([None, *WIDTH[1:]], dtype=object)}),
    "polars": pl.DataFrame({"width": WIDTH, "gaps": [None, *WIDTH[1:]]}),
    "Arrow": pa.table({"width": WIDTH, "gaps": [None, *WIDTH[1:]]}),
}


@pytest.mark.parametrize("kind", GAPS)
def test_a_missing_value_is_located_by_the_name_of_its_column(kind):
    with pytest.raises(ValueError, match=r"NaN; the first is in row 0, column 1 \('gaps'\).*dncsc.TableEncoder"):
        DnCSC(2).fit(GAPS[kind])


def test_an_infinite_value_is_located_by_the_name_of_its_column():
    with pytest.raises(ValueError, match=r"1 x inf; the first is in row 0, column 1 \('far'\).*bound them: numpy.clip"):
        DnCSC(2).fit(pd.DataFrame({"width": WIDTH, "far": [np.inf, *WIDTH[1:]]}))


@pytest.mark.parametrize(
    "column",
    [pd.Categorical([1, 2, 3] * 4), pd.Series(["1", "2.5", "-3e4"] * 4, dtype=object), NULLABLE, WIDTH > 0, [None] * N],
    ids=["categories of numbers", "text of numbers", "nullable", "flags", "nothing"],
)
def test_what_can_be_read_as_numbers_is_not_refused(column):
    frame = pd.DataFrame({"width": WIDTH, "fine": column})
    refuse_types(frame)
    assert find_no_numbers(frame) == {}


def test_a_frame_without_rows_or_columns_says_what_it_lacks():
    with pytest.raises(InputError, match=r"Give X.collect\(\)"):
        DnCSC(2).fit(pl.DataFrame({"width": WIDTH}).lazy())
    for frame in (pd.DataFrame(index=range(9)), pl.DataFrame(), pa.table({})):
        with pytest.raises(InputError, match="X has no columns"):
            DnCSC(2).fit(frame)
