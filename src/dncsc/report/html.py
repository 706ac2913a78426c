"""HTML elements of the page. Whatever comes from outside goes through `escape`."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from importlib.resources import files
from string import Template

from dncsc.errors import visible


def anchor(label: str) -> str:
    """Name of a section in addresses."""
    return label.lower().replace(" ", "-")


def section(label: str, heading: str, lead: str, body: str, wide: bool = False) -> str:
    """A section with a heading and a lead, next to or above its body; `lead` and `body` are HTML."""
    key, kind = anchor(label), ' class="wide"' if wide else ""
    return (
        f'<section id="{key}" aria-labelledby="{key}-heading"{kind}>\n'
        f'<header><h2 id="{key}-heading">{heading}</h2><p>{lead}</p></header>\n<div>{body}</div>\n</section>'
    )


def asset(name: str) -> str:
    """Text of a file in this folder."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def fill(name: str, **parts: object) -> str:
    """An HTML file of this folder with its $-names replaced by HTML."""
    return Template(asset(name)).substitute(parts)


def escape(value: object) -> str:
    """Any value as text without markup."""
    return html.escape(visible(str(value), keep="\n\t"))


def prose(sentence: str) -> str:
    """A sentence whose backquoted words are code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(sentence))


def unseen(text: str) -> str:
    """Text for screen readers alone."""
    return f'<span class="unseen">{text}</span>'


def table(caption: str, heads: Sequence[str], lines: Sequence[Sequence[str]], kind: str) -> str:
    """A table of HTML cells; the first of each line is its header. The caption is for screen readers."""
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in lines
    )
    return (
        f'<table class="{kind}"><caption class="unseen">{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table>"
    )


def definitions(items: Sequence[tuple[str, str]], kind: str) -> str:
    """Names and values, both HTML."""
    inner = "\n".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in items)
    return f'<dl class="{kind}">\n{inner}\n</dl>'


def bar(share: float, colour: str = "") -> str:
    """A bar that fills a share of its cell."""
    paint = f";--c:{colour}" if colour else ""
    return f'<span class="bar" style="--w:{share:.4f}{paint}"></span>'
