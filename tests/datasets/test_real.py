"""Real sets: the user's own files first, then those that are shipped, then OpenML."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from dncsc.datasets import blocks, load, real

REAL = {
    "usps": (9_298, 256, 10),
    "pendigits": (10_992, 16, 10),
    "letters": (20_000, 16, 26),
    "mnist": (70_000, 784, 10),
    "covertype": (581_012, 54, 7),
}
SHIPPED = {
    "pendigits": "295bb3b25f3fd6244fb7162965a9677d55b1cc794dbffeb70253614ac21a02dd",
    "letters": "617714596331be056d0904334d10bb9cec97faaa7d16dff3cc82dac0f991d5aa",
}
"""SHA-256 of the values, as float32 rows and int64 classes."""


def stored(name):
    """Skip the test where a set would have to be downloaded."""
    if real.find(name) is None:
        pytest.skip(f"there is no {name}.npz in the folder that DNCSC_DATA names")


@pytest.mark.parametrize("name", REAL)
def test_real_sets_have_the_shape_of_the_paper(name):
    stored(name)
    n, n_features, n_classes = REAL[name]
    X, y = load(name)
    assert X.shape == (n, n_features)
    assert y.shape == (n,)
    assert len(np.unique(y)) == n_classes
    assert X.dtype.kind in "uif"


def test_some_rows_of_a_real_set_are_drawn_by_seed():
    X, y = load("pendigits")
    some, classes = load("pendigits", n=500)
    rows = {row.tobytes() for row in np.column_stack([X, y]).astype(np.float64)}
    assert all(row.tobytes() in rows for row in np.column_stack([some, classes]).astype(np.float64))
    np.testing.assert_array_equal(load("pendigits", n=500)[0], some)
    assert not np.array_equal(load("pendigits", n=500, random_state=1)[0], some)
    np.testing.assert_array_equal(load("pendigits", n=len(X))[0], X)
    np.testing.assert_array_equal(np.concatenate([each for each, _ in blocks("pendigits", n=500)]), some)


def test_more_rows_than_a_real_set_has_are_refused():
    with pytest.raises(ValueError, match="'pendigits' has 10992 rows; 10993 were asked for"):
        load("pendigits", n=10_993)


def test_a_real_set_is_read_from_the_named_folder(tmp_path, monkeypatch):
    np.savez(tmp_path / "usps.npz", X=np.ones((3, 2), np.float32), y=np.arange(3))
    monkeypatch.setenv("DNCSC_DATA", str(tmp_path))
    X, y = load("usps")
    np.testing.assert_array_equal(X, np.ones((3, 2)))
    np.testing.assert_array_equal(y, [0, 1, 2])


@pytest.mark.parametrize("folder", ["empty", None])
def test_a_real_set_that_is_nowhere_is_an_error_that_says_where_it_could_be(folder, tmp_path, monkeypatch):
    def no_network(*arguments, **options):
        raise ConnectionError("no route to host")

    monkeypatch.setattr(real, "fetch_openml", no_network)
    if folder:
        monkeypatch.setenv("DNCSC_DATA", str(tmp_path))
    else:
        monkeypatch.delenv("DNCSC_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match=r"'usps'.*DNCSC_DATA.*no route to host"):
        load("usps")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_sets_need_no_folder_and_no_network(name, monkeypatch):
    monkeypatch.delenv("DNCSC_DATA", raising=False)
    monkeypatch.setattr(real, "fetch_openml", None)
    X, y = load(name)
    assert (X.dtype, y.dtype) == (np.float32, np.int64)
    assert hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest() == SHIPPED[name]


def test_the_users_file_goes_before_the_shipped_one(tmp_path, monkeypatch):
    np.savez(tmp_path / "letters.npz", X=np.ones((3, 2), np.float64), y=np.arange(3))
    monkeypatch.setenv("DNCSC_DATA", str(tmp_path))
    X, _ = load("letters")
    assert (X.shape, X.dtype) == ((3, 2), np.float64)


def test_shipped_sets_name_their_source_and_licence():
    words = (real.SHIPPED / "README.md").read_text()
    shipped = sorted(path.stem for path in real.SHIPPED.glob("*.npz"))
    assert shipped == sorted(SHIPPED)
    for name in shipped:
        assert f"`{name}.npz`" in words
    assert "https://creativecommons.org/licenses/by/4.0/" in words
