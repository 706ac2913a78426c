"""The report says what is in the results file, next to the paper's numbers, and always the same."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("typer")

from matplotlib.image import imread
from typer.testing import CliRunner

from dncsc.bench.report import write_report
from dncsc.bench.results import Results
from dncsc.bench.suites import NINE, SUITES, TEN
from dncsc.bench.summary import Spread, collect, published, spread
from dncsc.bench.tables import compared, ranks, sign
from dncsc.cli import main
from dncsc.cli.bench import app

DATA = Path(__file__).parent / "data"
RESULTS = DATA / "results.jsonl"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "new"
    done = CliRunner().invoke(app, ["report", str(RESULTS), "-o", str(folder)])
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "index.html" in done.stderr
    return folder


def test_the_report_of_known_results_is_the_known_report(report):
    assert (report / "report.md").read_text("utf-8") == (DATA / "report.md").read_text("utf-8")


def test_every_suite_has_a_section_and_figures_on_both_backgrounds(report):
    page = (report / "index.html").read_text("utf-8")
    for name in [*SUITES, "troubles", "machine"]:
        assert f'<h2 id="{name}">' in page
    figures = sorted((report / "figures").iterdir())
    assert all(any(path.name.startswith(f"{name}-") for path in figures) for name in SUITES)
    for path in figures:
        image = imread(path)
        assert image.shape[0] > 100
        assert image.shape[1] > 300
        assert image[..., :3].std() > 0.02, f"{path.name} is empty"
        background = image[0, 0, :3].mean()
        assert background > 0.95 if path.stem.endswith("light") else background < 0.2


def test_on_a_phone_figures_are_scrolled_rather_than_shrunk(report):
    page = (report / "index.html").read_text("utf-8")
    assert page.count("<figure>") == page.count('<figure><div class="scroll"><picture>') > 0
    assert "img { max-width: max(100%, 60rem);" in page


def test_the_page_needs_nothing_but_its_images(report):
    page = (report / "index.html").read_text("utf-8")
    named = re.findall(r'(?:src|srcset|href)="([^#"][^"]*)"', page)
    assert named
    assert {str(path.relative_to(report)) for path in (report / "figures").iterdir()} == set(named)

    opened: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag not in ("meta", "img", "source"):
                opened.append(tag)

        def handle_endtag(self, tag):
            assert opened.pop() == tag

    Balance().feed(page)
    assert opened == []


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """Results of a suite that has just begun, and the folder of a report on them."""
    folder = tmp_path_factory.mktemp("short")
    path = folder / "short.jsonl"
    path.write_text("".join(RESULTS.read_text().splitlines(keepends=True)[:5]))
    results = Results.read(path)
    write_report(results, folder / "report")
    return results, folder / "report"


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_results_give_the_same_files_and_an_older_report_is_replaced(short, tmp_path):
    results, report = short
    again = shutil.copytree(report, tmp_path / "report")
    assert "…" in (again / "report.md").read_text("utf-8")
    for path, content in files_of(again).items():
        (again / path).write_bytes(content + b"old")
    write_report(results, again)
    assert len(files_of(again)) == 8
    assert files_of(again) == files_of(report)


def test_other_folders_are_left_alone(short, tmp_path):
    (tmp_path / "index.html").write_text("my home page")
    with pytest.raises(ValueError, match="other things than a report"):
        write_report(short[0], tmp_path)
    assert files_of(tmp_path) == {Path("index.html"): b"my home page"}


def test_nothing_to_report_is_said(tmp_path, capsys):
    empty = tmp_path / "results.jsonl"
    empty.touch()
    done = CliRunner().invoke(app, ["report", str(empty), "-o", str(tmp_path / "report")], env={"COLUMNS": "300"})
    assert done.exit_code == 2
    assert "has no results yet" in done.output
    assert main(["bench", "report", str(tmp_path / "none.jsonl")]) == 3
    assert "none.jsonl: no such file or directory." in capsys.readouterr().err


def test_the_papers_numbers_are_the_papers():
    assert published("usps", None, "dnc-sc", "acc") == Spread(82.55, 1.96)
    assert published("usps", None, "dnc-sc/bandwidth=mean", "acc") == Spread(82.55, 1.96)
    assert published("fl-20m", None, "k-means", "seconds") == Spread(311.94, 2.91)
    assert published("mnist", None, "sc", "acc") is None
    assert published("fl-20m", 1000, "k-means", "seconds") is None
    assert published("blobs-2000", None, "divide-and-conquer", "nmi") == Spread(84.59)
    assert published("ts-60k", None, "dnc-sc/select=kmeans/nearest=exact", "acc") == Spread(86.41)


PUBLISHED_RANKS = {
    "acc": [5.8, 5.1, 2.8, 3.9, 4.7, 4.5, 2.3, 1.5],
    "nmi": [5.4, 5.3, 3.1, 4.2, 4.5, 4.7, 2.0, 1.4],
    "seconds": [5.8, 4.5, 4.4, 2.6, 4.3, 4.2, 3.3, 1.5],
}


@pytest.mark.parametrize("measure", PUBLISHED_RANKS)
def test_ranks_of_the_papers_numbers_are_about_those_that_it_publishes(measure):
    """The paper does not say how it ranks ties and N/A, and its ranks do not follow from its scores everywhere."""
    lines = []
    for name in TEN:
        values = [published(name, None, method, measure) for method in NINE[1:]]
        lines.append(ranks([value.mean if value else None for value in values], measure == "seconds"))
    assert np.mean(lines, axis=0) == pytest.approx(PUBLISHED_RANKS[measure], abs=0.36)


def test_ranks_share_ties_and_put_what_is_missing_last():
    assert ranks([3.0, None, 1.0, 3.0, None], less=False) == [1.5, 4.0, 3.0, 1.5, 4.0]
    assert ranks([3.0, None, 1.0], less=True) == [2.0, 3.0, 1.0]


def test_differences_are_marked_beyond_two_deviations_of_both():
    theirs = Spread(80.0, 3.0)
    assert sign(Spread(90.1, 4.0), theirs) == " ▲"
    assert sign(Spread(89.9, 4.0), theirs) == ""
    assert sign(Spread(69.9, 4.0), theirs) == " ▼"
    assert sign(Spread(10.0), theirs) == ""
    assert spread([1.0, 2.0, 3.0]) == Spread(2.0, 1.0)


def test_k_means_stands_beside_the_comparison_of_spectral_methods():
    paper = next(suite for suite in collect(Results.read(RESULTS)) if suite.suite == "paper")
    table = compared(paper, "seconds")
    column = table.header.index("k-means")
    assert not any("**" in row[column] for row in table.rows)
    assert table.rows[-1][column] == "-"
    fastest = float(table.rows[0][column].split()[0])
    assert fastest < float(table.rows[0][table.header.index("dnc-sc")].strip("*").split()[0])


def test_ratios_are_of_the_same_repeat():
    results = Results.read(RESULTS)
    price = next(suite for suite in collect(results) if suite.suite == "price")
    ours, theirs = (price.find(("pendigits", None), method) for method in price.methods)
    expected = [ours.runs[seed]["seconds"] / theirs.runs[seed]["seconds"] for seed in (0, 1)]
    assert ours.ratios(theirs) == expected
    del theirs.runs[0]
    assert ours.ratios(theirs) == expected[1:]
