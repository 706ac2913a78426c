"""Tables of numbers in files of many formats, read slice by slice."""

from dncsc.rows.base import FileReadError, Rows
from dncsc.rows.open import open_rows
from dncsc.rows.raw import RawRows, from_memmap
from dncsc.rows.several import SeveralRows

__all__ = ["FileReadError", "RawRows", "Rows", "SeveralRows", "from_memmap", "open_rows"]
