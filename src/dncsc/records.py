"""Records (frozen dataclasses of numbers, words, arrays and other records) as files: npz with a JSON header, no pickle.

A file may come from anywhere. Only classes that the reader names are made, only with their own fields, each of the
type that the class declares; arrays are plain numbers, and as large as the file holds.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import types
import typing
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import numpy as np

from dncsc.atomic import atomic_write
from dncsc.npy_header import read_array_header

HEADER = "header"
PLAIN = "biuf"
"""Kinds of dtypes that are numbers."""


class RecordError(ValueError):
    """A file that does not hold what it should, and why."""


def write(path: str | os.PathLike[str], header: Mapping[str, Any], record: Any) -> None:
    """Write a record and a header of words and numbers; all of it or nothing, also where the power fails."""
    arrays: dict[str, np.ndarray] = {}
    text = json.dumps({**header, "record": _Packer(arrays).pack(record)}, allow_nan=False)
    arrays[HEADER] = np.frombuffer(text.encode(), np.uint8)
    with atomic_write(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file; the record is still packed, as ``header["record"]``."""
    with open(path, "rb") as file:
        try:
            arrays = _read_arrays(file)
            if HEADER not in arrays:
                raise RecordError("it has no header.")
            header = json.loads(arrays.pop(HEADER).tobytes())
        except RecordError as error:
            raise RecordError(f"{path} is damaged, or no file of dncsc: {error}") from error
        except Exception as error:  # whatever damage makes the parsers of zip files, arrays and JSON say
            raise RecordError(f"{path} is damaged, or no file of dncsc: {error}.") from error
    if not isinstance(header, dict) or "record" not in header:
        raise RecordError(f"{path} is no file of dncsc: its header says nothing about a record.")
    return header, arrays


def _read_arrays(file: BinaryIO) -> dict[str, np.ndarray]:
    """All parts of an archive, by name. They are not compressed, so that they claim no more than the file has."""
    arrays = {}
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED:
                raise RecordError(f"its part {member.filename!r} is compressed, which ours never are.")
        if sum(member.file_size for member in members) > os.fstat(file.fileno()).st_size:
            raise RecordError("its parts claim to be larger than the file.")
        for member in members:
            with archive.open(member) as part:
                arrays[member.filename.removesuffix(".npy")] = _read_array(part, member.file_size)
    return arrays


def _read_array(file: Any, size: int) -> np.ndarray:
    """One array of numbers, whose shape is checked against the bytes that are there."""
    header = read_array_header(file)
    shape, dtype, left = header.shape, header.dtype, size - header.size
    if dtype.kind not in PLAIN:
        raise RecordError(f"an array of dtype {dtype} is not plain numbers.")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != left:
        raise RecordError(f"an array of shape {shape} and dtype {dtype} has {left} bytes.")
    data = file.read(left)  # to its end, where zipfile compares the checksum
    if len(data) != left:
        raise RecordError("an array ends too soon.")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if header.fortran else "C").copy()


class _Packer:
    """Turns records into what JSON can hold; one that is met again is referred to, not repeated."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self._arrays = arrays
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []

    def pack(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, np.dtype):
            return {"dtype": value.name}
        if isinstance(value, tuple):
            return {"tuple": [self.pack(each) for each in value]}
        if not isinstance(value, np.ndarray) and (isinstance(value, type) or not dataclasses.is_dataclass(value)):
            raise TypeError(f"a {type(value).__name__} cannot be written: {value!r}.")
        if id(value) in self._seen:
            return {"again": self._seen[id(value)]}
        self._seen[id(value)] = len(self._alive)
        self._alive.append(value)
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in PLAIN:
                raise TypeError(f"an array of dtype {value.dtype} is not plain numbers.")
            name = f"array{len(self._arrays)}"
            self._arrays[name] = value
            return {"array": name}
        fields = {field.name: self.pack(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"is": type(value).__name__, "has": fields}


def unpack(packed: Any, arrays: Mapping[str, np.ndarray], kinds: Iterable[type], into: Any) -> Any:
    """The record, made of the classes in `kinds`, and of the type `into`."""
    try:
        value = _Unpacker(arrays, {kind.__name__: kind for kind in kinds}).unpack(packed)
        _check_type(value, into, "the record")
    except RecordError:
        raise
    except Exception as error:  # whatever a record does that has other parts than it should
        raise RecordError(f"the record is malformed: {error!r}.") from error
    return value


class _Unpacker:
    def __init__(self, arrays: Mapping[str, np.ndarray], kinds: Mapping[str, type]) -> None:
        self._arrays, self._kinds = arrays, kinds
        self._made: list[Any] = []

    def unpack(self, packed: Any) -> Any:
        if not isinstance(packed, dict):
            return packed
        if "dtype" in packed:
            return np.dtype({"float32": "float32", "float64": "float64"}[packed["dtype"]])
        if "tuple" in packed:
            return tuple(self.unpack(each) for each in packed["tuple"])
        if "again" in packed:
            return self._made[packed["again"]]
        place = len(self._made)
        self._made.append(None)
        self._made[place] = self._arrays[packed["array"]] if "array" in packed else self._record(packed)
        return self._made[place]

    def _record(self, packed: dict[str, Any]) -> Any:
        kind: Any = self._kinds[packed["is"]]
        hints = typing.get_type_hints(kind)
        values = {name: self.unpack(each) for name, each in packed["has"].items()}
        if set(values) != {field.name for field in dataclasses.fields(kind)}:
            raise RecordError(f"a {kind.__name__} with the fields {sorted(values)} is of another version.")
        for name, value in values.items():
            _check_type(value, hints[name], f"{name} of a {kind.__name__}")
            if hints[name] is float:
                values[name] = float(value)  # a JSON number without a point, which may be too large
        return kind(**values)


def _check_type(value: Any, declared: Any, what: str) -> None:
    if not _is_of(value, declared):
        raise RecordError(f"{what} is a {type(value).__name__}.")


def _is_of(value: Any, declared: Any) -> bool:
    origin = typing.get_origin(declared)
    if origin in (typing.Union, types.UnionType):
        return any(_is_of(value, each) for each in typing.get_args(declared))
    if origin is tuple:
        of = typing.get_args(declared)[0]
        return isinstance(value, tuple) and all(_is_of(each, of) for each in value)
    if origin is not None:
        declared = origin
    if declared is Any:
        return True
    if declared is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if declared is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if getattr(declared, "_is_protocol", False):
        return dataclasses.is_dataclass(value) and _members(declared) <= _has(type(value))
    return isinstance(value, declared)


def _has(record: Any) -> set[str]:
    """Fields, properties and methods of a record, without asking one for any of them."""
    return set(dir(record)) | {field.name for field in dataclasses.fields(record)}


def _members(protocol: Any) -> set[str]:
    """What a class has to have to fit a protocol."""
    return {name for name in vars(protocol) if not name.startswith("_")}
