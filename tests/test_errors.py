"""Errors carry fields, and word their messages from them."""

from __future__ import annotations

import pickle

import pytest

from dncsc.errors import (
    InputError,
    NotFiniteError,
    NotNumericError,
    ParameterError,
    ParameterOrderError,
    TooFewRowsError,
    TooManyRowsError,
    UnknownNameError,
)


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("n_jobs", 0, "must be a number", "Try 1."),
        ParameterOrderError("n_landmarks", 2, "n_clusters", 3),
        TooFewRowsError(1, 2),
        TooManyRowsError(30_000, 20_000),
        NotFiniteError({"NaN": 2}, 3, 1, "height", 4),
        NotNumericError("column 'a' holds 'x'"),
        UnknownNameError("there is no method", "dnc", ["dnc-sc"]),
    ],
)
def test_errors_come_back_from_other_processes_with_their_fields(error):
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_a_message_names_parameters_as_python_does():
    error = InputError("Raise {max_memory}, or choose {columns}.", ("max_memory",), {"columns": ["a"]})
    assert str(error) == "Raise max_memory, or choose columns=['a']."


def test_braces_of_the_user_stay_as_they_are():
    assert str(ParameterError("select", "{n_jobs} {", "must be a word")) == "select must be a word; got '{n_jobs} {'."
