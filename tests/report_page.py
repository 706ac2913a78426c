"""A page of a report taken apart, and rows to write one about."""

from __future__ import annotations

import base64
import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd

VOID = {"meta", "link", "br", "input", "circle", "line", "rect", "polyline"}


class Page(HTMLParser):
    """A page taken apart: tables by caption, definitions, headings, scripts, and every tag with its attributes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.pairs: dict[str, str] = {}
        self.headings: list[tuple[int, str]] = []
        self.text = ""
        self._open: list[str] = []
        self._cells: list[list[str]] = []
        self._words: dict[str, str] = {}
        self.feed(self.source)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
        if tag in ("table", "tr"):
            self._cells = [] if tag == "table" else [*self._cells, []]
        if tag in ("th", "td", "caption", "dt", "dd", "h1", "h2", "h3", "script", "title"):
            self._words[tag] = ""

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self._open.pop() == tag
        words_ = " ".join(self._words.get(tag, "").split())
        if tag in ("th", "td"):
            self._cells[-1].append(words_)
        elif tag == "table":
            self.tables[" ".join(self._words["caption"].split())] = self._cells
        elif tag == "dd":
            self.pairs.setdefault(" ".join(self._words["dt"].split()), words_)
        elif tag in ("h1", "h2", "h3"):
            self.headings.append((int(tag[1]), words_))
        elif tag == "script" and "data" not in self.__dict__:
            self.data = json.loads(self._words[tag])

    def handle_data(self, data):
        for tag in set(self._open):
            if tag in self._words:
                self._words[tag] += data
        if "script" not in self._open and "style" not in self._open:
            self.text += data

    def numbers(self, packed: dict) -> np.ndarray:
        return np.frombuffer(base64.b64decode(packed["data"]), f"<u{packed['bits'] // 8}").astype(np.int64)


class Lazy:
    """Rows of which only blocks can be had."""

    def __init__(self, rows: np.ndarray, fail_at: int | None = None) -> None:
        self.shape, self.names = rows.shape, [f"f{i}" for i in range(rows.shape[1])]
        self._rows, self._fail_at, self.longest = rows, fail_at, 0

    def read(self, start: int, stop: int) -> np.ndarray:
        if self._fail_at is not None and stop > self._fail_at:
            raise OSError("the disk is gone")
        self.longest = max(self.longest, stop - start)
        return self._rows[start:stop]


def four_groups() -> pd.DataFrame:
    """Groups of 100 to 400 rows, told apart by two of three features."""
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(4), [100, 200, 300, 400])
    centres = np.array([[0, 0, 5], [10, 0, 5], [0, 10, 5], [10, 10, 5]])
    return pd.DataFrame(centres[y] + random.normal(0, 0.5, (1000, 3)), columns=["east", "north", "up"])
