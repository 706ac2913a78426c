"""Make a report of a results file: tables and figures suite by suite, what did not run and why, and where it ran."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dncsc.bench.figures import THEMES
from dncsc.bench.page import GENERATOR, markdown, page
from dncsc.bench.results import Results
from dncsc.bench.sections import Section, section
from dncsc.bench.suites import SUITES
from dncsc.bench.summary import SuiteResults, collect
from dncsc.bench.tables import Table

TITLE = "dncsc: benchmarks"


def write_report(results: Results, folder: Path) -> None:
    """Write report.md, index.html and figures/ into a folder; the same results give the same files.

    Parameters
    ----------
    results : Results
        Finished or not.
    folder : Path
        Made where it is missing. An older report in it is replaced; anything else is refused.
    """
    if not results.plans:
        raise ValueError(f"{results.path} has no results yet.")
    _check_folder(folder)
    suites = collect(results)
    unknown = [suite.suite for suite in suites if suite.suite not in SUITES]
    if unknown:
        raise ValueError(f"{results.path} has suites that this version does not know: {', '.join(unknown)}.")
    suites.sort(key=lambda suite: list(SUITES).index(suite.suite))
    sections = [section(suite, _name(suite, suites)) for suite in suites]
    runs = [run for suite in suites for repeats in suite.cells.values() for run in repeats.runs.values()]
    sections += [*_troubles(suites), *_circumstances(runs)]
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for each in sections:
        _draw(each, folder / "figures")
    (folder / "report.md").write_text(markdown(TITLE, sections), encoding="utf-8")
    (folder / "index.html").write_text(page(TITLE, sections), encoding="utf-8")


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is not a folder.")
    old = folder / "index.html"
    if folder.exists() and any(folder.iterdir()) and not (old.exists() and GENERATOR in old.read_text("utf-8")):
        raise ValueError(f"{folder} holds other things than a report; name another folder.")


def _name(suite: SuiteResults, suites: Iterable[SuiteResults]) -> str:
    """Name of a section: the suite's, with its threads where it ran with several numbers of them."""
    alike = [other for other in suites if other.suite == suite.suite]
    return suite.suite if len(alike) == 1 else f"{suite.suite}-{suite.threads}-threads"


def _draw(each: Section, folder: Path) -> None:
    for drawing in each.drawings:
        for theme in THEMES:
            with theme.style():
                path = folder / f"{drawing.name}-{theme.name}.png"
                drawing.draw(theme).savefig(path, metadata={"Software": None})


def _troubles(suites: Iterable[SuiteResults]) -> list[Section]:
    """What did not run, and why."""
    rows: dict[tuple[str, ...], None] = {}
    for suite in suites:
        for repeats in (each for each in suite.cells.values() if each.troubles):
            cell, failed = repeats.cell, len(repeats.troubles)
            first = repeats.troubles[min(repeats.troubles)]
            params = ", ".join(f"{name} = {value}" for name, value in cell.params.items())
            how_many = f"{failed} of {len(repeats.runs) + failed}"
            what = suite.label((cell.set, cell.rows)), cell.method, params, cell.engine
            rows[(*what, first["status"], how_many, _short(first["reason"]))] = None
    if not rows:
        return []
    header = ["", "method", "parameters", "engine", "status", "repeats", "reason"]
    return [Section("troubles", "What did not run", (), [Table("Reasons", header, list(rows))])]


def _short(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= 200 else line[:199] + "…"


def _circumstances(runs: list[dict[str, Any]]) -> list[Section]:
    """Machines, versions, load: what every number has to be read with."""
    if not runs:
        return []
    loads = [run["load"] for run in runs if run.get("load") is not None]
    compiled = sum(1 for run in runs if run.get("compiled"))
    notes = [f"{len(runs)} results, {min(_dates(runs))} to {max(_dates(runs))}."]
    if loads:
        shown = f"{statistics.median(loads):.2f}, at most {max(loads):.2f}"
        notes.append(f"Load of the machine before a run: median {shown} (what ran just before counts).")
    if compiled:
        notes.append(f"In {compiled} runs kernels were compiled while they were timed: those times are too long.")
    machines = {json.dumps(run["machine"], sort_keys=True) for run in runs}
    versions = {json.dumps(run["versions"], sort_keys=True) for run in runs}
    rows = [["machine", _machine(json.loads(each))] for each in sorted(machines)]
    named = [", ".join(f"{name} {number}" for name, number in json.loads(each).items()) for each in sorted(versions)]
    rows += [["versions", each] for each in named]
    return [Section("machine", "Where it ran", notes, [Table("Machine and versions", ["", "what"], rows)])]


def _dates(runs: list[dict[str, Any]]) -> list[str]:
    return [run["finished"][:10] for run in runs]


def _machine(machine: dict[str, Any]) -> str:
    memory = f", {machine['memory_bytes'] / 2**30:.0f} GB" if machine.get("memory_bytes") else ""
    return f"{machine['processor']}, {machine['cores']} cores{memory}, {machine['system']}"
