"""Docstrings in full: what a class shares with another is described there, and copied into its own docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

Class = TypeVar("Class", bound=type)

PARAMETERS, ATTRIBUTES = "Parameters", "Attributes"

EVERY_FIT = (
    *("n_clusters_", "labels_", "eigenvalues_", "cluster_centers_", "cluster_sizes_", "inertia_", "n_iter_"),
    *("n_graph_components_", "timings_", "n_features_in_", "feature_names_in_", "notes_"),
)
"""Attributes that all fitted estimators have."""

LANDMARKS = ("landmarks_", "n_landmarks_", "bandwidth_")
GRAPH = ("diagnosis_", "tree_")


def described_like(model: type, attributes: Sequence[str]) -> Callable[[Class], Class]:
    """Complete the docstring of a class: what it leaves out is described as in another class, with its own defaults.

    Parameters
    ----------
    model : type
        Describes all parameters that the class has, or more.
    attributes : sequence of str
        That fits of the class set.
    """

    def complete(cls: Class) -> Class:
        if cls.__doc__ is None:  # python -OO
            return cls
        text = inspect.cleandoc(cls.__doc__)
        defaults = {name: each.default for name, each in inspect.signature(cls).parameters.items()}
        for section, names in ((PARAMETERS, tuple(defaults)), (ATTRIBUTES, attributes)):
            known, own = entries(model, section), entries(cls, section)
            lacking = [name for name in known if name in names and name not in own]
            more = [_with_default(known[name], defaults.get(name)) for name in lacking]
            text = _with_section(text, section, [*own.values(), *more])
        cls.__doc__ = text
        return cls

    return complete


def entries(cls: type, section: str) -> dict[str, str]:
    """What a section of a numpydoc docstring says of each name, by name."""
    body = _section(section).search(inspect.getdoc(cls) or "")
    found = re.findall(r"^(\w+)((?: : .*)?(?:\n[ ]+.*|\n(?=\n[ ]))*)", body["text"], re.MULTILINE) if body else []
    return {name: name + rest for name, rest in found}


def _section(name: str) -> re.Pattern[str]:
    return re.compile(rf"^{name}\n-+\n(?P<text>.*?)(?=\n\n\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)


def _with_section(text: str, name: str, lines: Sequence[str]) -> str:
    """A docstring with a section replaced, or put behind the parameters."""
    section = "\n".join([name, "-" * len(name), *lines])
    if _section(name).search(text):
        return _section(name).sub(lambda found: section, text)
    found = _section(PARAMETERS).search(text)
    end = len(text) if found is None else found.end()
    return f"{text[:end]}\n\n{section}{text[end:]}"


def _with_default(entry: str, default: object) -> str:
    """An entry whose first line says this default, if it says one."""
    said = f'"{default}"' if isinstance(default, str) else repr(default)
    head, *rest = entry.split("\n")
    return "\n".join([re.sub(r"default=.*$", lambda found: f"default={said}", head), *rest])
