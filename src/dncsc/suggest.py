"""What somebody may have meant: words for errors about names that do not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


def did_you_mean(value: Any, options: Iterable[str]) -> str:
    """ " Did you mean ...?" where an option is near, whatever its case; else nothing."""
    lower = {option.lower(): option for option in options}
    near = difflib.get_close_matches(str(value).lower(), lower, 1)
    return f" Did you mean {lower[near[0]]!r}?" if near else ""
