"""Whatever is in a model, in a file of rows, in a table in memory or on a command line: a result, or a refusal.

A few of each with every test; thousands with those that are marked `long`.
"""

from __future__ import annotations

import io
import json
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dncsc import DnCSC
from dncsc.tables.encoding import Encoding, NumberColumn
from dncsc.tables.notes import as_note
from model_files import ONE_OF_EACH_KIND, repacked, saved, table
from row_files import WRITERS, written
from sound import assert_sound
from trust.effort import times
from trust.mutations import ARRAYS, VALUES, damaged, places, with_value, without_value
from trust.oracle import Oracle

pytestmark = pytest.mark.filterwarnings("default")


def amounts(few: int, many: int) -> Any:
    """How many are tried: few always, many with the long tests."""
    return pytest.mark.parametrize("trials", [few, pytest.param(len(times(many)), marks=pytest.mark.long)])


@pytest.fixture
def oracle(tmp_path, monkeypatch, capfd) -> Oracle:
    monkeypatch.chdir(tmp_path)
    return Oracle(tmp_path, capfd)


# Models


def header_of(content: bytes) -> Any:
    with np.load(io.BytesIO(content)) as parts:
        return json.loads(parts["header"].tobytes())


def with_notes(**notes: Any) -> bytes:
    """A model that remembers what columns become."""
    return repacked(saved(), lambda header: header["notes"].update(data="rows.csv", **notes))


COLUMNS_OF_TABLE = (NumberColumn("a", "number", 0.5, 1.0, 2.0), NumberColumn("b"))
MODELS = {
    **{name: lambda name=name: saved(name) for name in ONE_OF_EACH_KIND},
    "scaled": lambda: with_notes(scale={"how": "standard", "centre": [0.0, 1.0], "scale": [1.0, 2.0]}),
    "encoded": lambda: with_notes(encoding=as_note(Encoding(COLUMNS_OF_TABLE, "median", "standard"))),
}
"""One of each kind, and with notes about columns."""


def model_cases() -> list[tuple[str, str, Any]]:
    """Every part of the header of each kind of model with every value, and every array with every change."""
    cases: list[tuple[str, str, Any]] = []
    for name, made in MODELS.items():
        content = made()
        for path in places(header_of(content)):
            cases += [(name, "header", (path, value)) for value in VALUES]
            cases.append((name, "without", path))
        with np.load(io.BytesIO(content)) as parts:
            cases += [(name, "array", (part, change)) for part in parts if part != "header" for change in ARRAYS]
    return cases


def model_of(name: str, kind: str, case: Any) -> bytes:
    content = MODELS[name]()
    if kind == "array":
        part, change = case
        return repacked(content, arrays=lambda arrays: arrays.update({part: ARRAYS[change](arrays[part])}))
    header = with_value(header_of(content), *case) if kind == "header" else without_value(header_of(content), case)
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    return repacked(content, arrays=lambda arrays: arrays.update(header=text))


def ask_about_model(oracle: Oracle, content: bytes, predicts: bool) -> None:
    """What is told of a model, and what it predicts, if anything."""
    Path("m.npz").write_bytes(content)
    oracle.ask(["info", "m.npz"], ["m.npz"])
    if predicts and not oracle.ask(["predict", "m.npz", "rows.npy", "-o", "l.npy", "-q"], may_write=["l.npy"]).code:
        labels = np.load("l.npy")
        assert labels.shape == (len(table()),)
        assert labels.min() >= 0
        assert labels.max() < 4
        Path("l.npy").unlink()


@amounts(40, 4_000)
def test_a_model_with_any_part_changed_is_refused_or_works(oracle, trials):
    np.save("rows.npy", table())
    cases, random = model_cases(), np.random.default_rng(0)
    for number in random.choice(len(cases), min(trials, len(cases)), replace=False):
        name, kind, case = cases[number]
        try:
            ask_about_model(oracle, model_of(name, kind, case), predicts=name != "sc")
        except AssertionError as error:
            raise AssertionError(f"{name}, {kind}, {case}\n{error}") from error
    oracle.tell(f"models with a part changed, of {len(cases):,} possible ones")


@amounts(30, 2_000)
def test_a_model_with_damaged_bytes_is_refused_or_works(oracle, trials):
    np.save("rows.npy", table())
    random = np.random.default_rng(1)
    for trial in range(trials):
        content = saved(ONE_OF_EACH_KIND[trial % len(ONE_OF_EACH_KIND)])
        ask_about_model(oracle, damaged(content, random), predicts=trial % 4 == 0)
    oracle.tell("models with damaged bytes")


# Files of rows


@pytest.mark.parametrize("name", WRITERS)
@amounts(2, 300)
def test_a_damaged_file_of_rows_is_refused_by_name_or_read(oracle, trials, name):
    random = np.random.default_rng(len(name))
    content = written(oracle.folder, name, n=40).read_bytes()
    fit = ["fit", name, "-k", "2", "--method", "k-means", "-o", "l.npy", "-q"]
    for _ in range(trials):
        Path(name).write_bytes(damaged(content, random))
        for command in (["info", name], fit) if not name.endswith(".npz") else (fit,):
            oracle.ask(command, [name, "the rows contain values", "-k 2", "row "], ["l.npy"])
            Path("l.npy").unlink(missing_ok=True)
    oracle.tell(f"damaged files like {name}")


# Tables in memory


NUMBERS = [0.0, 1.0, -1.0, 5e-324, 1e-300, 1e-30, 1e30, 1e300, -1.7e308, 3.4e38, 2.0**63, np.nan, np.inf]


@st.composite
def tables(draw: Any) -> Any:
    """Rows of any type, order and shape, with extreme numbers among them."""
    n, d = draw(st.integers(0, 40)), draw(st.integers(0, 4))
    X = np.random.default_rng(draw(st.integers(0, 99))).normal(size=(n, d)) * draw(st.sampled_from([1.0, 1e-5, 1e9]))
    for _ in range(draw(st.integers(0, 3)) if X.size else 0):
        X.flat[draw(st.integers(0, X.size - 1))] = draw(st.sampled_from(NUMBERS))
    dtype = draw(st.sampled_from(["float64", "float32", "float16", "int8", "uint64", "bool", ">f4", "O", "U8", "c16"]))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = np.asarray(X.astype(dtype), order=draw(st.sampled_from("CF")))
    form = draw(st.sampled_from(["array", "array", "array", "list", "flat", "deep", "backwards"]))
    return {"list": X.tolist(), "flat": X.ravel(), "deep": X[None], "backwards": X[::-1, ::-1]}.get(form, X)


ANYTHING = st.sampled_from([None, True, 0, -1, 2**70, 0.5, np.nan, np.inf, "", "x", [], {}, np.int8(3)])
PARAMETERS = {
    "n_clusters": st.one_of(st.integers(1, 5), st.just("auto"), ANYTHING),
    "n_landmarks": st.one_of(st.integers(1, 40), st.just("auto"), ANYTHING),
    "n_neighbors": st.one_of(st.integers(1, 9), ANYTHING),
    "bandwidth": st.one_of(st.sampled_from(["auto", "mean", "local", "adaptive", 1e-300, 1e300]), ANYTHING),
    "metric": st.one_of(st.sampled_from(["euclidean", "cosine"]), ANYTHING),
    "select": st.one_of(st.sampled_from(["auto", "rows", "kmeans"]), ANYTHING),
    "n_init": st.one_of(st.integers(1, 3), ANYTHING),
    "max_memory": st.one_of(st.sampled_from(["1GB", "1kB", 10**9]), ANYTHING),
    "n_jobs": st.one_of(st.sampled_from([1, 2, -1]), ANYTHING),
}
WEIGHTS = st.one_of(
    st.none(),
    st.lists(st.sampled_from([0.0, 1.0, 5e-324, 1e300, -1.0, np.nan, np.inf]), max_size=40),
    st.just("as long as the rows"),
)


def outcome_of_fit(data: Any) -> str:
    """A fit of anything to anything: that it is sound, or what it says."""
    X = data.draw(tables(), "rows")
    names = data.draw(st.sets(st.sampled_from(sorted(PARAMETERS)), max_size=3), "parameters")
    given = {"n_clusters": 2, "n_landmarks": 10, "random_state": 0}
    given |= {name: data.draw(PARAMETERS[name], name) for name in sorted(names)}
    weight = data.draw(WEIGHTS, "weights")
    weight = np.linspace(0, 1, len(X)) if isinstance(weight, str) else weight
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = DnCSC(**given).fit(X, sample_weight=weight)
        except (ValueError, TypeError, MemoryError) as error:
            return str(error)
        assert_sound(model, np.asarray(X), model.n_clusters_)
        return "sound"


ODD = {"deadline": None, "derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}


@amounts(40, 3_000)
def test_a_fit_to_anything_is_sound_or_refused(trials):
    counts: Counter[str] = Counter()

    @settings(max_examples=trials, **ODD)
    @given(data=st.data())
    def fit(data: Any) -> None:
        said = outcome_of_fit(data)
        assert said == "sound" or len(said.split()) > 2, said
        counts["sound" if said == "sound" else "refused"] += 1

    fit()
    print(f"fits: {dict(counts)}")


# Command lines


FILES = ["rows.npy", "rows.csv", "text.csv", "m.npz", "nowhere.csv", "folder", "", "-", "*.csv", "rows.npy/x", "\0"]
NUMBER = ["1", "2", "3", "0", "-1", "auto", "x", "", "1e9", "99999999999999999999", "2,3", "٣"]
COLUMNS = ["a", "0", "a,b", "", ",", '"', "a,a", "nope", "\x1b"]
WORDS = {
    **dict.fromkeys(("-k", "--landmarks", "--neighbors", "--seed", "--layers", "--rows", "--features"), NUMBER),
    **dict.fromkeys(("--columns", "--drop", "--id", "--truth"), COLUMNS),
    "--jobs": ["1", "2", "0", "-1", "x"],
    "--max-memory": ["1GB", "1kB", "0", "x", "1e400GB", "99999999999TB"],
    "--scale": ["none", "standard", "robust", "x"],
    "--missing": ["refuse", "drop", "median", "mean", "x"],
    "--categorical": ["refuse", "one-hot", "drop", "x"],
    "--thousands": [",", ".", "xx", ""],
    "--decimal": [",", ".", "xx", ""],
    "--metric": ["euclidean", "cosine", "x"],
    "--method": ["dnc-sc", "k-means", "nystrom", "x", "dnc-sc/nearest=exact", "dnc-sc/x=y"],
    "--methods": ["dnc-sc,k-means", "x", "", ","],
    "-o": ["l.csv", "l.npy", "l.npz", "l.parquet", "nowhere/l.csv", "rows.npy", "l.xlsx", "", "-", "folder", "\0"],
    "--model": ["n.npz", "m.npz", "n.txt", ""],
    "--resume": ["rows.npy", "", "\0"],
    **{name: [] for name in ("--force", "--json", "-q", "--escape-formulas", "--nope", "--", "--help")},
}
COMMANDS = {
    "fit": ["data", "-k", "-o"],
    "predict": ["m.npz", "data", "-o"],
    "info": ["data"],
    "estimate": ["data"],
    "compare": ["data", "-k"],
    "methods": [],
    "datasets": [],
    "nope": [],
}
MADE = ["l.csv", "l.npy", "l.npz", "l.parquet", "n.npz"]


def mostly(good: list[str]) -> Any:
    """A word: mostly one of the first two, which make sense."""
    return st.sampled_from([*(4 * good[:2]), *good])


@st.composite
def command_lines(draw: Any) -> list[str]:
    command = draw(st.sampled_from(sorted(COMMANDS)))
    line = [command]
    for part in COMMANDS[command]:
        if part == "data":
            line.append(draw(mostly(FILES)))
        else:
            line += [part, draw(mostly(WORDS[part]))] if part in WORDS else [part]
    for name in draw(st.lists(st.sampled_from(sorted(WORDS)), max_size=2)):
        line += [name, *([draw(mostly(WORDS[name]))] if WORDS[name] else [])]
    return line


@amounts(40, 2_000)
def test_any_command_line_is_carried_out_or_refused(oracle, trials):
    X = table()[:60]
    np.save("rows.npy", X)
    Path("rows.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in X.tolist()))
    Path("text.csv").write_text("a,b,c\n1,x,\n2,y,3\n" * 5)
    Path("m.npz").write_bytes(saved())
    Path("folder").mkdir()

    @settings(max_examples=trials, **ODD)
    @given(line=command_lines())
    def ask(line: list[str]) -> None:
        made = [*MADE, "m.npz", "rows.npy"] if "--force" in line else MADE
        oracle.ask(line, may_write=made)
        for name in MADE:
            Path(name).unlink(missing_ok=True)

    ask()
    oracle.tell("command lines")
