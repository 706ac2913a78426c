"""Make a report of a results file: tables and figures suite by suite, what did not run and why, and where it ran."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dncsc.bench import figures
from dncsc.bench.page import GENERATOR, markdown, page
from dncsc.bench.results import Results
from dncsc.bench.sections import Section, section
from dncsc.bench.suites import SUITES
from dncsc.bench.summary import SuiteResults, collect, set_label
from dncsc.bench.tables import Table

TITLE = "dncsc: benchmarks"


def write_report(results: Results, folder: Path) -> None:
    """Write report.md, index.html and figures/ into a folder; the same results give the same files.

    The folder is made where it is missing. An older report in it is replaced; anything else is refused.
    """
    if not results.plans:
        raise ValueError(f"{results.path} has no results yet.")
    old = folder / "index.html"
    if folder.exists() and any(folder.iterdir()) and not (old.exists() and GENERATOR in old.read_text("utf-8")):
        raise ValueError(f"{folder} holds other things than a report; name another folder.")
    suites = collect(results)
    unknown = [suite.suite for suite in suites if suite.suite not in SUITES]
    if unknown:
        raise ValueError(f"{results.path} has suites that this version does not know: {', '.join(unknown)}.")
    suites.sort(key=lambda suite: list(SUITES).index(suite.suite))
    ran = Counter(suite.suite for suite in suites)
    sections = []
    for suite in suites:  # a suite may have run with several numbers of threads
        name = suite.suite if ran[suite.suite] == 1 else f"{suite.suite}-{suite.threads}-threads"
        sections.append(section(suite, name))
    runs = [run for suite in suites for repeats in suite.cells.values() for run in repeats.runs.values()]
    sections += [*_troubles(suites), *_circumstances(runs)]
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for drawing in (drawing for each in sections for drawing in each.drawings):
        figures.save(drawing.draw, folder / "figures", drawing.name)
    (folder / "report.md").write_text(markdown(TITLE, sections), encoding="utf-8")
    (folder / "index.html").write_text(page(TITLE, sections), encoding="utf-8")


def _troubles(suites: Iterable[SuiteResults]) -> list[Section]:
    """What did not run, and why."""
    rows: dict[tuple[str, ...], None] = {}
    for repeats in (each for suite in suites for each in suite.cells.values() if each.troubles):
        cell, failed = repeats.cell, len(repeats.troubles)
        first = repeats.troubles[min(repeats.troubles)]
        params = ", ".join(f"{name} = {value}" for name, value in cell.params.items())
        reason = " ".join(first["reason"].split())
        reason = reason if len(reason) <= 200 else reason[:199] + "…"
        what = set_label((cell.set, cell.rows)), cell.method, params, cell.engine
        rows[(*what, first["status"], f"{failed} of {len(repeats.runs) + failed}", reason)] = None
    if not rows:
        return []
    header = ["", "method", "parameters", "engine", "status", "repeats", "reason"]
    return [Section("troubles", "What did not run", (), [Table("Reasons", header, list(rows))])]


def _circumstances(runs: list[dict[str, Any]]) -> list[Section]:
    """Machines, versions, load: what every number has to be read with."""
    if not runs:
        return []
    loads = [run["load"] for run in runs if run.get("load") is not None]
    dates = sorted(run["finished"][:10] for run in runs)
    notes = [f"{len(runs)} results, {dates[0]} to {dates[-1]}."]
    if loads:
        shown = f"{statistics.median(loads):.2f}, at most {max(loads):.2f}"
        notes.append(f"Load of the machine before a run: median {shown} (what ran just before counts).")
    compiled = sum(1 for run in runs if run.get("compiled"))
    if compiled:
        notes.append(f"In {compiled} runs kernels were compiled while they were timed: those times are too long.")
    machines, versions = (
        [json.loads(text) for text in sorted({json.dumps(run[what], sort_keys=True) for run in runs})]
        for what in ("machine", "versions")
    )
    form = "{processor}, {cores} cores, {gigabytes:.0f} GB, {system}"
    rows = [["machine", form.format(gigabytes=each["memory_bytes"] / 2**30, **each)] for each in machines]
    rows += [["versions", ", ".join(f"{name} {number}" for name, number in each.items())] for each in versions]
    return [Section("machine", "Where it ran", notes, [Table("Machine and versions", ["", "what"], rows)])]
