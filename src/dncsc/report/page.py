"""The page as one text: facts, style and script in a single file."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from dncsc.report import sections
from dncsc.report.advice import badge, trust_section, verdict_sentence
from dncsc.report.facts import Facts
from dncsc.report.format import format_seconds
from dncsc.report.html import anchor, asset, definitions, escape, fill
from dncsc.report.maps import COLUMNS, LINES
from dncsc.report.profiles import profiles_section
from dncsc.report.tree import tree_section
from dncsc.version import __version__


def page(facts: Facts, title: str | None, data: Any, command: str | None) -> str:
    """The whole page; `title`, `data` and `command` as `write_report` has them."""
    every = {
        "Run": sections.run_section(facts, data, command),
        "Sizes": sections.sizes_section(facts),
        "Eigenvalues": sections.eigenvalues_section(facts),
        "Tree": tree_section(facts),
        "Map": sections.map_section(facts),
        "Profiles": profiles_section(facts),
        "Time": sections.times_section(facts),
        "Trust": trust_section(facts),
        "New rows": sections.new_rows_section(facts),
    }
    n_rows, n_features, n_found = *facts.reader.shape, int(np.count_nonzero(facts.moments.count))
    time, trust = format_seconds(facts.seconds), facts.trust
    summary = (
        f"{type(facts.model).__name__} found {n_found:,} cluster{'s' if n_found > 1 else ''} in {n_rows:,} rows of "
        f"{n_features:,} feature{'s' if n_features > 1 else ''} in {time}."
    )
    figures = [("Rows", f"{n_rows:,}"), ("Features", f"{n_features:,}"), ("Clusters", f"{n_found:,}"), ("Time", time)]
    if trust is not None:
        summary += f" {verdict_sentence(facts, trust)}"
        figures.append(("Agreement (ARI)", f"{trust.ari:.3f} {badge(trust.verdict)}"))
    return fill(
        "page.html",
        version=__version__,
        title=escape(title or f"{n_found:,} clusters in {n_rows:,} rows"),
        style=asset("page.css"),
        links="".join(f'<a href="#{anchor(label)}">{label}</a>' for label, text in every.items() if text),
        summary=escape(summary),
        figures=definitions(figures, "figures"),
        body="\n".join(text for text in every.values() if text),
        data=_map_data(facts),
        script=asset("map.js") + asset("page.js"),
    )


def _map_data(facts: Facts) -> str:
    """What the script draws the maps from: JSON in which no character can end the script element."""
    data = {
        "clusters": len(facts.moments.count),
        "rows": facts.reader.n_rows,
        "colours": facts.colours,
        "columns": COLUMNS,
        "lines": LINES,
        "views": facts.views,
        "pairs": facts.pairs,
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), default=_pack)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _pack(values: np.ndarray) -> Any:
    """Floats as a list; non-negative integers in as few bits as hold the largest, low byte first, in base64."""
    if values.dtype.kind == "f":
        return values.tolist()
    kind = np.min_scalar_type(int(values.max(initial=0))).newbyteorder("<")
    return {"bits": 8 * kind.itemsize, "data": base64.b64encode(values.astype(kind).tobytes()).decode("ascii")}
