"""Records as files: what goes in comes out, and nothing else gets in."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import pytest

from dncsc import records
from dncsc.records import Kind, RecordError, Schema
from dncsc.version import __version__


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


KINDS = [
    Kind("square", Square, "side"),
    Kind("points", Points, "places dtype"),
    Kind("drawing", Drawing, "title=name count final shape layers first"),
]
SCHEMA = Schema(1, KINDS)


def points(*values: float, dtype: Any = np.float64) -> Points:
    return Points(np.array(values, dtype), np.dtype(np.float32))


def drawing(**changes: Any) -> Drawing:
    layer = points(1.5, np.inf, -0.0)
    whole = {"name": "ä \0 \n", "count": 2**80, "final": True, "shape": Square(0.1), "layers": (layer,), "first": layer}
    return Drawing(**{**whole, **changes})


def there_and_back(record, path, into=None, schema=SCHEMA):
    records.write(path, {"words": "some"}, record, schema)
    header, arrays = records.read(path)
    assert header["words"] == "some"
    return records.unpack(header["record"], arrays, schema, into or type(record))


def test_what_goes_in_comes_out(tmp_path):
    found = there_and_back(drawing(), tmp_path / "record.npz")
    wanted = drawing()
    assert (found.name, found.count, found.final, found.shape) == (wanted.name, 2**80, True, Square(0.1))
    assert found.first.dtype == np.float32
    assert found.first.places.tobytes() == wanted.first.places.tobytes()
    assert there_and_back(drawing(first=None, layers=()), tmp_path / "record.npz").layers == ()
    assert list(tmp_path.iterdir()) == [tmp_path / "record.npz"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "int64", "uint8", "uint64", "bool", ">f8"])
def test_arrays_come_out_as_they_went_in(tmp_path, dtype):
    shapes = [(), (0,), (5,), (0, 3), (2, 3), (2, 1, 3)]
    given = [np.random.default_rng(0).integers(0, 2, shape).astype(dtype) for shape in shapes]
    for array in (*given, *map(np.asfortranarray, given)):
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
        records.write(path, {}, drawing(first=value), SCHEMA)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_json_has_no_word_for_is_not_written(tmp_path, value):
    with pytest.raises(ValueError, match="JSON"):
        records.write(tmp_path / "record.npz", {}, Square(float(value)), SCHEMA)
    assert not list(tmp_path.iterdir())


SQUARE = {"tag": "square", "number": 1, "fields": {"side": 1.0}}
LAYER = {"tag": "points", "number": 2, "fields": {"places": {"array": "a"}, "dtype": {"dtype": "float32"}}}
WHOLE = {"title": "", "count": 1, "final": True, "shape": SQUARE, "layers": {"tuple": [LAYER]}, "first": None}


def points_with(**changes: Any) -> dict[str, Any]:
    return {**LAYER, "fields": {**LAYER["fields"], **changes}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": 1}, "title of 'drawing' is a int"),
        ({"count": 1.0}, "count of 'drawing' is a float"),
        ({"count": True}, "count of 'drawing' is a bool"),
        ({"final": 1}, "final of 'drawing' is a int"),
        ({"shape": LAYER}, "shape of 'drawing' is a Points"),
        ({"shape": {"array": "a"}}, "shape of 'drawing' is a ndarray"),
        ({"layers": [LAYER]}, "layers of 'drawing' is a list"),
        ({"layers": {"tuple": [LAYER, SQUARE]}}, "layers of 'drawing' is a tuple"),
        ({"layers": {"tuple": 5}}, "malformed"),
        ({"first": SQUARE}, "first of 'drawing' is a Square"),
        ({"first": {"tag": "Popen", "number": 9, "fields": {"args": "true"}}}, "a record 'Popen', which dncsc"),
        ({"first": {"tag": "points", "number": 9, "fields": {}}}, "'points' lacks field: dtype, places"),
        ({"first": {"tag": "points"}}, "malformed"),
        ({"first": {"tag": ["points"], "fields": {}}}, "malformed"),
        ({"first": {**LAYER, "fields": {**LAYER["fields"], "more": 1}}}, "'points' has an unknown field: more"),
        ({"first": points_with(places={"array": "b"})}, "malformed"),
        ({"first": points_with(dtype={"dtype": "O"})}, "malformed"),
        ({"first": points_with(places=[1, 2])}, "is a list"),
        ({"first": {"same": 99}}, "malformed"),
        ({"first": {"same": "1"}}, "malformed"),
        ({"title": {"same": 1}}, "malformed|title of 'drawing' is a Square"),
        ({"shape": {**SQUARE, "fields": {"side": 10**400}}}, "malformed"),
        ({"shape": {**SQUARE, "fields": {"side": "1"}}}, "side of 'square' is a str"),
        ({"count": None}, "count of 'drawing' is a NoneType"),
    ],
)
def test_what_does_not_fit_its_class_is_refused(change, words):
    arrays = {"a": np.zeros(3)}
    packed = {"tag": "drawing", "number": 0, "fields": WHOLE}
    assert records.unpack(packed, arrays, SCHEMA, Drawing).count == 1
    with pytest.raises(RecordError, match=words):
        records.unpack({**packed, "fields": {**WHOLE, **change}}, arrays, SCHEMA, Drawing)


def test_only_classes_that_were_named_are_made():
    with pytest.raises(RecordError, match="the record is a Square"):
        records.unpack(SQUARE, {}, SCHEMA, Drawing)
    with pytest.raises(RecordError, match="a record 'square', which dncsc"):
        records.unpack(SQUARE, {}, Schema(1, KINDS[1:2]), Square)
    for packed in (None, 5, "Square", [], {}, {"tuple": []}):
        with pytest.raises(RecordError):
            records.unpack(packed, {}, SCHEMA, Square)


def test_a_record_nested_without_end_is_refused():
    packed = SQUARE
    for _ in range(100_000):
        packed = {"tuple": [packed]}
    with pytest.raises(RecordError, match="malformed"):
        records.unpack(packed, {}, SCHEMA, Square)


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
    with pytest.raises(RecordError, match="its header has no record"):
        records.read(tmp_path / "record.npz")


# Files that last


@dataclass(frozen=True)
class Rectangle:
    """What became of `Square`: another name, another name of its field, and one field more."""

    height: float
    width: float | None

    @property
    def area(self) -> float:
        return self.height * (self.width or self.height)


LATER = Schema(2, [Kind("square", Rectangle, "side=height width", width=None), *KINDS[1:]])


def test_a_file_names_tags_and_fields_of_the_schema_only(tmp_path):
    records.write(tmp_path / "record.npz", {}, drawing(), SCHEMA)
    header, _ = records.read(tmp_path / "record.npz")
    assert (header["schema"], header["record"]["tag"]) == (1, "drawing")
    assert list(header["record"]["fields"]) == ["title", "count", "final", "shape", "layers", "first"]
    assert not re.search("Drawing|Square|Points|name", json.dumps(header))


def test_an_earlier_file_is_read_after_a_class_and_a_field_were_renamed_and_one_was_added(tmp_path):
    records.write(tmp_path / "record.npz", {}, drawing(), SCHEMA)
    header, arrays = records.read(tmp_path / "record.npz")
    LATER.check({"format": "x", **header}, "x")
    assert records.unpack(header["record"], arrays, LATER, Drawing).shape == Rectangle(0.1, None)
    assert there_and_back(Rectangle(1.0, 2.0), tmp_path / "record.npz", schema=LATER) == Rectangle(1.0, 2.0)


def test_an_earlier_file_is_read_after_a_field_was_dropped(tmp_path):
    records.write(tmp_path / "record.npz", {}, Rectangle(1.0, 2.0), LATER)
    header, arrays = records.read(tmp_path / "record.npz")
    without = Schema(3, [Kind("square", Square, "side -width")])
    assert records.unpack(header["record"], arrays, without, Square) == Square(1.0)
    assert there_and_back(Square(1.0), tmp_path / "record.npz", schema=without) == Square(1.0)


def test_a_later_file_is_refused(tmp_path):
    records.write(tmp_path / "record.npz", {"format": "x"}, Rectangle(1.0, 2.0), LATER)
    header, arrays = records.read(tmp_path / "record.npz")
    with pytest.raises(RecordError, match=f"it has schema 2, written by dncsc {__version__}; .* up to 1"):
        SCHEMA.check(header, "x")
    with pytest.raises(RecordError, match="'square' has an unknown field: width"):
        records.unpack(header["record"], arrays, SCHEMA, Square)


@pytest.mark.parametrize("fields", ["", "side area", "side=length", "other"])
def test_a_schema_that_does_not_name_the_fields_of_a_class_is_refused(fields):
    with pytest.raises(TypeError, match="'square' does not name the fields of Square: side"):
        Kind("square", Square, fields)


@pytest.mark.parametrize("more", [Kind("square", Points, "places dtype"), Kind("other", Square, "side")])
def test_a_schema_has_each_tag_and_class_once(more):
    with pytest.raises(TypeError, match="stands twice"):
        Schema(1, [KINDS[0], more])


def test_an_error_names_the_file_and_the_reason(tmp_path):
    (tmp_path / "record.npz").touch()
    with pytest.raises(RecordError) as caught:
        records.read(tmp_path / "record.npz")
    assert caught.value.path == tmp_path / "record.npz"
    assert str(caught.value) == f"{tmp_path / 'record.npz'} is damaged, or no file of dncsc: {caught.value.reason}"
