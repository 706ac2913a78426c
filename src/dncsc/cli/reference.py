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
    yield f"## {path}\n"
    yield f"{command.help}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```\n{path} {usage}\n```\n"
    for title, params in _panels(command, context).items():
        yield f"| {title} | |\n|---|---|"
        yield from (f"| {_name(param)} | {_about(param)} |" for param in params)
        yield ""
    first, *examples = (command.epilog or "").split("\n\n")
    if examples:
        yield f"{first}\n"
        yield "```\n" + "\n".join(examples) + "\n```\n"
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            inner = each.make_context(name, [], parent=context, resilient_parsing=True)
            yield from _section(each, inner, f"{path} {name}")


def _panels(command: Any, context: Any) -> dict[str, list[Any]]:
    """Parameters under the titles that the help has for them."""
    panels: dict[str, list[Any]] = {}
    for param in command.get_params(context):
        if not getattr(param, "hidden", False) and param.name not in ("help", "install_completion", "show_completion"):
            plain = "Arguments" if param.param_type_name == "argument" else "Options"
            panels.setdefault(getattr(param, "rich_help_panel", None) or plain, []).append(param)
    return panels


def _name(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{param.name.upper()}`"
    names = ", ".join(f"`{option}`" for option in param.opts)
    return names + (f" `{param.metavar}`".replace("|", "\\|") if param.metavar else "")


def _about(param: Any) -> str:
    shown = getattr(param.default, "value", param.default)
    known = getattr(param, "show_default", True) and shown not in (None, False, "") and not callable(shown)
    more = " Required." if param.required else f" Default: {shown}." if known else ""
    return f"{param.help or ''}{more}".replace("|", "\\|")


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    app.command("reference", hidden=True, help=reference.__doc__)(reference)
