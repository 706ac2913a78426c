"""Decompress a member of a zip archive from several places at once."""

from __future__ import annotations

import zlib
from typing import BinaryIO

CHUNK = 2**14
"""Compressed bytes read at a time; a copy holds at most as many."""


class Inflating:
    """A deflated stream that can be copied where it stands. Archives can only be unpacked from the beginning; copies
    left at several places resume from there, each with some 60 kB of its own.
    """

    def __init__(self, stream: BinaryIO, begin: int, end: int) -> None:
        self._stream, self._at, self._end = stream, begin, end
        self._state = zlib.decompressobj(-zlib.MAX_WBITS)

    def copy(self) -> Inflating:
        """Another one that stands at the same place."""
        twin = Inflating(self._stream, self._at, self._end)
        twin._state = self._state.copy()
        return twin

    def read(self, size: int) -> bytes:
        """The next bytes; fewer at the end."""
        parts, missing = [], size
        while missing and not self._state.eof:
            packed = self._state.unconsumed_tail or self._next_chunk()
            part = self._state.decompress(packed, missing)
            if not part and not packed:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _next_chunk(self) -> bytes:
        self._stream.seek(self._at)
        chunk = self._stream.read(min(CHUNK, self._end - self._at))
        self._at += len(chunk)
        return chunk
