"""Columns that are asked for and do not exist."""

from __future__ import annotations

import pickle

import pytest

from dncsc.errors import Vocabulary
from dncsc.rows import open_rows
from dncsc.rows.columns import ColumnsError
from row_files import NAMED, NAMELESS, written


@pytest.mark.parametrize("name", NAMED)
def test_a_column_that_does_not_exist(tmp_path, name):
    path = written(tmp_path, name)
    with pytest.raises(ValueError, match=r"no column 'long_name'\. Did you mean 'long name'\? It has 'a', 'b', 'long"):
        open_rows(path, columns=["a", "long_name"])
    with pytest.raises(ValueError, match="no column 1"):
        open_rows(path, columns=[1])


@pytest.mark.parametrize("name", NAMELESS)
def test_a_column_number_that_does_not_exist(tmp_path, name):
    path = written(tmp_path, name)
    with pytest.raises(ValueError, match="has columns 0 to 4; there is no column 5"):
        open_rows(path, columns=[0, 5])
    for odd in (-1, True, 1.0, "a"):
        with pytest.raises(ValueError, match=r"columns 0 to 4|by number, 0 to 4; got"):
            open_rows(path, columns=[odd])


def test_columns_that_make_no_sense(tmp_path):
    path = written(tmp_path, "rows.csv")
    with pytest.raises(TypeError, match=r"for one column give \['a'\]"):
        open_rows(path, columns="a")
    with pytest.raises(ValueError, match="columns is empty"):
        open_rows(path, columns=[])
    with pytest.raises(ValueError, match="'a' more than once"):
        open_rows(path, columns=["a", "b", "a"])


def test_the_error_about_columns_can_be_worded_for_a_command_line():
    """Its fields say where, what and which; nobody has to take its message apart."""
    error = pickle.loads(pickle.dumps(ColumnsError("x.csv", "choose {columns}.", ["a", "b, c"])))
    assert (error.where, error.rule, error.columns) == ("x.csv", "choose {columns}.", ["a", "b, c"])
    assert str(error) == "x.csv: choose columns=['a', 'b, c']."
    words = Vocabulary(lambda name: f"--{name}", lambda name, value: f"--{name} {'|'.join(value)}")
    assert error.worded(words) == "x.csv: choose --columns a|b, c."
    assert str(ColumnsError("x.csv", "choose others with {columns}.")) == "x.csv: choose others with columns=."
