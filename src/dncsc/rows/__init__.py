"""Tables of numbers in files of many formats, read piece by piece."""

from dncsc.rows.base import FileTrouble, Rows
from dncsc.rows.open import open_rows
from dncsc.rows.raw import RawRows, from_memmap
from dncsc.rows.several import SeveralRows

__all__ = ["FileTrouble", "RawRows", "Rows", "SeveralRows", "from_memmap", "open_rows"]
