"""Tables of numbers in files of many formats, read slice by slice."""

from dncsc.rows.base import FileReadError, Rows
from dncsc.rows.open import open_rows
from dncsc.rows.raw import RawRows, from_memmap

__all__ = ["FileReadError", "RawRows", "Rows", "from_memmap", "open_rows"]
