"""How numbers are written in texts: what stands between thousands, and what before decimals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dncsc.rows.values import arrow


class Notation(NamedTuple):
    """The marks in a number: 1234.5 has a decimal point alone, 1.234,5 a decimal comma and points between thousands."""

    thousands: str | None = None
    decimal: str = "."

    @property
    def is_plain(self) -> bool:
        """Whether numbers are written as programs write them."""
        return self == PLAIN

    @property
    def is_sound(self) -> bool:
        """Whether both marks are characters that may stand in a number, and differ."""
        marks = [self.decimal] if self.thousands is None else [self.decimal, self.thousands]
        return all(map(is_mark, marks)) and self.thousands != self.decimal

    @property
    def marks(self) -> dict[str, str]:
        """The marks that are not those of programs, by name."""
        return {name: mark for name, mark in self._asdict().items() if mark != getattr(PLAIN, name)}

    @property
    def pattern(self) -> str:
        """What a number looks like; groups after a mark have three digits, and 0,123 has no thousands."""
        point, whole = _literal(self.decimal), r"\d+"
        if self.thousands is not None:
            whole = rf"([1-9]\d{{0,2}}({_literal(self.thousands)}\d{{3}})+|\d+)"
        return rf"(?i)^[+-]?(({whole}({point}\d*)?|{point}\d+)(e[+-]?\d+)?|nan|inf|infinity)$"

    def matches(self, cells: Any) -> Any:
        """Whether each text is a number, as an Arrow array."""
        return arrow("pyarrow.compute").match_substring_regex(cells, self.pattern)

    def fits(self, cells: Any) -> bool:
        """Whether all texts are numbers, those that are not missing."""
        return bool(arrow("pyarrow.compute").all(self.matches(cells), min_count=0).as_py())

    def plain(self, cells: Any) -> Any:
        """Texts of numbers as programs write them; None if some are none."""
        if self.is_plain:
            return cells
        if not self.fits(cells):
            return None
        compute = arrow("pyarrow.compute")
        if self.thousands is not None:
            cells = compute.replace_substring(cells, self.thousands, "")
        return compute.replace_substring(cells, self.decimal, ".")


PLAIN = Notation()
"""As programs write numbers."""

GROUPED = Notation(",")
"""As in 1,234,567.5."""

DECIMAL_COMMA, EUROPEAN = Notation(None, ","), Notation(".", ",")
"""As in 1234567,5; and with points between thousands: all that the first writes, the second does."""

SPACES = " \u00a0\u202f"
"""Between words, and two that keep numbers on one line, which French writes between thousands."""

NOTATIONS = (
    PLAIN,
    GROUPED,
    DECIMAL_COMMA,
    EUROPEAN,
    *(Notation(mark, decimal) for mark in ("'", "\u2019", *SPACES) for decimal in ".,"),
)
"""Those that are recognised, the commonest first; apostrophes, straight or curved, are Swiss."""


def fitting(notations: Sequence[Notation], cells: Any) -> tuple[Notation, ...]:
    """Those of some notations that all texts are numbers in. What fits without thousands fits with any."""
    bare = {mark for mark in {each.decimal for each in notations} if Notation(None, mark).fits(cells)}
    return tuple(each for each in notations if each.decimal in bare or each.fits(cells))


def is_mark(text: Any) -> bool:
    """Whether it is one character that may stand between digits."""
    return isinstance(text, str) and len(text) == 1 and not text.isalnum() and text not in "+-"


def _literal(mark: str) -> str:
    return rf"\x{{{ord(mark):x}}}"
