"""What suites ask for, and the file in which their results are kept."""

from __future__ import annotations

import io
import json
from dataclasses import asdict

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

import typer
from rich.console import Console
from typer.testing import CliRunner

from dncsc.bench.live import LiveProgress
from dncsc.bench.process import Limits
from dncsc.bench.results import Cell, Plan, Results
from dncsc.bench.sets import TOPICS, load
from dncsc.bench.suites import SUITES, plan
from dncsc.cli.bench import app
from dncsc.datasets import names

CELL = Cell("paper", "usps", None, "dnc-sc", {}, "threads", 1, 0, 0)
PLAN = Plan("paper", (("usps", None),), ("dnc-sc",))


def test_the_paper_suite_is_the_papers_tables():
    cells = list(plan(SUITES["paper"], repeats=20).cells())
    assert len(cells) == 10 * 9 * 20
    assert [cell.set for cell in cells[:90:9]] == names()[:10]
    assert {cell.rows for cell in cells} == {None}


def test_methods_alternate_within_a_set_and_sets_within_a_repeat():
    cells = list(plan(SUITES["price"], repeats=2, seed=7).cells())
    assert [cell.method for cell in cells[:4]] == ["dnc-sc", "sklearn-kmeans"] * 2
    assert [cell.repeat for cell in cells] == [0] * 20 + [1] * 20
    assert {cell.seed for cell in cells} == {7, 8}


@pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
def test_every_suite_asks_for_different_cells_that_exist_and_is_small_when_quick(suite):
    whole, quick = (list(plan(suite, quick=quick).cells()) for quick in (False, True))
    assert len({cell.key for cell in whole}) == len(whole)
    assert 0 < len(quick) <= 60
    assert all(cell.rows is None or cell.rows <= 200_000 for cell in quick)


def test_rows_make_synthetic_sets_smaller_and_leave_real_ones_alone():
    sizes = dict(plan(SUITES["paper"], rows=2_000_000).sets)
    assert sizes["mnist"] is None
    assert sizes["tm-1m"] is None
    assert sizes["fl-20m"] == 2_000_000
    assert dict(plan(SUITES["scaling"], rows=20_000).sets) == {"fl-20m": 20_000}
    assert [rows for _, rows in plan(SUITES["scaling"]).sets][-2:] == [10_000_000, None]


def test_embeddings_vary_the_number_of_clusters_and_of_features_and_any_other_can_be_asked_for():
    shapes = {name: TOPICS[name] for name, _ in plan(SUITES["embeddings"]).sets}
    assert [k for d, k in shapes.values() if d == 256] == [10, 100, 1000, 3000]
    assert sorted(d for d, k in shapes.values() if k == 100) == [64, 256, 768]
    assert {rows for _, rows in plan(SUITES["embeddings"]).sets} == {100_000, 1_000_000}
    assert plan(SUITES["embeddings"], sets=["3000-topics-768d"], rows=50_000).sets == (("3000-topics-768d", 50_000),)
    assert plan(SUITES["price"], sets=["10-topics-64d", "moons"]).sets == (("10-topics-64d", 100_000), ("moons", 1000))


@pytest.mark.parametrize(("name", "rows", "shape"), [("10-topics-64d", 200, (200, 64)), ("moons", None, (1000, 2))])
def test_sets_have_the_rows_that_are_asked_for(name, rows, shape):
    X, y = load(name, rows)
    assert X.shape == shape
    assert y.shape == shape[:1]


def test_a_plan_survives_its_line_in_a_file():
    asked = plan(SUITES["alpha"], rows=1000)
    assert Plan.from_json(json.loads(json.dumps(asdict(asked)))) == asked


def test_cells_are_told_apart_by_everything_that_changes_their_result():
    other = {
        "suite": "price",
        "set": "mnist",
        "rows": 10,
        "method": "sc",
        "params": {"n_neighbors": 3},
        "engine": "dask",
        "threads": 2,
        "seed": 1,
    }
    keys = {Cell(**{**CELL.__dict__, **{name: value}}).key for name, value in other.items()}
    assert len({CELL.key, *keys}) == 1 + len(other)
    assert len({Cell(**{**CELL.__dict__, name: value}).kind for name, value in other.items()} | {CELL.kind}) == len(
        other
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["paper", "--sets", "minst"], "Did you mean 'mnist'?"),
        (["embeddings", "--sets", "10-topics-32d"], "Did you mean '10-topics-"),
        (["paper", "--methods", "dncsc"], "Did you mean 'dnc-sc'"),
        (
            ["paper", "--methods", "nomod:foo"],
            "'nomod:foo' cannot be had: ModuleNotFoundError: No module named 'nomod'",
        ),
        (["paper", "--methods", "dnc-sc,json:foo"], "module 'json' has no attribute 'foo'"),
        (["paper", "--methods", "json:__name__"], "it is not callable"),
        (["paper", "--seed", "-1"], "'--seed'"),
        (["paper", "--limit", "soon"], "600s, 10m or 1h"),
        (["paper", "--memory", "much"], "800MB or 8GB"),
        (["paper", "--repeats", "0"], "repeats must be at least 1; got 0"),
        (["paperr"], "paper"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(arguments, said, tmp_path):
    outer = typer.Typer()
    outer.add_typer(app, name="bench")
    path = tmp_path / "results.jsonl"
    done = CliRunner().invoke(outer, ["bench", *arguments, "-o", str(path)], env={"COLUMNS": "400"})
    assert done.exit_code == 2
    assert said in done.output
    assert not path.exists()


def test_a_method_may_lie_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "of_my_own.py").write_text("def cluster(k): pass")
    monkeypatch.chdir(tmp_path)
    assert plan(SUITES["paper"], methods=["of_my_own:cluster"]).methods == ("of_my_own:cluster",)


def test_help_lists_all_suites():
    done = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"})
    assert done.exit_code == 0
    assert all(f" {name} " in done.output for name in [*SUITES, "report"])


def test_times_and_sizes_in_words():
    assert Limits.parse("90", "2 GiB") == Limits.parse("1.5m", "2147483648") == Limits(90, 2**31)
    for time in ("", "0", "-1s", "1 day"):
        with pytest.raises(ValueError, match="10m"):
            Limits.parse(time, "8GB")
    with pytest.raises(ValueError, match="800MB"):
        Limits.parse("1h", "8 GiB!")


def written(path):
    with Results.open(path) as results:
        results.add_plan(PLAN)
        results.add_plan(PLAN)
        results.add_run(CELL, {"status": "ok", "n": 1})
    return path.read_bytes()


def test_results_are_read_while_the_last_line_is_being_written(tmp_path):
    path = tmp_path / "results.jsonl"
    whole = written(path)
    for cut in range(len(whole) - 1, whole.index(b"\n"), -1):
        path.write_bytes(whole[:cut])
        results = Results.read(path)
        assert results.plans == [PLAN]
        assert len(results.runs) == (cut == len(whole) - 1)  # all but the end of the line is a whole record
        assert path.read_bytes() == whole[:cut]


@pytest.mark.parametrize("missing", [1, 2, 30])
def test_a_half_written_line_is_mended_when_the_suite_goes_on(tmp_path, missing):
    path = tmp_path / "results.jsonl"
    whole = written(path)
    path.write_bytes(whole[:-missing])
    assert written(path).startswith(whole[: whole.index(b"\n")])
    assert path.read_bytes().count(b"\n") == (3 if missing == 1 else 2)
    assert Results.read(path).runs[CELL.key]["n"] == 1


@pytest.mark.parametrize("content", [b"my thesis", b"a\nb\n", b'{"some": "json"}\n'])
def test_a_file_of_something_else_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    done = CliRunner().invoke(app, ["paper", "-o", str(path), "--quick"])
    assert done.exit_code == 2
    assert path.read_bytes() == content


def test_two_suites_cannot_write_to_one_file_at_once(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "results.jsonl"
    with Results.open(path), pytest.raises(ValueError, match="another suite is writing"), Results.open(path):
        pass


def test_on_a_terminal_a_table_shows_how_far_it_is():
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120)
    both = Plan("paper", (("usps", None),), ("dnc-sc", "sc"), repeats=1)
    with LiveProgress(both, console) as progress:
        first, second = both.cells()
        progress.begin(first, "fitting")
        scores = {"acc": 1.0, "nmi": 1.0, "seconds": 0.5, "peak_bytes": 2**20}
        progress.finish(first, {"status": "ok", **scores}, True)
        progress.finish(second, {"status": "timeout", "reason": "more than 1 s"}, True)
    for word in ("usps", "1 ok", "1 timeout", "2 of 2 cells"):
        assert word in screen.getvalue()
