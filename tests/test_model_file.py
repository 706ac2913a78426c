"""Models that kernels cannot be trusted with are refused, and the table of records names every field."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

from dncsc import load_model
from model_files import fitted


def rewritten(model, **changes):
    """A fitted model with parts of its records replaced; "embedding.graph.links" names a part."""
    record = model._model
    for path, value in changes.items():
        record = with_part(record, path.split("__"), value)
    other = pickle.loads(pickle.dumps(model))
    other._model = record
    return other


def with_part(record, path, value):
    part = getattr(record, path[0])
    if len(path) > 1:
        value = with_part(part, path[1:], value)
    elif callable(value):
        value = value(part)
    return dataclasses.replace(record, **{path[0]: value})


SEARCH = "embedding__graph__links__search__"
TREE = "embedding__graph__links__tree__levels"


def with_number(value):
    def change(array):
        array = array.copy()
        array.flat[-1] = value
        return array

    return change


def first_level(**changes):
    def change(levels):
        given = {name: each(getattr(levels[0], name)) for name, each in changes.items()}
        return (dataclasses.replace(levels[0], **given), *levels[1:])

    return change


@pytest.mark.parametrize(
    ("part", "change", "words"),
    [
        (SEARCH + "candidates", with_number(30), "candidates are out of range"),
        (SEARCH + "candidates", with_number(2**31 - 1), "candidates are out of range"),
        (SEARCH + "candidates", with_number(-1), "candidates are out of range"),
        (SEARCH + "candidates", lambda c: c.astype(np.int64), "candidates of shape"),
        (SEARCH + "candidates", lambda c: c[:, :3].copy(), "more than candidates|reach of shape"),
        (SEARCH + "n_neighbors", 0, "no neighbours, or more than candidates"),
        (SEARCH + "n_neighbors", 31, "no neighbours, or more than candidates"),
        (SEARCH + "n_neighbors", 2**70, "no neighbours, or more than candidates"),
        (SEARCH + "reach", lambda r: r[:-1], "reach of shape"),
        (SEARCH + "horizon", lambda r: r[:-1], "horizon of shape"),
        (SEARCH + "horizon", with_number(np.nan), "horizon have NaN"),
        (SEARCH + "landmarks", lambda x: x[:-1], "of shape|out of range"),
        (SEARCH + "landmarks", lambda x: x[:0], "of shape|out of range"),
        (SEARCH + "landmarks", lambda x: x.ravel(), "landmarks of shape"),
        (SEARCH + "landmarks", lambda x: (x / 1e99).astype(np.float32), "landmarks of shape"),
        (TREE, (), "the tree leads to other landmarks"),
        (TREE, first_level(centres=lambda c: c[:-1]), "the tree is incomplete"),
        (TREE, first_level(first=lambda f: f[:-1]), "first centres of the tree of shape|incomplete"),
        (TREE, first_level(first=with_number(10**6)), "the tree is incomplete"),
        (TREE, first_level(first=lambda f: f - 1), "the tree is incomplete"),
        (TREE, first_level(first=lambda f: f.astype(np.int64)), "first centres of the tree of shape"),
        (TREE, first_level(centres=with_number(np.nan)), "centres of the tree have NaN"),
        (TREE, lambda levels: (*levels, levels[-1]), "incomplete|first centres"),
        ("embedding__graph__affinity__bandwidth", 0.0, "bandwidth is not positive"),
        ("embedding__graph__affinity__bandwidth", -1.0, "bandwidth is not positive"),
        ("embedding__graph__affinity__count", 0, "more neighbours than it has"),
        ("embedding__graph__affinity__count", 6, "more neighbours than it has"),
        ("embedding__lift__vectors", lambda v: v[:-1], "eigenvectors of shape"),
        ("embedding__lift__vectors", lambda v: v[:, :0], "no eigenvectors"),
        ("embedding__lift__vectors", lambda v: v[:, 0], "malformed|eigenvectors of shape"),
        ("embedding__lift__vectors", lambda v: v.astype(np.float16), "eigenvectors of shape"),
        ("embedding__lift__vectors", with_number(np.inf), "eigenvectors are too large"),
        ("embedding__lift__vectors", with_number(-1e300), "eigenvectors are too large"),
        (SEARCH + "reach", with_number(np.inf), "reach are too large"),
        (SEARCH + "landmarks", with_number(-np.inf), "landmarks are too large"),
        ("centroids", with_number(np.inf), "centroids are too large"),
        ("centroids", with_number(1e300), "centroids are too large"),
        ("centroids", lambda c: c[:0], "no centroids"),
        ("centroids", lambda c: c[:, :-1], "centroids of shape"),
        ("centroids", lambda c: c.astype(np.int32), "centroids of shape"),
        ("frame__shift", lambda s: s[:1], "shift of shape"),
        ("frame__shift", with_number(np.inf), "shift is not finite"),
        ("frame__scale", -1.0, "scale is out of range"),
        ("frame__scale", 1e305, "scale is out of range"),
        ("frame__dtype", np.dtype(np.float32), "of shape|out of range"),
    ],
)
def test_a_model_that_kernels_cannot_be_trusted_with_is_refused(tmp_path, part, change, words):
    rewritten(fitted("dnc-sc"), **{part: change}).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=words) as caught:
        load_model(tmp_path / "model.npz")
    assert "model.npz cannot be used" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "part", "change", "words"),
    [
        ("nystrom", "embedding__kernel__landmarks", lambda x: x[:-1], "of shape"),
        ("nystrom", "embedding__kernel__bandwidth", 0.0, "bandwidth is out of range"),
        ("nystrom", "embedding__lines", lambda x: x[:-1], "eigenvectors of shape"),
        ("nystrom", "embedding__lines", lambda x: x[:, :0], "of shape|no eigenvectors"),
        ("nystrom", "embedding__lines", with_number(-np.inf), "eigenvectors are too large"),
        ("nystrom", "embedding__root", with_number(0), "root degrees are not positive"),
        ("k-means", "centroids", with_number(np.inf), "centroids are too large"),
        ("k-means", "embedding__n_dimensions", 3, "its rows have another shape"),
        ("lsec", "embedding__graph__shared", (), "its graph has no base clusterings"),
        ("lsec", "embedding__graph__shared", lambda g: g[::-1], "landmark graphs are not in order"),
        (
            "lsec",
            "embedding__graph__shared",
            lambda g: (dataclasses.replace(g[0], clusterings=()), g[1]),
            "not in order",
        ),
        ("lsec", "embedding__graph__shared", lambda g: g[:1], "eigenvectors of shape"),
        (
            "lsec",
            "embedding__graph__shared",
            lambda g: (dataclasses.replace(g[0], clusterings=(g[0].clusterings[0], g[1].clusterings[0])), g[1]),
            "base clusterings of one landmark graph have different landmarks",
        ),
        (
            "lsec",
            "embedding__graph__shared",
            lambda g: (
                dataclasses.replace(
                    g[0], clusterings=(dataclasses.replace(g[0].clusterings[0], centroids=np.zeros((300, 20))),)
                ),
                g[1],
            ),
            "a base clustering",
        ),
    ],
)
def test_other_models_that_cannot_be_trusted_are_refused(tmp_path, name, part, change, words):
    rewritten(fitted(name), **{part: change}).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=words):
        load_model(tmp_path / "model.npz")


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("cluster_sizes_", np.zeros(2, np.int64)),
        ("cluster_sizes_", np.zeros((3, 3), np.int64)),
        ("cluster_sizes_", np.zeros(3)),
        ("eigenvalues_", np.zeros((2, 2))),
        ("eigenvalues_", np.zeros(2, np.int64)),
    ],
)
def test_sums_of_the_wrong_shape_are_refused(tmp_path, attribute, value):
    other = rewritten(fitted("dnc-sc"))
    setattr(other, attribute, value)
    other.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=r"cluster sizes of shape|eigenvalues of shape"):
        load_model(tmp_path / "model.npz")
