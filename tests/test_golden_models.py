"""Models that earlier versions wrote give the labels that they gave; see tests/golden/write_models.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dncsc import load_model, records
from dncsc.model_file import KINDS
from golden.write_models import ESTIMATORS, EXPECTED, MODELS, write_models

FILES = sorted(path for path in MODELS.glob("*/*.npz") if path.name != EXPECTED)
IDS = [f"{path.parent.name}/{path.stem}" for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_a_model_of_an_earlier_version_gives_the_labels_that_it_gave(path: Path):
    model = load_model(path)
    with np.load(path.with_name(EXPECTED)) as expected:
        if path.stem == "sc":  # which labels no other rows
            assert model.cluster_sizes_.sum() == 450
            assert not hasattr(model, "predict")
        else:
            np.testing.assert_array_equal(model.predict(expected["rows"]), expected[path.stem])


@pytest.mark.parametrize("path", [path for path in FILES if path.parent.name == f"schema-{KINDS.version}"])
def test_files_change_with_the_schema_only(path: Path, tmp_path):
    load_model(path).save(tmp_path / "again.npz", notes={"written by": "tests/golden/write_models.py"})
    (then, old), (now, new) = records.read(path), records.read(tmp_path / "again.npz")
    assert now == {**then, "dncsc": now["dncsc"]}
    assert {name: (array.dtype, array.shape) for name, array in new.items()} == {
        name: (array.dtype, array.shape) for name, array in old.items()
    }


def test_every_schema_and_every_method_has_its_files():
    assert {path.name for path in MODELS.iterdir()} == {f"schema-{n}" for n in range(1, KINDS.version + 1)}
    assert {path.stem for path in FILES if path.parent.name == f"schema-{KINDS.version}"} == set(ESTIMATORS)


def test_files_are_never_replaced():
    before = {path: path.read_bytes() for path in FILES}
    with pytest.raises(FileExistsError):
        write_models(MODELS / f"schema-{KINDS.version}")
    assert {path: path.read_bytes() for path in FILES} == before
