"""Small pieces of HTML. Whatever comes from outside goes through `text`."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence


def text(value: object) -> str:
    """Anything as text that is nothing but text."""
    return html.escape(str(value), quote=True)


def prose(sentence: str) -> str:
    """A sentence, with what stands in backquotes as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text(sentence))


def section(key: str, heading: str, lead: str, body: str, wide: bool = False) -> str:
    """A section with its heading and what it shows, beside or above its content; `lead` is HTML."""
    kind = ' class="wide"' if wide else ""
    return (
        f'<section id="{key}" aria-labelledby="{key}-heading"{kind}>\n'
        f'<header><h2 id="{key}-heading">{text(heading)}</h2><p>{lead}</p></header>\n<div>{body}</div>\n</section>'
    )


def table(caption: str, heads: Sequence[str], lines: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table of cells that are HTML; the first of each line names it. A caption is for those who cannot see."""
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in lines
    )
    return (
        f'<table class="{kind}"><caption class="unseen">{text(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table>"
    )


def pairs(items: Sequence[tuple[str, str]], kind: str = "") -> str:
    """Names and values, both HTML."""
    inner = "\n".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in items)
    return f'<dl class="{kind}">\n{inner}\n</dl>'


def bar(part: float, colour: str = "") -> str:
    """A bar as long as the part of the room it has."""
    paint = f";--c:{colour}" if colour else ""
    return f'<span class="bar" style="--w:{max(0.0, min(1.0, part)):.4f}{paint}"></span>'


def swatch(colour: str) -> str:
    """A spot of a cluster's colour, a value of CSS."""
    return f'<span class="swatch" style="--c:{colour}"></span>'
