"""What a file is: by its first bytes, and by what its name claims."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from dncsc.rows.base import FileReadError, FileState

READABLE = ".npy, .npz, .parquet (.pq), .feather, .arrow (.ipc, .arrows), .csv, .tsv, .csv.gz and .tsv.gz"

CLAIMS = {
    ".npy": {"npy"},
    ".npz": {"zip"},
    ".parquet": {"parquet"},
    ".parq": {"parquet"},
    ".pq": {"parquet"},
    ".feather": {"arrow file"},
    ".arrow": {"arrow file", "arrow stream"},
    ".ipc": {"arrow file", "arrow stream"},
    ".arrows": {"arrow stream", "arrow file"},
    ".csv": {"text"},
    ".tsv": {"text"},
    ".csv.gz": {"gzip"},
    ".tsv.gz": {"gzip"},
}
"""What a suffix says about the content."""

WORDS = {
    "npy": "a NumPy array (.npy)",
    "zip": "a zip archive (.npz)",
    "parquet": "a Parquet file",
    "arrow file": "an Arrow or Feather file",
    "arrow stream": "a stream of Arrow record batches",
    "feather 1": "a Feather file of the old version 1",
    "gzip": "compressed by gzip",
    "text": "text",
    "other text": "text in another encoding than UTF-8",
    "unknown": "of an unknown kind",
}

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")

_MAGIC: list[tuple[str, Callable[[bytes], bool]]] = [
    ("npy", lambda head: head.startswith(b"\x93NUMPY")),
    ("zip", lambda head: head.startswith((b"PK\x03\x04", b"PK\x05\x06"))),
    ("parquet", lambda head: head.startswith(b"PAR1")),
    ("arrow file", lambda head: head.startswith(b"ARROW1")),
    ("arrow stream", lambda head: head.startswith(b"\xff\xff\xff\xff")),
    ("feather 1", lambda head: head.startswith(b"FEA1")),
    ("gzip", lambda head: head.startswith(b"\x1f\x8b")),
    ("text", lambda head: _is_utf8(head)),
    ("other text", lambda head: head.startswith((b"\xff\xfe", b"\xfe\xff")) or not _CONTROL.search(head)),
]


def claim(path: Path) -> str | None:
    """The suffix, where it is one that says something about the content."""
    name = path.name.lower()
    fitting = [suffix for suffix in CLAIMS if name.endswith(suffix)]
    return max(fitting, key=len) if fitting else None


def content(file: FileState) -> str:
    """What the first bytes say: a key of `WORDS`."""
    if not file.size:
        raise FileReadError(f"{file.path} is empty: it has no bytes.")
    try:
        with open(file.path, "rb") as stream:
            head = stream.read(4096)
    except OSError as error:
        raise FileReadError(f"{file.path} cannot be read: {error.strerror}.") from error
    for kind, fits in _MAGIC:
        if fits(head):
            return kind
    return "unknown"


def kind_of(file: FileState) -> str:
    """What a file is; refused where its name claims something else, or where nobody could read it."""
    found, suffix = content(file), claim(file.path)
    if found == "feather 1":
        raise FileReadError(
            f"{file.path} is {WORDS[found]}, which is no longer read: write it again with "
            "pyarrow.feather.write_feather, or as Parquet."
        )
    if found == "other text":
        raise FileReadError(f"{file.path} is {WORDS[found]}: save it in UTF-8.")
    if suffix is not None and found not in CLAIMS[suffix]:
        should = " or ".join(WORDS[kind] for kind in sorted(CLAIMS[suffix]))
        raise FileReadError(f"{file.path}: the suffix {suffix} claims {should}, but the content is {WORDS[found]}.")
    if found == "unknown":
        raise FileReadError(f"{file.path} is no table that can be read. Readable are {READABLE}.")
    return found


def _is_utf8(head: bytes) -> bool:
    """Whether bytes may begin a text in UTF-8."""
    if b"\0" in head:
        return False
    try:
        head[:4000].decode()
    except UnicodeDecodeError as error:
        return error.start > len(head[:4000]) - 4  # a letter cut in two
    return True
