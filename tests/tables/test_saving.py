"""An encoder is saved with a model, for Python and for the command line."""

import numpy as np
import pandas as pd
import pytest

from dncsc import DnCSC, TableEncoder, load_model
from dncsc.cli import main


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    group = random.integers(3, size=300)
    spent = 10.0 * group + random.standard_normal(300)
    spent[:9] = np.nan
    city = random.choice(["Oslo", "Rome"], 300)
    return pd.DataFrame({"spent": spent, "visits": 5.0 * group + random.random(300), "city": city})


def test_new_rows_are_encoded_as_those_of_the_fit_in_python_and_on_the_command_line(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    encoder = TableEncoder().set_output(transform="pandas")
    model = DnCSC(3, random_state=0).fit(encoder.fit_transform(frame))
    model.save("m.npz", notes=encoder.notes())
    again = load_model("m.npz")
    features = TableEncoder.from_model(again).set_output(transform="pandas").transform(frame)
    assert (again.predict(features) == model.labels_).all()
    frame.to_csv("new.csv", index=False)
    assert main(["predict", "m.npz", "new.csv", "-o", "labels.csv"]) == 0
    assert (pd.read_csv("labels.csv")["label"] == model.labels_).all()


def test_a_model_that_was_saved_without_an_encoder_says_so(frame, tmp_path):
    DnCSC(3, random_state=0).fit(frame[["visits"]]).save(tmp_path / "m.npz")
    with pytest.raises(ValueError, match="says nothing about a table"):
        TableEncoder.from_model(load_model(tmp_path / "m.npz"))
