"""Records (frozen dataclasses of numbers, words, arrays and other records) as files: npz with a JSON header, no pickle.

Files name records and their fields as a `Schema` says, whatever the classes are called. They may come from anywhere:
only classes of the schema are made, with exactly their fields, each of the type that the class declares; arrays are
plain numbers, and as large as the file holds.
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
from dncsc.version import __version__

HEADER = "header"
PLAIN = "biuf"
"""Kinds of dtypes that are numbers."""


class RecordError(ValueError):
    """A file that does not hold what it should: the reason, the file where it is known, and the verdict on it."""

    def __init__(self, reason: str, path: Any = None, verdict: str = "cannot be used") -> None:
        super().__init__(reason, path, verdict)
        self.reason, self.path, self.verdict = reason, path, verdict

    def __str__(self) -> str:
        return self.reason if self.path is None else f"{self.path} {self.verdict}: {self.reason}"


class Kind:
    """How the records of one class stand in files, which name it by a tag.

    `fields` has the names of all its fields in files, ``name=attribute`` where the class has another name, ``-name``
    where it has none any more; without those that can only be None. Files of earlier versions lack some: `defaults`.
    """

    def __init__(self, tag: str, cls: Any, fields: str = "", **defaults: Any) -> None:
        self.tag, self.cls, self.defaults = tag, cls, defaults
        self._dropped = {name[1:] for name in fields.split() if name.startswith("-")}
        pairs = [name.partition("=") for name in fields.split() if not name.startswith("-")]
        self.attributes = {name: attribute or name for name, _, attribute in pairs}
        declared = {field.name for field in dataclasses.fields(cls) if field.type not in ("None", None)}
        if declared != set(self.attributes.values()) or not defaults.keys() <= self.attributes.keys():
            raise TypeError(f"{tag!r} does not name the fields of {cls.__name__}: {', '.join(sorted(declared))}.")

    def make(self, values: Mapping[str, Any]) -> Any:
        """A record from the values of its fields, which are checked."""
        values, known = {**self.defaults, **values}, self.attributes.keys()
        unknown = values.keys() - known - self._dropped
        for problem, names in (("lacks", known - values.keys()), ("has an unknown", unknown)):
            if names:
                raise RecordError(f"{self.tag!r} {problem} field: {', '.join(sorted(names))}.")
        hints, given = typing.get_type_hints(self.cls), {}
        for name, attribute in self.attributes.items():
            value, hint = values[name], hints[attribute]
            _check_type(value, hint, f"{name} of {self.tag!r}")
            given[attribute] = float(value) if hint is float else value  # JSON's 1e3 may be an int, or too large
        return self.cls(**given)


class Schema:
    """Kinds of records that files may hold; the version grows when earlier versions of dncsc cannot read new files."""

    def __init__(self, version: int, kinds: Iterable[Kind]) -> None:
        kinds = list(kinds)
        self.version, self._by_tag, self._by_class = version, {k.tag: k for k in kinds}, {k.cls: k for k in kinds}
        if not len(self._by_tag) == len(self._by_class) == len(kinds):
            raise TypeError("a tag or a class stands twice in a schema.")

    def kind_of(self, record: Any) -> Kind:
        if type(record) not in self._by_class:
            raise TypeError(f"a {type(record).__name__} cannot be written: {record!r}.")
        return self._by_class[type(record)]

    def kind_named(self, tag: Any) -> Kind:
        if tag not in self._by_tag:
            raise RecordError(f"it has a record {tag!r}, which dncsc {__version__} does not know.")
        return self._by_tag[tag]

    def check(self, header: Mapping[str, Any], expected: str) -> None:
        """Refuse a header of another format, or of a newer schema."""
        if header.get("format") != expected:
            raise RecordError(f"it is not a {expected}.")
        found = header.get("schema")
        if type(found) is not int or found < 1:
            raise RecordError("its header has no valid schema.")
        if found > self.version:
            raise RecordError(
                f"it has schema {found}, written by dncsc {header.get('dncsc')}; this is dncsc {__version__}, "
                f"which reads schemas up to {self.version}. Install a newer one."
            )


def write(
    path: str | os.PathLike[str], header: Mapping[str, Any], record: Any, schema: Schema, overwrite: bool = True
) -> None:
    """Write a record and a header of words and numbers; all of it or nothing, also where the power fails."""
    arrays: dict[str, np.ndarray] = {}
    about = {"schema": schema.version, "dncsc": __version__}
    text = json.dumps({**header, **about, "record": _pack(record, schema, arrays)}, allow_nan=False)
    arrays[HEADER] = np.frombuffer(text.encode(), np.uint8)
    with atomic_write(path, overwrite) as file, zipfile.ZipFile(file, "w") as archive:  # closed where writing fails,
        for name, array in arrays.items():  # which numpy.savez sees to from NumPy 2 on only
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file; the record is still packed, as ``header["record"]``."""
    with open(path, "rb") as file:
        try:
            arrays = _read_arrays(file)
            if HEADER not in arrays:
                raise RecordError("it has no header.")
            header = json.loads(arrays.pop(HEADER).tobytes(), parse_float=_finite, parse_constant=_finite)
        except Exception as error:  # whatever damage makes the parsers of zip files, arrays and JSON say
            reason = error.reason if isinstance(error, RecordError) else f"{error}."
            raise RecordError(reason, path, "is damaged, or no file of dncsc") from error
    if not isinstance(header, dict) or "record" not in header:
        raise RecordError("its header has no record.", path, "is no file of dncsc")
    return header, arrays


def _finite(text: str) -> float:
    """A number of a header; none of ours is infinite, or no number."""
    value = float(text)
    if not math.isfinite(value):
        raise RecordError(f"its header has the number {text}.")
    return value


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
    data = file.read()  # to its end, where zipfile compares the checksum
    if not math.prod(shape) * dtype.itemsize == left == len(data):
        raise RecordError(f"an array of shape {shape} and dtype {dtype} has {len(data)} bytes.")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if header.fortran else "C").copy()


def _pack(record: Any, schema: Schema, arrays: dict[str, np.ndarray]) -> Any:
    """A record as JSON can hold it; a record or array that comes again is referred to, not repeated."""
    seen: dict[int, tuple[Any, Any]] = {}
    """records and arrays by their id, and what refers to them"""

    def pack(value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, np.dtype):
            return {"dtype": value.name}
        if isinstance(value, tuple):
            return {"tuple": [pack(each) for each in value]}
        if id(value) in seen:
            return seen[id(value)][1]
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in PLAIN:
                raise TypeError(f"an array of dtype {value.dtype} is not plain numbers.")
            name = f"array{len(arrays)}"
            arrays[name] = value
            seen[id(value)] = value, {"array": name}
            return {"array": name}
        kind, number = schema.kind_of(value), len(seen)
        seen[id(value)] = value, {"same": number}
        fields = {name: pack(getattr(value, attribute)) for name, attribute in kind.attributes.items()}
        return {"tag": kind.tag, "number": number, "fields": fields}

    return pack(record)


def unpack(packed: Any, arrays: Mapping[str, np.ndarray], schema: Schema, into: Any) -> Any:
    """The record, made of classes of the schema, and of the type `into`."""
    made: dict[int, Any] = {}

    def unpacked(packed: Any) -> Any:
        if not isinstance(packed, dict):
            return packed
        if "dtype" in packed:
            return np.dtype({"float32": "float32", "float64": "float64"}[packed["dtype"]])
        if "tuple" in packed:
            return tuple([unpacked(each) for each in packed["tuple"]])
        if "array" in packed:
            return arrays[packed["array"]]
        if "same" in packed:
            return made[packed["same"]]
        kind = schema.kind_named(packed["tag"])
        record = kind.make({name: unpacked(each) for name, each in packed["fields"].items()})
        made[packed["number"]] = record
        return record

    try:
        value = unpacked(packed)
        _check_type(value, into, "the record")
    except RecordError:
        raise
    except Exception as error:  # whatever a record does that has other parts than it should
        raise RecordError(f"the record is malformed: {error!r}.") from error
    return value


def _check_type(value: Any, declared: Any, what: str) -> None:
    if not _is_of(value, declared):
        raise RecordError(f"{what} is a {type(value).__name__}.")


def _is_of(value: Any, declared: Any) -> bool:
    origin, of = typing.get_origin(declared), typing.get_args(declared)
    if origin in (typing.Union, types.UnionType):
        return any(_is_of(value, each) for each in of)
    if origin is tuple:
        types_of = of[:1] * len(value) if of[-1] is Ellipsis and isinstance(value, tuple) else of
        return isinstance(value, tuple) and len(value) == len(types_of) and all(map(_is_of, value, types_of))
    if declared in (int, float):
        return isinstance(value, int if declared is int else int | float) and not isinstance(value, bool)
    if getattr(declared, "_is_protocol", False):
        if not dataclasses.is_dataclass(value):
            return False
        has = {*dir(type(value)), *(field.name for field in dataclasses.fields(value))}  # no property is asked
        return {name for name in vars(declared) if not name.startswith("_")} <= has
    return declared is Any or isinstance(value, origin or declared)
