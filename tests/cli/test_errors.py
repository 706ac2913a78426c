"""What the command line says is worded for a terminal: options instead of parameters, and nothing of Python."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dncsc import InsufficientMemoryError
from dncsc.checkpoint import CheckpointMismatchError
from dncsc.cli import errors, main
from dncsc.errors import InputError, ParameterError, ParameterOrderError, TooFewRowsError

ROWS = np.random.default_rng(1).normal(size=(300, 2))
FIT = ["-k", "2", "--landmarks", "20"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("default")
def test_warnings_are_told_in_a_line(folder, capfd):
    np.save("same.npy", np.ones((50, 2)))
    assert main(["fit", "same.npy", "-k", "2", "-o", "l.csv", "-q"]) == 0
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("dncsc: warning: Number of distinct clusters (1) found smaller than -k (2).")


WORDED = [
    (ROWS[:1], ["-k", "auto"], 2, "-k auto: there is 1 row. Give two or more."),
    (
        np.vstack([ROWS, [0, np.inf]]),
        FIT,
        2,
        "the rows contain values that are not finite: 1 x inf; the first is in row",
    ),
    (np.vstack([ROWS, [0, np.inf]]), FIT, 2, "column 1. Remove or impute them."),
    (
        np.zeros((20_001, 1)),
        ["-k", "2", "--method", "sc"],
        2,
        "20001 rows are more than the 20000 that this method takes",
    ),
    (np.zeros((20_001, 1)), ["-k", "2", "--method", "sc"], 2, "Use another method, such as dnc-sc."),
    (
        np.random.default_rng(0).random((3000, 2)),
        ["-k", "auto"],
        0,
        "eigenvalues, which a --report shows, and give -k, or a larger --max-clusters if there may be more",
    ),
    (
        np.vstack([ROWS, [0, 0]]),
        [*FIT, "--metric", "cosine"],
        0,
        "1 row is all zeros and so without a direction: with --metric cosine they stay",
    ),
]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("rows", "options", "code", "words"), WORDED, ids=[each[-1] for each in WORDED])
def test_nobody_at_a_terminal_is_told_of_python(rows, options, code, words, folder, capfd):
    np.save("rows.npy", rows)
    assert main(["fit", "rows.npy", *options, "-o", "l.csv", "-q"]) == code
    (line,) = capfd.readouterr().err.splitlines()
    assert words in line
    assert not {"n_samples", "max_rows", "sklearn", "DnCSC", "eigenvalues_", "X"} & set(re.findall(r"\w+", line))


def test_a_choice_that_does_not_exist_is_answered_with_those_that_do(capfd):
    assert main(["fit", "t.csv", "-k", "2", "--missing", "zero"]) == 2
    said = "invalid value for '--missing': 'zero' is not one of 'refuse', 'drop', 'median', 'mean'. See: dncsc fit"
    assert capfd.readouterr().err == f"dncsc: {said} --help\n"


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ParameterError("n_neighbors", 0, "must be an integer"), "--neighbors must be an integer; got 0."),
        (
            ParameterError("n_jobs", 0, "must be None or an integer"),
            "--jobs must be a number of threads, or -1 for all",
        ),
        (
            ParameterOrderError("n_landmarks", 2, "n_clusters", 3),
            "--landmarks 2 must be at least -k 3. Raise the first to 3 or more",
        ),
        (
            InsufficientMemoryError("Raise {max_memory}, or lower {n_landmarks}", ("max_memory", "n_landmarks")),
            "Raise --max-memory, or lower --landmarks.",
        ),
        (TooFewRowsError(4, 9), "-k 9: there are 4 rows. Each cluster needs one: give -k 4 or less."),
        (InputError("choose {columns}", (), {"columns": ["a", "b, c"]}), 'choose --columns a,"b, c".'),
        (InputError("with {columns}", ("columns",)), "with --columns."),
        (InputError("the checkpoint of {checkpoint}", (), {"checkpoint": "x"}), "the checkpoint of --resume x."),
        (
            CheckpointMismatchError(
                Path("kept"), {"n_clusters": (3, 4), "seed": (0, 1), "dtype": ("float32", "float64")}
            ),
            "the checkpoint in kept was made from something else: -k was 3 and is now 4; --seed was 0 and is now 1; "
            "dtype was 'float32' and is now 'float64'.",
        ),
        (InputError("Set {scratch_dir}", ("scratch_dir",)), "Set the environment variable TMPDIR."),
        (InputError("column '{n_jobs}' stays, as n_jobs does"), "column '{n_jobs}' stays, as n_jobs does."),
    ],
)
def test_parameters_are_called_as_the_options_that_set_them(error, shown):
    assert errors.in_options(error).startswith(shown)
