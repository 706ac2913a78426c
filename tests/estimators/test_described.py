"""Docstrings are completed from another class, and what a class says itself stays."""

from __future__ import annotations

from dncsc.estimators.described import ATTRIBUTES, PARAMETERS, described_like, entries


class Whole:
    """Has all.

    Parameters
    ----------
    n : int, default=3
        How many.

        And a second paragraph.
    kind : {"a", "b"}, default="a"
        Which one.
    extra : float, optional

    Attributes
    ----------
    seen_ : int
        What was seen.
    other_ : int

    Examples
    --------
    >>> 1
    1
    """

    def __init__(self, n=3, kind="a", extra=None): ...


@described_like(Whole, ("seen_",))
class Part:
    """Has some.

    Parameters
    ----------
    kind : {"a", "b"}, default="b"
        This one.

    Notes
    -----
    An end.
    """

    def __init__(self, kind="b", n=5): ...


def test_what_a_class_leaves_out_is_described_with_its_own_default():
    said = entries(Part, PARAMETERS)
    assert list(said) == ["kind", "n"]
    assert said["kind"] == 'kind : {"a", "b"}, default="b"\n    This one.'
    assert said["n"] == "n : int, default=5\n    How many.\n\n    And a second paragraph."


def test_attributes_are_those_that_fits_set():
    assert entries(Part, ATTRIBUTES) == {"seen_": "seen_ : int\n    What was seen."}


def test_other_sections_stay_where_they_were():
    assert Part.__doc__.startswith("Has some.\n\nParameters\n----------\n")
    assert Part.__doc__.endswith("    What was seen.\n\nNotes\n-----\nAn end.")


def test_a_class_without_docstring_stays_without():
    class Bare:
        def __init__(self, n=3): ...

    assert described_like(Whole, ())(Bare).__doc__ is None
