"""A release is ready: version, changelog and citation agree, its page has no lost links, workflows name what exists."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import dncsc

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
FORMS = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml"))
MADE = {"build/site", "dist"}
"""Folders that targets of the Makefile make."""


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_changelog_and_citation_have_the_version():
    number, _, date = re.findall(r"^## (\S+)( - (.*))?$", text_of("CHANGELOG.md"), re.MULTILINE)[0]
    if dncsc.__version__.endswith(".dev0"):
        assert number == "Unreleased"
        return
    assert number == dncsc.__version__
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", date)
    cited = yaml.safe_load(text_of("CITATION.cff"))
    assert (cited["version"], str(cited["date-released"])) == (number, date)


@pytest.fixture(scope="module")
def long_description():
    pytest.importorskip("hatchling")
    described = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module.long_description


def test_links_on_the_page_of_an_index_lead_to_files_of_the_version(long_description):
    page = long_description(text_of("README.md"), "https://host.example/owner/name", "1.2.3")
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert len(links) > 20
    for link in links:
        found = re.fullmatch(r"https://host\.example/owner/name/(blob|raw)/v1\.2\.3/([^#]+)(#.*)?", link)
        assert found, link
        assert (ROOT / found[2]).is_file()
        assert (found[1] == "raw") == (Path(found[2]).suffix == ".png")


def test_without_an_address_links_become_text_and_pictures_are_left_out(long_description):
    page = long_description("One\n\n![Two](a.png)\n\nthree [four](b.md#c) [five](https://d.example).\n", "", "1.2.3")
    assert page == "One\n\nthree four [five](https://d.example).\n"
    assert re.findall(r"\]\((?!https:)", long_description(text_of("README.md"), "", "1.2.3")) == []


def test_the_page_is_for_those_without_the_repository(long_description):
    page = long_description(text_of("README.md"), "", "1.2.3")
    assert "make demo" not in page
    assert "<!--" not in page


def steps(workflow):
    return [step for job in yaml.safe_load(text_of(workflow))["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_targets_and_take_folders_that_there_are(workflow):
    targets = set(re.findall(r"^([\w-]+):(?!=)", text_of("Makefile"), re.MULTILINE))
    for step in steps(workflow):
        for words in re.findall(r"^make (.*)$", step.get("run", ""), re.MULTILINE):
            assert set(words.split()) <= targets
        for path in re.findall(r"[\w./]+\.(?:py|md)\b", step.get("run", "")):
            assert (ROOT / path).is_file()
        assert step.get("with", {}).get("path", "dist") in MADE


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_wait_for_jobs_of_the_same_workflow_and_pass_on_what_was_kept(workflow):
    jobs = yaml.safe_load(text_of(workflow))["jobs"]
    assert {job["needs"] for job in jobs.values() if "needs" in job} <= set(jobs)
    given = {
        kind: [step["with"] for step in steps(workflow) if f"/{kind}-artifact@" in step.get("uses", "")]
        for kind in ("upload", "download")
    }
    assert all(each in given["upload"] for each in given["download"])


def test_the_release_is_what_contributors_are_told():
    release = yaml.safe_load(text_of(".github/workflows/release.yml"))
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert f"environment `{release['jobs']['publish']['environment']}`" in text_of("CONTRIBUTING.md")
    assert "DNCSC_REPOSITORY" in release["jobs"]["dist"]["env"]


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_forms_for_issues_ask_something(form):
    asked = yaml.safe_load(text_of(form))
    assert {"name", "description", "body"} <= set(asked)
    ids = [field["id"] for field in asked["body"]]
    assert len(set(ids)) == len(ids) > 0
