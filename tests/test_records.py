"""Records as files: what goes in comes out, and nothing else gets in."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import pytest

from dncsc import records
from dncsc.records import RecordError


class Shape(Protocol):
    @property
    def area(self) -> float: ...


@dataclass(frozen=True)
class Square:
    side: float
    corners: ClassVar[int] = 4

    @property
    def area(self) -> float:
        return self.side**2


@dataclass(frozen=True)
class Points:
    places: np.ndarray
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class Drawing:
    name: str
    count: int
    final: bool
    shape: Shape
    layers: tuple[Points, ...]
    first: Points | None = None


KINDS = [Square, Points, Drawing]


def points(*values: float, dtype: Any = np.float64) -> Points:
    return Points(np.array(values, dtype), np.dtype(np.float32))


def drawing(**changes: Any) -> Drawing:
    layer = points(1.5, np.inf, -0.0)
    whole = {"name": "ä \0 \n", "count": 2**80, "final": True, "shape": Square(0.1), "layers": (layer,), "first": layer}
    return Drawing(**{**whole, **changes})


def there_and_back(record, path, into=None, kinds: Sequence[type] = KINDS):
    records.write(path, {"words": "some"}, record)
    header, arrays = records.read(path)
    assert header["words"] == "some"
    return records.unpack(header["record"], arrays, kinds, into or type(record))


def test_what_goes_in_comes_out(tmp_path):
    found = there_and_back(drawing(), tmp_path / "record.npz")
    wanted = drawing()
    assert (found.name, found.count, found.final, found.shape) == (wanted.name, 2**80, True, Square(0.1))
    assert found.first.dtype == np.float32
    assert found.first.places.tobytes() == wanted.first.places.tobytes()
    assert there_and_back(drawing(first=None, layers=()), tmp_path / "record.npz").layers == ()
    assert list(tmp_path.iterdir()) == [tmp_path / "record.npz"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "int64", "uint8", "uint64", "bool", ">f8"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (0, 3), (2, 3), (2, 1, 3)])
def test_arrays_come_out_as_they_went_in(tmp_path, dtype, shape):
    values = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    for array in (values, np.asfortranarray(values)):
        found = there_and_back(Points(array, np.dtype("float64")), tmp_path / "record.npz").places
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype
        assert found.flags.c_contiguous
        assert found.flags.writeable


def test_shared_records_and_arrays_stay_shared(tmp_path):
    layer, other = points(1, 2), points(1, 2)
    same = Points(layer.places, np.dtype(np.float64))
    found = there_and_back(drawing(layers=(layer, other, layer, same), first=layer), tmp_path / "record.npz")
    assert found.layers[0] is found.layers[2] is found.first
    assert found.layers[0] is not found.layers[1]
    assert found.layers[3].places is found.layers[0].places
    with zipfile.ZipFile(tmp_path / "record.npz") as archive:
        assert len(archive.namelist()) == 3  # two arrays and the header


def test_numbers_of_numpy_become_plain_ones(tmp_path):
    found = there_and_back(drawing(count=np.int64(7), final=np.bool_(False)), tmp_path / "record.npz")
    assert (type(found.count), type(found.final)) == (int, bool)
    assert type(there_and_back(Square(3), tmp_path / "record.npz").side) is float


@pytest.mark.parametrize(
    "value",
    [[1, 2], {"a": 1}, {1}, b"bytes", 1j, object(), Square, np.array([None]), np.array(["a"]), np.array([1j]), len],
    ids=lambda value: str(value)[:20],
)
def test_what_a_record_cannot_hold_is_not_written(tmp_path, value):
    path = tmp_path / "record.npz"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        records.write(path, {}, drawing(first=value))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_json_has_no_word_for_is_not_written(tmp_path, value):
    with pytest.raises(ValueError, match="JSON"):
        records.write(tmp_path / "record.npz", {}, Square(float(value)))
    assert not list(tmp_path.iterdir())


SQUARE = {"is": "Square", "has": {"side": 1.0}}
LAYER = {"is": "Points", "has": {"places": {"array": "a"}, "dtype": {"dtype": "float32"}}}
WHOLE = {"name": "", "count": 1, "final": True, "shape": SQUARE, "layers": {"tuple": [LAYER]}, "first": None}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": 1}, "name of a Drawing is a int"),
        ({"count": 1.0}, "count of a Drawing is a float"),
        ({"count": True}, "count of a Drawing is a bool"),
        ({"final": 1}, "final of a Drawing is a int"),
        ({"shape": LAYER}, "shape of a Drawing is a Points"),
        ({"shape": {"array": "a"}}, "shape of a Drawing is a ndarray"),
        ({"layers": [LAYER]}, "layers of a Drawing is a list"),
        ({"layers": {"tuple": [LAYER, SQUARE]}}, "layers of a Drawing is a tuple"),
        ({"layers": {"tuple": 5}}, "malformed"),
        ({"first": SQUARE}, "first of a Drawing is a Square"),
        ({"first": {"is": "Popen", "has": {"args": "true"}}}, "malformed.*Popen"),
        ({"first": {"is": "Points", "has": {}}}, "of another version"),
        ({"first": {"is": "Points"}}, "malformed"),
        ({"first": {"is": ["Points"], "has": {}}}, "malformed"),
        ({"first": {"is": "Points", "has": {**LAYER["has"], "more": 1}}}, "of another version"),
        ({"first": {"is": "Points", "has": {"places": {"array": "b"}, "dtype": {"dtype": "float32"}}}}, "malformed"),
        ({"first": {"is": "Points", "has": {"places": {"array": "a"}, "dtype": {"dtype": "O"}}}}, "malformed"),
        ({"first": {"is": "Points", "has": {"places": [1, 2], "dtype": {"dtype": "float32"}}}}, "is a list"),
        ({"first": {"again": 99}}, "malformed"),
        ({"first": {"again": "0"}}, "malformed"),
        ({"name": {"again": 0}}, "name of a Drawing is a NoneType"),
        ({"shape": {"is": "Square", "has": {"side": 10**400}}}, "malformed"),
        ({"shape": {"is": "Square", "has": {"side": "1"}}}, "side of a Square is a str"),
        ({"count": None}, "count of a Drawing is a NoneType"),
    ],
)
def test_what_does_not_fit_its_class_is_refused(change, words):
    arrays = {"a": np.zeros(3)}
    assert records.unpack({"is": "Drawing", "has": WHOLE}, arrays, KINDS, Drawing).count == 1
    with pytest.raises(RecordError, match=words):
        records.unpack({"is": "Drawing", "has": {**WHOLE, **change}}, arrays, KINDS, Drawing)


def test_only_classes_that_were_named_are_made():
    with pytest.raises(RecordError, match="the record is a Square"):
        records.unpack(SQUARE, {}, KINDS, Drawing)
    with pytest.raises(RecordError, match=r"malformed.*Square"):
        records.unpack(SQUARE, {}, [Points], Square)
    for packed in (None, 5, "Square", [], {}, {"tuple": []}):
        with pytest.raises(RecordError):
            records.unpack(packed, {}, KINDS, Square)


def test_a_record_nested_without_end_is_refused():
    packed = SQUARE
    for _ in range(100_000):
        packed = {"tuple": [packed]}
    with pytest.raises(RecordError, match="malformed"):
        records.unpack(packed, {}, KINDS, Square)


def test_a_missing_file_is_told_as_such(tmp_path):
    with pytest.raises(FileNotFoundError):
        records.read(tmp_path / "record.npz")


def test_a_header_nested_without_end_is_refused(tmp_path):
    text = '{"record": ' + "[" * 100_000 + "]" * 100_000 + "}"
    np.savez(tmp_path / "record.npz", header=np.frombuffer(text.encode(), np.uint8))
    with pytest.raises(RecordError, match="damaged"):
        records.read(tmp_path / "record.npz")


@pytest.mark.parametrize("header", [[1], "text", {"other": 1}, None])
def test_a_header_without_a_record_is_refused(tmp_path, header):
    np.savez(tmp_path / "record.npz", header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    with pytest.raises(RecordError, match="its header says nothing about a record"):
        records.read(tmp_path / "record.npz")
