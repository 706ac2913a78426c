"""The demo as people run it, on fewer rows than by default."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import event
from PIL import Image
from sklearn.cluster import KMeans

from dncsc import DnCSC, datasets, demo
from dncsc.cli import main

N_ROWS = 5_000


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """What the demo printed and said, and the folder it ran in."""
    folder = tmp_path_factory.mktemp("a folder")
    (folder / "demo.png").write_text("the last one")
    command = [sys.executable, "-W", "error", "-m", "dncsc", "demo", "--force", "--rows", str(N_ROWS)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr, folder


@pytest.mark.long
def test_a_table_compares_both_methods_on_both_sets(finished):
    header, rule, *lines = finished[0].splitlines()
    assert header.split() == ["set", "rows", "x", "features", "k", "method", "ACC", "NMI", "seconds"]
    assert len({len(line) for line in (header, rule, *lines)}) == 1
    cells = [line.replace(" x ", "x").split() for line in lines]
    assert [line[:4] for line in cells] == [
        ["flower", "5,000x2", "13", "DnC-SC"],
        ["flower", "5,000x2", "13", "KMeans"],
        ["digits", "1,797x64", "10", "DnC-SC"],
        ["digits", "1,797x64", "10", "KMeans"],
    ]
    acc, nmi, seconds = np.array([line[4:] for line in cells], float).T
    assert acc[0] > acc[1]
    assert nmi[0] > nmi[1]
    assert nmi[2] > nmi[3]
    assert ((acc > 0) & (acc <= 100) & (nmi > 0) & (nmi <= 100) & (seconds >= 0)).all()


def test_a_picture_is_left_in_the_current_folder(finished):
    _, said, folder = finished
    assert said.endswith("Picture of the flower: demo.png\n")
    assert [path.name for path in folder.iterdir()] == ["demo.png"]
    with Image.open(folder / "demo.png") as drawn:
        assert drawn.size == (1400, 900)
        assert len(drawn.convert("RGB").getcolors(1400 * 900)) > 100


def test_kernels_are_made_ready_before_anything_is_timed(finished):
    first, last = finished[1].splitlines()  # and not a word more: warnings would be errors
    assert last.startswith("Picture")
    assert first.startswith("Getting the kernels ready; the first run compiles them")
    assert first.endswith(" s.")


COMPILES_AFTER_WARMING_UP = """
from numba.core.event import install_recorder
from dncsc import DnCSC, datasets, demo

data = demo.LabelledData("flower", 13, *datasets.load("fl-20m", n=300_000))
demo.warm_up([data])
with install_recorder("numba:compile") as recorder:
    DnCSC(13, random_state=0).fit(data.X)
raise SystemExit(len(recorder.buffer))
"""


@pytest.mark.long
def test_nothing_is_compiled_while_many_rows_are_timed_for_the_first_time(tmp_path):
    empty = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COMPILES_AFTER_WARMING_UP], env=empty, capture_output=True, text=True)
    assert "compiled in" in done.stderr
    assert done.returncode == 0


class Compiling:
    def __init__(self, *args, **options) -> None:
        pass

    def fit(self, X: np.ndarray) -> None:
        with event.trigger_event("numba:compile"):
            pass


@pytest.mark.parametrize("compiles", [True, False])
def test_compiling_is_told_from_loading(compiles, monkeypatch, capsys):
    data = demo.LabelledData("rows", 2, np.arange(40.0).reshape(20, 2), np.zeros(20))
    if compiles:
        monkeypatch.setitem(demo.METHODS, "DnC-SC", Compiling)
    else:
        demo.warm_up([data])
        capsys.readouterr()
    demo.warm_up([data])
    assert ("... compiled in" in capsys.readouterr().err) is compiles


def test_without_matplotlib_there_is_a_table_but_no_picture(monkeypatch, capsys, tmp_path):
    for name in ["matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))]:
        monkeypatch.setitem(sys.modules, name, None)
    demo.run(1000, tmp_path / "demo.png")
    printed = capsys.readouterr()
    assert "digits" in printed.out
    assert 'No picture: drawing needs matplotlib: pip install "dncsc[plot]"' in printed.err
    assert not list(tmp_path.iterdir())


def test_clusters_of_both_methods_that_share_rows_share_a_colour():
    class Model:
        n_clusters = "auto"

        def __init__(self, labels) -> None:
            self.labels_ = np.array(labels)

    ours, theirs = Model([0, 0, 1, 1, 2, 2]), Model([2, 2, 0, 0, 1, 0])
    np.testing.assert_array_equal(demo._numbered_alike(theirs, ours).labels_, [0, 0, 1, 1, 2, 1])
    np.testing.assert_array_equal(theirs.labels_, [2, 2, 0, 0, 1, 0])


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--rows", "10"], 2, "'--rows'"),
        (["--rows", "many"], 2, "'--rows'"),
        (["--output", "flower.docx"], 2, "-o: the file has to end in one of .png, .svg, .pdf"),
        (["--output", "nowhere/flower.png"], 3, "there is no folder"),
    ],
)
def test_bad_options_are_refused_before_any_work(options, code, message, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "run", None)
    assert main(["demo", *options]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", ["flower.svg", "a flower in ünicode.PNG"])
def test_the_picture_goes_where_it_is_asked_for(name, monkeypatch, tmp_path):
    X, y = datasets.load("fl-20m", n=300)
    data = demo.LabelledData("flower", 13, X, y)
    results = [demo.fit(data, "DnC-SC", DnCSC(13, n_landmarks=50)), demo.fit(data, "KMeans", KMeans(13, n_init=1))]
    monkeypatch.setattr(demo, "run", lambda rows, output, overwrite: demo.draw(*results, output, overwrite))
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--output", name]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
