"""`--refine` lets neighbours have a say in labels, in fit and in the model."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dncsc import DnCSC
from dncsc.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("digits.npy", load_digits().data)


def test_labels_and_model_are_those_of_the_library():
    fit = ["fit", "digits.npy", "-k", "10", "--refine", "-o", "labels.npy", "--model", "m.npz", "--quiet"]
    assert main(fit) == 0
    expected = DnCSC(10, refine=True, random_state=0).fit(load_digits().data).labels_
    assert np.array_equal(np.load("labels.npy"), expected)
    assert main(["predict", "m.npz", "digits.npy", "-o", "again.npy", "--quiet"]) == 0
    assert np.array_equal(np.load("again.npy"), expected)


def test_a_method_without_refinement_says_so(capsys):
    assert main(["fit", "digits.npy", "-k", "10", "--refine", "--method", "u-spec", "-o", "labels.npy"]) == 2
    assert "--refine: the method u-spec has no use for it" in capsys.readouterr().err
