"""CSV and TSV as programs write them, and text that is no table of numbers."""

from __future__ import annotations

import gzip
import time

import numpy as np
import pytest

from dncsc.rows import FileReadError, open_rows
from dncsc.rows.base import FileState
from dncsc.rows.dialect import read_dialect
from row_files import text, whole

HEADERS = {
    "years above whole numbers": ("name,2019,2020\nx,5,7\n", True),
    "years above values": ("name,2019,2021,2020\nx,1.5,2.5,-3.5\n", True),
    "a single year above a value": ("name,2020\nx,1.5\n", True),
    "decades": ("name,2000,2010,2020\nx,5,7,6\n", True),
    "years beside a nameless index": (",2019,2020\nx,5,7\n", True),
    "a name above a number": ("name,size,7,5\nx,3,5,7\n", True),
    "years above a gap": ("name,2019,2020\nx,,7\n", True),
    "numbers above text": ("name,1,5\nx,low,high\n", True),
    "wavelengths": ("sample,400.5,401.5\ns1,0.1,0.2\n", True),
    "quantiles": ("name,0.25,0.5,0.75\nx,1.5,2,7\n", True),
    "nothing below": ("name,9,3\n", True),
    "a row": ("M,3,1,2\nF,9,5,7\n", False),
    "a row of UCI's letters": ("T,2,8,3,5,1,8\nI,5,12,3,7,2,10\n", False),
    "a row with its class last": ("3,1,2,M\n9,5,7,F\n", False),
    "a row of one number": ("M,3\nF,9\n", False),
    "an age and a height": ("anna,31,172\nbert,45,180\n", False),
    "a row above one of fewer whole numbers": ("M,3,1\nF,2.5,4\n", False),
    "a row that counts by chance": ("M,3,4\nM,9,5\n", False),
    "a row without a value": ("M,NA,3,1\nF,9,5,7\n", False),
    "a row above one without a value": ("M,4,3,1\nF,?,5,7\n", False),
    "values that are the same": ("M,2,2\nF,1.5,2.5\n", False),
    "a row of measurements": ("M,0.1,0.7,0.2\nF,0.3,0.4,0.6\n", False),
    "a row of two measurements": ("M,1.5,2.25\nF,3.5,4.5\n", False),
    "negative numbers below": ("M,3,1\nF,-9,-5\n", False),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_first_line_like_the_second_is_a_row_and_years_are_names(tmp_path, case):
    content, headed = HEADERS[case]
    names = read_dialect(FileState.of(text(tmp_path, content))).names
    assert names == (tuple(content.split("\n")[0].split(",")) if headed else None)


DELIMITERS = {
    "a comma in a name": ("net, EUR;age\n1.5;2\n", ";", True),
    "commas in names and before decimals": ("net, EUR;age\n1,5;2\n", ";", True),
    "commas before decimals": ("1,5;2,5\n3,5;4,5\n", ";", False),
    "points between thousands": ("1.234,5;Bern\n3.456,5;Oslo\n", ";", False),
    "money": ("7,5;1.234,50 €\n6,5;EUR 12,00\n", ";", False),
    "apostrophes between thousands": ("1'234;5'678.50\n2'345;6'789\n", ";", False),
    "a comma in a name between tabs": ("net, EUR\tage\n1\t2\n", "\t", True),
    "bars": ("a|b\n1|2\n", "|", True),
    "lists with semicolons": ("a,b;c\n1,x;y\n", ",", True),
    "semicolons in names": ("a;b,c\n1,2\n", ",", True),
    "semicolons in cells": ("a,b,c\n1,2;3,4\n", ",", True),
    "texts with commas": ("5,x;6,y\n7,z;8,w\n", ",", False),
    "percentiles": ("mean,10%,50%\n1,2,3\n", ",", True),
    "numbers of questions": ("1.1.2,1.1.3\n4,5\n", ",", True),
}


@pytest.mark.parametrize("name", ["some.csv", "some.csv.gz", "some.txt"])
@pytest.mark.parametrize("case", DELIMITERS)
def test_what_stands_between_cells_is_told_from_what_stands_in_them(tmp_path, case, name):
    content, delimiter, headed = DELIMITERS[case]
    dialect = read_dialect(FileState.of(text(tmp_path, content, name)))
    first = tuple(content.split("\n")[0].split(delimiter))
    assert (dialect.delimiter, dialect.width) == (delimiter, len(first))
    assert dialect.names == (first if headed else None)


TEXTS = {
    "a byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n", ("a", "b"), [[1, 2]], "int64"),
    "a byte order mark and no header": (b"\xef\xbb\xbf1,2\n3,4\n", None, [[1, 2], [3, 4]], "int64"),
    "Windows lines": ("a,b\r\n1,2\r\n3,4\r\n", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "old Macintosh lines": ("a,b\r1,2\r3,4", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "no last newline": ("a,b\n1,2\n3,4", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "empty lines": ("\n\na,b\n1,2\n\n3,4\n\n", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "quotes": ('"a, so","b\nbelow"\n"1",2.5\n3,"4"\n', ("a, so", "b\nbelow"), [[1, 2.5], [3, 4]], "float64"),
    "commas in quotes between semicolons": (
        '"a, cm";"b ""c;d"", kg"\n1;2\n',
        ("a, cm", 'b "c;d", kg'),
        [[1, 2]],
        "int64",
    ),
    "a line for spreadsheets": ("sep=;\na;b\n1;2\n", ("a", "b"), [[1, 2]], "int64"),
    "such a line and no names": (b"\xef\xbb\xbfsep=|\r\n\r\n1|2\r\n", None, [[1, 2]], "int64"),
    "tabs in quotes between commas": ('"a\tb","c"\n1,2\n', ("a\tb", "c"), [[1, 2]], "int64"),
    "inches": ('a 5",b 6"\n1,2\n', ('a 5"', 'b 6"'), [[1, 2]], "int64"),
    "inches of one cell": ('a 5",b\n1,2\n3,4\n', ('a 5"', "b"), [[1, 2], [3, 4]], "int64"),
    "inches in quotes": ('"a 5"",\nlong",b\n1,2\n', ('a 5",\nlong', "b"), [[1, 2]], "int64"),
    "blanks around": ("a, b\n 1 ,2\n3, 4 \n", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "not finite": ("a,b\nnan,1\ninf,-inf\n", ("a", "b"), [[np.nan, 1], [np.inf, -np.inf]], "float64"),
    "exponents and signs": ("a,b\n1e3,+2\n-.5,3.\n", ("a", "b"), [[1000, 2], [-0.5, 3]], "float64"),
    "truth": ("a,b\ntrue,False\nFALSE,true\n", ("a", "b"), [[1, 0], [0, 1]], "bool"),
    "truth and numbers": ("a,b\ntrue,5\nfalse,6\n", ("a", "b"), [[1, 5], [0, 6]], "int64"),
    "years as names": ("city,2019,2020\n1,2,3\n", ("city", "2019", "2020"), [[1, 2, 3]], "int64"),
    "names that could be values": ("a,nan,Inf\n1,2,3\n", ("a", "nan", "Inf"), [[1, 2, 3]], "int64"),
    "a year beside such names": ("city,nan,2020\n1,2,3\n", ("city", "nan", "2020"), [[1, 2, 3]], "int64"),
    "values that could be names": ("nan,2\n1,inf\n", None, [[np.nan, 2], [1, np.inf]], "float64"),
    "a data frame without names": ("0,1\n0.5,2.5\n1.5,3.5\n", ("0", "1"), [[0.5, 2.5], [1.5, 3.5]], "float64"),
    "rows that begin like counting": ("0,1\n2,3\n", None, [[0, 1], [2, 3]], "int64"),
    "one column": ("a\n1\n2\n", ("a",), [[1], [2]], "int64"),
    "one column without a name": ("1.5\n2\n", None, [[1.5], [2]], "float64"),
    "huge whole numbers": ("a\n1\n99999999999999999999\n", ("a",), [[1.0], [1e20]], "float64"),
}


@pytest.mark.parametrize("name", ["some.csv", "some.csv.gz"])
@pytest.mark.parametrize("case", TEXTS)
def test_text_as_programs_write_it(tmp_path, case, name):
    content, names, expected, dtype = TEXTS[case]
    rows = open_rows(text(tmp_path, content, name))
    assert rows.names == names
    assert rows.dtype == dtype
    np.testing.assert_array_equal(whole(rows), expected)


def test_a_column_of_text_that_turns_real_far_down(tmp_path):
    lines = ["a,b", *(f"{row},{row}" for row in range(300_000)), "0.5,1"]
    rows = open_rows(text(tmp_path, "\n".join(lines)))
    assert rows.dtype == np.float64
    read = whole(rows, 100_000)
    assert read[-1].tolist() == [0.5, 1]
    np.testing.assert_array_equal(read[:-1, 0], np.arange(300_000))
    assert open_rows(text(tmp_path, "\n".join(lines)), columns=["b"]).dtype == np.int64


def test_lines_longer_than_a_block(tmp_path):
    X = np.random.default_rng(0).random((2, 3_800))
    np.savetxt(tmp_path / "wide.csv", X, delimiter=",", fmt="%.300f")
    np.testing.assert_array_equal(whole(open_rows(tmp_path / "wide.csv")), X)


def test_text_that_is_no_table(tmp_path):
    with pytest.raises(FileReadError, match=r"no table with commas, semicolons or tabs\. Readable are \.csv"):
        open_rows(text(tmp_path, "Dear reader\nthis is prose\n", "letter.txt"))
    with pytest.raises(FileReadError, match="another encoding than UTF-8"):
        open_rows(text(tmp_path, "a,b\n1,2\n".encode("utf-16")))
    with pytest.raises(FileReadError, match="another encoding than UTF-8"):
        open_rows(text(tmp_path, "größe,b\n1,2\n".encode("latin-1") + b"1,2\n" * 2_000))


@pytest.mark.parametrize("line", [2, 2_002])
@pytest.mark.parametrize("name", ["late.csv", "late.csv.gz"])
def test_text_in_another_encoding_is_told_with_the_first_line_that_shows_it(tmp_path, name, line):
    lines = [b"a,b", *[b"1,2"] * 3_000]
    lines[line - 1] = lines[-1] = "1,größe".encode("latin-1")
    content = b"\n".join(lines)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    where = f", as line {line} shows" if line > 1_000 or name.endswith("gz") else ""  # else its first bytes tell
    with pytest.raises(FileReadError, match=f"another encoding than UTF-8{where}: save it in UTF-8, as iconv -f"):
        open_rows(tmp_path / name)


@pytest.mark.parametrize("name", ["some.csv", "some.csv.gz"])
def test_a_double_quote_that_swallows_the_rest_of_a_file_is_told_where_it_opens(tmp_path, name):
    """Also where it stands in another column than those that are read, and no row has too many cells."""
    content = 'a,b,note\n1,2,ok\n3,4,"ok\n5,6,ok\n' + 20_000 * "7,8,some words\n"
    with pytest.raises(FileReadError, match=r"the row that begins in line 3 does not end. A double quote in that line"):
        open_rows(text(tmp_path, content, name), ["a", "b"])


@pytest.mark.parametrize("name", ["some.csv", "some.csv.gz"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_cells_of_several_lines_are_read_also_at_the_end(tmp_path, end, name):
    content = 'a,b,note\n1,2,"some\nwords"\n3,4,"and ""more""\n5,6,7"'
    rows = open_rows(text(tmp_path, content + end, name), ["a", "b"])
    np.testing.assert_array_equal(np.concatenate(list(rows.batches(10))), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ("a,b\n1,2\n3,4,5\n", ValueError, "line 3 has 3 cells; the first has 2. Correct.*a ',' in them belong in"),
        ("# of 2020\na,b\n1,2\n", ValueError, "line 2 has 2 cells; the first has 1. Remove lines above the names"),
        ("sep=;\na;b\n1;2\n3\n", ValueError, "line 4 has 1 cell; the first has 2"),
        ("a,b\n1,2\n3\n", ValueError, "line 3 has 1 cell;"),
        ('a,b\n1,2\n"3,4\n5,6\n', ValueError, "begins in line 3 ends in line 4, and has 1 cell;.*quote in line 3 may"),
        ("1,2\n\n3\n", ValueError, "line 3 has 1 cell;"),
        ("a,b\n" + 50_000 * "123456789,123456789\n" + "1\n", ValueError, "line 50002 has 1 cell;"),
        ("a,b\n1,2\n3,x\n", TypeError, r"column 'b' holds 'x' in row 1, which is no number.*columns="),
        ("1,2\n3,x\n", TypeError, "column 1 holds 'x' in row 1"),
        ("a,b\n" + 90_000 * "123456789,123456789\n" + "1,oh\n", TypeError, "'b' holds 'oh' in row 90000"),
        ("a,b\n1,2\n2024-01-05,3\n", TypeError, "'a' holds '2024-01-05' in row 1"),
        ("a\ntrue\n7\n", TypeError, "'a' holds '7' in row 1|no truth value"),
        ("a,b\n1;5,2\n", TypeError, "'1;5' in row 0"),
        ("a;b\n1,5;2\n", TypeError, "'1,5' in row 0"),
        ("a,b\n1,2\n,4\n5,\n", ValueError, "column 'a' has no value in row 1; 1 of the 3 values from row 0"),
        ("a,b\n1,NA\n1,null\n", ValueError, "column 'b' has no value in row 0; 2 of the 2"),
        ("a\n1\n\n3\n", ValueError, "column 'a' has no value in row 1"),
        ("a,b,a,b,c\n1,2,3,4,5\n", ValueError, "more than one column called 'a', 'b'"),
        (",a\n0,1.5\n1,2.5\n", ValueError, "column 0 has no name.*pandas' index.*columns="),
        ("a,b\n", ValueError, "there are columns, but no rows"),
        ("a,b", ValueError, "there are columns, but no rows"),
        ("\n\n\n", FileReadError, "no lines but empty ones"),
        ('a,b\n1,"2\n3,4\n', (ValueError, TypeError), "line|holds"),
        ('a,b\n"1,2\n' + 50_000 * "123,4\n", FileReadError, "does not end in its first lines. A double quote"),
    ],
)
@pytest.mark.parametrize("name", ["some.csv", "some.csv.gz"])
def test_text_that_is_no_table_of_numbers(tmp_path, name, content, error, says):
    with pytest.raises(error, match=says) as caught:
        open_rows(text(tmp_path, content, name))
    assert name in str(caught.value)


def test_gzip_of_several_members_is_read_to_the_end(tmp_path):
    path = tmp_path / "two.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"))
    assert whole(open_rows(path)).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(("cell", "dtype"), [("7", "int64"), ("7.5", "float64"), ("true", "bool")])
@pytest.mark.parametrize("d", [2_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_hundred_thousand_columns_are_read_in_seconds(tmp_path, cell, dtype, d):
    """It would take minutes, were the names of all columns looked at for each."""
    start = time.perf_counter()
    path = text(tmp_path, ",".join(f"c{number}" for number in range(d)) + f"\n{','.join([cell] * d)}\n" * 2)
    rows = open_rows(path)
    assert (rows.shape, rows.dtype) == ((2, d), dtype)
    np.testing.assert_array_equal(whole(rows), np.full((2, d), float(cell) if cell != "true" else True))
    np.testing.assert_array_equal(whole(open_rows(path, [f"c{d - 1}", "c0"])), whole(rows)[:, :2])
    assert time.perf_counter() - start < 30


def test_cells_of_wide_tables_have_the_types_that_they_need(tmp_path):
    rows = open_rows(text(tmp_path, "a,b,c,d\n1,2.5, 3 ,9007199254740993\n-1,0,1e3,7\n"))
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(whole(rows), [[1, 2.5, 3, 9007199254740992], [-1, 0, 1000, 7]])
    mixed = open_rows(text(tmp_path, "a,b,c,d\ntrue,2.5,3,4\nfalse,0,1,7\n"))
    np.testing.assert_array_equal(whole(mixed), [[1, 2.5, 3, 4], [0, 0, 1, 7]])
    with pytest.raises(ValueError, match="column 'c' holds 'x' in row 0, which is no number"):
        open_rows(text(tmp_path, "a,b,c,d\n1,2.5,x,4\n"))
    with pytest.raises(ValueError, match="column 'c' has no value in row 0"):
        open_rows(text(tmp_path, "a,b,c,d\n1,2.5,,4\n"))
