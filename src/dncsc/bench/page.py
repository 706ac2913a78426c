"""The report as Markdown and as one HTML page; both say the same."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from dncsc.bench.sections import Section
from dncsc.bench.tables import Table

GENERATOR = '<meta name="generator" content="dncsc bench report">'
"""By which a folder is known to hold a report, and not something of the user's."""

STYLE = """
:root { --ground: #ffffff; --ink: #1f2937; --soft: #5b6472; --line: #e2e6ec; --stripe: #f6f8fa; --accent: #0069c2; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181f; --ink: #d7dce4; --soft: #9aa4b2; --line: #2b323d; --stripe: #1a1f28; --accent: #6cb6ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 1rem 0; } h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; } h3 { font-size: 1rem; }
a { color: var(--accent); } p, li { max-width: 46rem; } nav a { display: inline-block; margin: 0 1rem .3rem 0; }
.note { color: var(--soft); font-size: .88rem; margin: .3rem 0; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
.words { text-align: left; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--ground); }
tbody tr:nth-child(even) td { background: var(--stripe); }
td strong { color: var(--accent); }
figure { margin: 1rem 0; } figcaption { color: var(--soft); font-size: .88rem; }
img { max-width: max(100%, 60rem); height: auto; }
"""


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
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{GENERATOR}
<title>{html.escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{html.escape(title)}</h1>
<nav>{links}</nav>
{chr(10).join(map(_section, sections))}
</body>
</html>
"""


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
