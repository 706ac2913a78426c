"""What `dir` shows is public, and what is public stands in the docstring."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

import dncsc
from dncsc.estimators.described import ATTRIBUTES, PARAMETERS, entries
from dncsc.estimators.registry import CLASSES

ROWS = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 2)), columns=["a", "b"])


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_the_package_shows_what_it_exports():
    assert dir(dncsc) == sorted(dncsc.__all__)
    assert all(hasattr(dncsc, name) for name in dir(dncsc))


def test_a_model_shows_public_names_only():
    names = dir(dncsc.DnCSC(2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]]))
    assert {"fit", "predict", "labels_", "diagnosis_", "n_clusters"} <= set(names)
    assert not [name for name in names if name.startswith("_") and not name.startswith("__")]


@pytest.mark.parametrize("kind", CLASSES.values())
def test_every_parameter_is_described_with_its_default(kind):
    said = entries(kind, PARAMETERS)
    assert set(said) == set(kind().get_params())
    assert all("\n    " in each for each in said.values())
    for name, default in kind().get_params().items():
        first = said[name].split("\n")[0]
        told = first.partition("default=")[2].strip('"').replace("_", "")
        assert told == str(default) or (default is None and first.endswith(", optional"))


@pytest.mark.parametrize("kind", CLASSES.values())
def test_every_estimator_has_an_example(kind):
    assert "\nExamples\n--------\n>>> " in inspect.getdoc(kind)


@pytest.mark.parametrize("kind", CLASSES.values())
def test_a_model_shows_parameters_methods_and_documented_attributes_alone(kind, tmp_path):
    model = kind(3, random_state=0)
    params = set(model.get_params())
    methods = {name for name in public(kind) - params if callable(getattr(kind, name))}
    absent = {"predict"} if kind is dncsc.ExactSC else set()  # shown by older versions of scikit-learn
    assert public(model) - absent == params | methods
    assert set(vars(model)) == params
    assert all(inspect.getdoc(getattr(kind, name)) for name in methods)
    found = set(vars(model.fit(ROWS))) - params
    assert found - {"_model"} <= set(entries(kind, ATTRIBUTES))
    assert set(entries(kind, ATTRIBUTES)) - {"notes_"} <= found
    model.save(tmp_path / "model.npz")
    assert set(vars(dncsc.load_model(tmp_path / "model.npz"))) - params - {"_model"} <= set(entries(kind, ATTRIBUTES))
