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
    enumerated,
)


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("n_jobs", 0, "must be a number", "Try 1."),
        ParameterOrderError("n_landmarks", 2, "n_clusters", 3),
        TooFewRowsError(1, 2),
        TooFewRowsError(1, "auto"),
        TooManyRowsError(30_000, 20_000),
        NotFiniteError({"NaN": 2}, 3, 1, "height", 4),
        NotNumericError({"a": "dates (datetime64[us])", 3: "'x' in row 0 (str)"}),
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


@pytest.mark.parametrize(
    ("texts", "sentence"), [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_a_list_has_commas_and_one_word_before_its_last(texts, sentence):
    assert enumerated(texts, "or") == sentence


def test_braces_of_the_user_stay_as_they_are():
    assert str(ParameterError("select", "{n_jobs} {", "must be a word")) == "select must be a word; got '{n_jobs} {'."


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (TooFewRowsError(4, 9), "Set n_clusters to 4 or less, or give more rows."),
        (TooFewRowsError(1, "auto"), "n_clusters='auto' needs two rows or more."),
        (ParameterOrderError("n_landmarks", 2, "n_clusters", 3), "Raise the first to 3 or more, or lower the second"),
        (TooManyRowsError(20_001, 20_000), "about 0.4 billion distances. Use DnCSC, or raise max_rows."),
        (NotFiniteError({"NaN": 1, "inf": 1}, 0, 0), "or fill them: sklearn.impute.SimpleImputer, or for tables"),
        (NotFiniteError({"NaN": 0, "inf": 1}, 0, 0), "or bound them: numpy.clip."),
        (NotNumericError({"a": "dates"}), "column 'a' holds dates. Leave it out, or encode it first: dncsc.Table"),
        (NotNumericError({"a": "b", "c": "d"}), "column 'a' holds b and column 'c' holds d. Leave them out"),
        (NotNumericError(dict.fromkeys(range(30), "x")), "column 9 holds x and 20 more columns hold no numbers."),
    ],
)
def test_what_data_can_run_into_says_what_to_set(error, advice):
    assert advice in str(error)
