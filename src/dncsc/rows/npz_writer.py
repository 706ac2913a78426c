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

    Members of a zip file cannot grow together: numbers wait in temporary files, each block in the type that it came
    with, as input files may differ in that. Texts wait in memory: the longest decides how wide their array is.
    """

    def __init__(self, output: Output, scratch: ExitStack) -> None:
        self._output, self._scratch = output, scratch
        self._texts: dict[str, list[str]] = {}
        self._numbers: dict[str, tuple[IO[bytes], list[np.dtype[Any]]]] = {}

    def write(self, columns: Sequence[Any]) -> None:
        for name, column in zip(self._output.names, columns, strict=True):
            values = as_numbers(name, column)
            if values is None:
                texts = ("" if value is None else str(value) for value in as_texts(column))
                self._texts.setdefault(name, []).extend(texts)
            else:
                if name not in self._numbers:
                    waiting = tempfile.TemporaryFile(dir=self._output.scratch)  # noqa: SIM115
                    self._numbers[name] = self._scratch.enter_context(waiting), []
                stream, types = self._numbers[name]
                types.append(values.dtype)
                np.lib.format.write_array(stream, values)
            if name in self._texts and name in self._numbers:
                raise no_array(name, "holds texts and numbers")

    def pack(self, name: str, member: IO[bytes]) -> None:
        """Write the array of a name, in the narrowest type for all blocks; refuse values that it would change."""
        if name in self._texts:
            np.lib.format.write_array(member, np.array(self._texts[name], dtype=str))
            return
        stream, types = self._numbers[name]
        stream.seek(0)
        common, writer = np.result_type(*set(types)), NpyWriter(member, self._output.n_rows)
        for dtype in types:
            block = np.lib.format.read_array(stream)
            wide = block.astype(common)
            with np.errstate(invalid="ignore"):  # 2**63 - 1 becomes 2**63, and the cast back overflows
                if common.kind != dtype.kind and not np.array_equal(wide.astype(dtype), block):
                    raise no_array(name, f"holds values of {dtype} that change in an array of {common}")
            writer.write([wide])
