"""Links in the documentation lead somewhere, the site leaves nothing out, and the package says that it is typed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import dncsc

ROOT = Path(__file__).parents[1]
MADE = "generated/"
"""What links begin with that lead to what the build of the site makes."""
FOUND = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.md")]
PAGES = [page for page in FOUND if MADE not in page.as_posix()]


def anchors(page):
    """Headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_exist(page):
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    for link in links:
        path, _, anchor = link.partition("#")
        if path.startswith("https:") or MADE in path:
            continue
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_api_reference_names_everything_public():
    modules = ("datasets", "metrics", "plot", "report", "scanpy")
    inside = {f"{name}.{each}" for name in modules for each in getattr(dncsc, name).__all__}
    listed = re.findall(r"^   ([\w.]+)$", (ROOT / "docs/api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted({*dncsc.__all__, *inside} - {*modules, "__version__"})


def test_every_page_of_the_guide_is_listed_and_begins_with_code():
    guide = ROOT / "docs/guide"
    listed = (guide / "index.md").read_text(encoding="utf-8")
    for page in guide.glob("*.md"):
        if page.name != "index.md":
            assert f"]({page.name})" in listed
            assert re.match(r"# .+\n\n```python\n", page.read_text(encoding="utf-8")), page.name


def test_python_about_tables_runs_without_a_warning(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    frame = pandas.DataFrame(
        {"spent": [1.0, 2.0, None, 50.0, 51.0, 52.0, 90.0, 91.0] * 10, "city": ["Rome", "Oslo"] * 40}
    )
    names = {"dncsc": dncsc, "frame": frame.assign(client=1, email=""), "new": frame[::-1]}
    first, second = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(first, names)
    names["frame"] = frame
    exec(second, names)
    assert len(names["labels"]) == len(frame)


SCRIPTS = sorted(ROOT.glob("docs/gallery/*.py"))


def test_the_gallery_has_ten_scripts_or_more():
    assert len(SCRIPTS) >= 10


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_of_the_gallery_begins_with_a_title_and_says_what_it_shows(script):
    title, line, empty, text = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").split("\n", 3)
    assert line == "=" * len(title)
    assert empty == ""
    assert len(text) > 80


def test_type_hints_are_offered_to_users():
    assert (Path(dncsc.__file__).parent / "py.typed").exists()
