"""The report as Markdown and as one HTML page; both say the same."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from importlib.resources import files
from string import Template

from dncsc.bench.sections import Section
from dncsc.bench.tables import Table

GENERATOR = '<meta name="generator" content="dncsc bench report">'
"""Stands in page.html; by it a folder is known to hold a report, and not something of the user's."""


def markdown(title: str, sections: Sequence[Section]) -> str:
    """The whole report."""
    parts = [f"# {title}"]
    for section in sections:
        parts += [f"## {section.title}", *section.notes]
        for table in section.tables:
            parts += [f"### {table.title}", markdown_table(table), *table.notes]
        for drawing in section.drawings:
            parts.append(f"![{drawing.text}](figures/{drawing.name}-light.png)")
    return "\n\n".join(parts) + "\n"


def markdown_table(table: Table) -> str:
    """A table in pipes; its columns line up."""
    lines = [[cell.replace("|", "\\|") for cell in line] for line in (table.header, *table.rows)]
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    words = _words(table)
    lines.insert(1, ["-" * (n - 1) + ("-" if left else ":") for n, left in zip(widths, words, strict=True)])
    texts = []
    for line in lines:
        cells = zip(line, widths, words, strict=True)
        texts.append(" | ".join(cell.ljust(n) if left else cell.rjust(n) for cell, n, left in cells))
    return "\n".join(f"| {text} |" for text in texts)


def _words(table: Table) -> list[bool]:
    """Which columns hold words, and stand to the left, rather than numbers."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.header)
    return [not i or not any(cell.lstrip("*")[:1].isdigit() for cell in column) for i, column in enumerate(columns)]


def page(title: str, sections: Sequence[Section]) -> str:
    """The whole report; figures are images beside it."""
    links = "".join(f'<a href="#{section.name}">{html.escape(section.name)}</a>' for section in sections)
    template = Template(files("dncsc.bench").joinpath("page.html").read_text("utf-8"))
    return template.substitute(title=html.escape(title), links=links, sections="\n".join(map(_section, sections)))


def _section(section: Section) -> str:
    parts = [f'<h2 id="{section.name}">{_inline(section.title)}</h2>', *map(_note, section.notes)]
    for table in section.tables:
        parts += [f"<h3>{_inline(table.title)}</h3>", _table(table), *map(_note, table.notes)]
    for drawing in section.drawings:
        light, dark = (f"figures/{drawing.name}-{theme}.png" for theme in ("light", "dark"))
        parts.append(
            f'<figure><div class="scroll"><picture><source srcset="{dark}" media="(prefers-color-scheme: dark)">'
            f'<img src="{light}" alt="{html.escape(drawing.text)}" loading="lazy"></picture></div>'
            f"<figcaption>{html.escape(drawing.text)}</figcaption></figure>"
        )
    return f"<section>{''.join(parts)}</section>"


def _note(text: str) -> str:
    return f'<p class="note">{_inline(text)}</p>'


def _table(table: Table) -> str:
    tags = [' class="words"' if words else "" for words in _words(table)]

    def line(cells: Sequence[str], kind: str) -> str:
        return "".join(f"<{kind}{tag}>{_inline(cell)}</{kind}>" for cell, tag in zip(cells, tags, strict=True))

    head, body = line(table.header, "th"), "".join(f"<tr>{line(row, 'td')}</tr>" for row in table.rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _inline(text: str) -> str:
    """Text with its bold parts."""
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(text))
