"""What `dir` shows is public, and what is public stands in the docstring."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pandas as pd
import pytest

import dncsc
from dncsc.estimators.registry import CLASSES

ROWS = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 2)), columns=["a", "b"])


def documented(kind: type, section: str) -> set[str]:
    """Names that a section of a docstring describes, alone or several in a line, or names as those of another class."""
    text = inspect.getdoc(kind) or ""
    body = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE)
    if body is None:
        return set()
    heads = re.findall(r"^(\w+(?:, \w+)*)(?: : .*)?$", body[1], re.MULTILINE)
    shared = re.search(r"so are ([^.]*)\.", body[1])
    return set(re.findall(r"\w+", " ".join([*heads, shared[1] if shared else ""])))


def attributes(kind: type) -> set[str]:
    """Fitted attributes that a class describes, or says to be those of `DnCSC`."""
    as_dnc_sc = "attributes" in documented(kind, "Parameters")
    return documented(kind, "Attributes") | (documented(dncsc.DnCSC, "Attributes") if as_dnc_sc else set())


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_the_package_shows_what_it_exports():
    assert dir(dncsc) == sorted(dncsc.__all__)
    assert all(hasattr(dncsc, name) for name in dir(dncsc))


@pytest.mark.parametrize("kind", CLASSES.values())
def test_every_parameter_stands_in_the_docstring(kind):
    assert set(kind().get_params()) <= documented(kind, "Parameters")


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
    assert found - {"_model"} <= attributes(kind)
    assert documented(kind, "Attributes") - {"notes_"} <= found
    model.save(tmp_path / "model.npz")
    assert set(vars(dncsc.load_model(tmp_path / "model.npz"))) - params - {"_model"} <= attributes(kind)
