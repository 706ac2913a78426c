"""What the command line says is worded for a terminal: options instead of parameters, and nothing of Python."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dncsc.cli import errors, main

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
    (ROWS[:1], ["-k", "auto"], 2, "each cluster needs a row: 2 at the least, and there is 1."),
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
        "eigenvalues, which a --report shows, and give -k.",
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n_jobs=0 is bad", "--jobs 0 is bad"),
        ("raise max_memory, or lower n_landmarks", "raise --max-memory, or lower --landmarks"),
        ("choose columns=['a', 'b, c'].", 'choose --columns a,"b, c".'),
        ("with columns=.", "with --columns."),
        ("my_n_jobs stays", "my_n_jobs stays"),
        ("the checkpoint of checkpoint='x'", "the checkpoint of --resume 'x'"),
        ("Name another folder as scratch_dir, or", "Name another folder in the environment variable TMPDIR, or"),
    ],
)
def test_parameters_are_called_as_the_options_that_set_them(text, shown):
    assert errors.in_options(text) == shown
