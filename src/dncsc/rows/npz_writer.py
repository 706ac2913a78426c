"""Writing `.npz` files block by block."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any

import numpy as np

from dncsc.rows.format import Output, Writer
from dncsc.rows.npy import NpyWriter
from dncsc.rows.values import as_numbers, as_texts, no_array


@contextmanager
def write_npz(stream: IO[bytes], output: Output) -> Iterator[Writer]:
    """A writer of one array for each name; the archive is made at the end of the block."""
    with ExitStack() as scratch:
        writer = NpzWriter(output, scratch)
        yield writer
        with zipfile.ZipFile(stream, "w") as archive:
            for name in output.names:
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    writer.pack(name, member)


class NpzWriter:
    """Collects blocks until the types of all are known.

    Members of a zip file cannot grow together: numbers wait in temporary files, as they came. Texts wait in memory:
    the longest of them decides how wide their array is.
    """

    def __init__(self, output: Output, scratch: ExitStack) -> None:
        self._output, self._scratch = output, scratch
        self._texts: dict[str, list[str]] = {}
        self._blocks: dict[str, _Blocks] = {}

    def write(self, columns: Sequence[Any]) -> None:
        for name, column in zip(self._output.names, columns, strict=True):
            values = as_numbers(name, column)
            if values is None:
                texts = ("" if value is None else str(value) for value in as_texts(column))
                self._texts.setdefault(name, []).extend(texts)
            else:
                if name not in self._blocks:
                    waiting = tempfile.TemporaryFile(dir=self._output.scratch)  # noqa: SIM115
                    self._blocks[name] = _Blocks(name, self._scratch.enter_context(waiting))
                self._blocks[name].add(values)
            if name in self._texts and name in self._blocks:
                raise no_array(name, "holds texts and numbers")

    def pack(self, name: str, member: IO[bytes]) -> None:
        """Write the array of a name."""
        if name in self._texts:
            np.lib.format.write_array(member, np.array(self._texts[name], dtype=str))
            return
        writer = NpyWriter(member, self._output.n_rows)
        for block in self._blocks[name].of_one_type():
            writer.write([block])


class _Blocks:
    """Blocks of numbers in a file, each in the type that it came with: input files may differ in that."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self._name, self._stream = name, stream
        self._types: list[np.dtype[Any]] = []

    def add(self, block: np.ndarray) -> None:
        self._types.append(block.dtype)
        np.lib.format.write_array(self._stream, block)

    def of_one_type(self) -> Iterator[np.ndarray]:
        """All blocks in the narrowest type that holds them; values that it would change are refused."""
        common = np.result_type(*set(self._types))
        self._stream.seek(0)
        for dtype in self._types:
            block = np.lib.format.read_array(self._stream)
            wide = block.astype(common)
            with np.errstate(invalid="ignore"):  # 2**63 - 1 becomes 2**63, and the cast back overflows
                is_same = common.kind == dtype.kind or np.array_equal(wide.astype(dtype), block)
            if not is_same:
                raise no_array(self._name, f"holds values of {dtype} that change in an array of {common}")
            yield wide
