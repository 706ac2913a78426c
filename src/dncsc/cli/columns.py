"""Columns of files that are not features: identifiers to carry over, and classes to compare with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

