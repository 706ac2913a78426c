"""A format is one record: with it in the registry, its files are opened, read by column and written like all others."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dncsc.cli import main
from dncsc.cli.outputs import table_target, table_writer
from dncsc.rows import FileReadError, formats, open_rows
from dncsc.rows.base import StreamRows
from dncsc.rows.columns import column_names
from dncsc.rows.format import Format, Header
from row_files import whole

MAGIC = b"%TOY\n"
"""Then a line of names, and a line for each row."""


def lines(file):
    names, *rows = file.path.read_bytes().removeprefix(MAGIC).decode().splitlines()
    return names.split(), [row.split() for row in rows]


class ToyRows(StreamRows):
    def __init__(self, file, columns):
        known, rows = lines(file)
        names = column_names(columns, known, str(file.path))
        self._values = np.array([[float(row[known.index(name)]) for name in names] for row in rows])
        super().__init__([file], self._values.shape, self._values.dtype, tuple(names))

    def _slices(self):
        yield self._values


class ToyWriter:
    def __init__(self, stream, names):
        self._stream = stream
        stream.write(MAGIC + " ".join(names).encode() + b"\n")

    def write(self, columns):
        for row in zip(*columns, strict=True):
            self._stream.write(" ".join(map(str, row)).encode() + b"\n")


def cells(file, name):
    names, rows = lines(file)
    return [row[names.index(name)] for row in rows]


TOY = Format(
    description="a toy",
    suffixes=(".toy",),
    matches=lambda head: head.startswith(MAGIC),
    open=ToyRows,
    header=lambda file: Header(lines(file)[0], lines(file)[0], has_names=True),
    read_columns=lambda file, names, n_rows: iter([[cells(file, name) for name in names]]),
    column_type=lambda file, name: np.array(cells(file, name)).dtype,
    writers={".toy": lambda stream, output: nullcontext(ToyWriter(stream, output.names))},
)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A file of twenty rows in two groups, where the format is registered."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, TOY))
    with table_writer(table_target("rows.toy"), ["a", "b", "key"], 20) as writer:
        a = np.arange(20) + 100 * (np.arange(20) % 2)
        writer.write([a, a[::-1], [f"k{row}" for row in range(20)]])
    return Path("rows.toy")


def test_a_registered_format_is_opened_as_any_other(toy):
    rows = open_rows(toy, columns=["b", "a"])
    assert (rows.shape, rows.names) == ((20, 2), ("b", "a"))
    assert whole(rows)[0].tolist() == [119, 0]
    toy.rename("nameless")
    assert open_rows("nameless", columns=["a"]).shape == (20, 1)
    Path("nameless").rename("rows.csv")
    with pytest.raises(FileReadError, match=r"suffix \.csv claims text, but the content is a toy"):
        open_rows("rows.csv")
    Path("junk").write_bytes(b"\0\1\2")
    with pytest.raises(FileReadError, match=r"Readable are .* and \.toy"):
        open_rows("junk")


def test_the_command_line_reads_and_writes_a_registered_format(toy):
    fit = ["fit", "rows.toy", "-k", "2", "--landmarks", "20", "-q", "--id", "key", "-o"]
    assert main([*fit, "labels.csv"]) == 0
    assert main([*fit, "labels.toy"]) == 0
    assert main([*fit, "labels.parquet"]) == 0
    wanted = pd.read_csv("labels.csv")
    assert wanted["key"].tolist() == [f"k{row}" for row in range(20)]
    assert wanted["label"].nunique() == 2
    assert open_rows("labels.toy", columns=["label"]).batches().__next__().ravel().tolist() == wanted["label"].tolist()
    assert pd.read_parquet("labels.parquet")["key"].tolist() == wanted["key"].tolist()
