"""The reference in docs/cli.md, made from what --help says: `dncsc reference > docs/cli.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

INTRODUCTION = """# The command line

`pip install "dncsc[cli]"` gives the command `dncsc`; `dncsc[all]` adds what reads Parquet, Feather, Arrow and CSV
files, Dask and pictures. `dncsc --install-completion` teaches the shell to complete commands and options.

This page is made from what `--help` says, by `dncsc reference`.
"""


def reference(ctx: typer.Context) -> None:
    """Print the reference of all commands as Markdown."""
    root = ctx.find_root()
    print("\n".join([INTRODUCTION, *_section(root.command, root, "dncsc")]))


def _section(command: Any, context: Any, path: str) -> Iterator[str]:
    """The help of a command, and of its subcommands."""
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## {path}\n\n{command.help}\n\n```\n{path} {usage}\n```\n"
    panels: dict[str, list[str]] = {}
    for param in command.get_params(context):
        if not getattr(param, "hidden", False) and param.name not in ("help", "install_completion", "show_completion"):
            plain = "Arguments" if param.param_type_name == "argument" else "Options"
            panels.setdefault(getattr(param, "rich_help_panel", None) or plain, []).append(_line(param))
    for title, lines in panels.items():
        yield "\n".join([f"| {title} | |\n|---|---|", *lines, ""])
    first, *examples = command.epilog.split("\n\n")
    yield "\n".join([f"{first}\n\n```", *examples, "```\n"])
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            inner = each.make_context(name, [], parent=context, resilient_parsing=True)
            yield from _section(each, inner, f"{path} {name}")


def _line(param: Any) -> str:
    """A line of a table: what a parameter is called and what it does."""
    if param.param_type_name == "argument":
        name = f"`{param.name.upper()}`"
    else:
        name = ", ".join(f"`{option}`" for option in param.opts) + (f" `{param.metavar}`" if param.metavar else "")
    known = getattr(param, "show_default", True) and param.default not in (None, False, "")
    more = " Required." if param.required else f" Default: {param.default}." if known else ""
    about = f"{param.help}{more}"
    return "| {} | {} |".format(*(text.replace("|", "\\|") for text in (name, about)))
