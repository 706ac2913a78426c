"""The reference says what --help says, and every command shows how it is used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from dncsc.cli import main
from dncsc.cli.app import make_app

OLD = tuple(map(int, typer.__version__.split(".")[:2])) < (0, 29)
PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from commands(each, f"{path} {name}")


ALL = dict(commands(typer.main.get_command(make_app()), "dncsc"))


@pytest.mark.skipif(OLD, reason="typer before 0.29 shows arguments in another way")
def test_the_reference_is_current(capsys):
    assert main(["reference"]) == 0
    assert PAGE.read_text(encoding="utf-8") == capsys.readouterr().out, "run: dncsc reference > docs/cli.md"


@pytest.mark.parametrize("path", ALL)
def test_every_command_has_an_example_that_it_would_take(path):
    _, *examples = ALL[path].epilog.split("\n\n")
    assert any(path in example for example in examples) or path == "dncsc"
    for example in examples:
        for part in example.split(" | "):
            words = part.split()
            if words[0] == "dncsc":
                name = max((each for each in ALL if each.split() == words[: len(each.split())]), key=len)
                known = {option for param in ALL[name].params for option in param.opts}
                assert {word for word in words if word.startswith("-") and word != "-"} <= known


@pytest.mark.parametrize("path", ALL)
def test_every_option_says_what_it_does(path):
    assert ALL[path].help
    assert [param.name for param in ALL[path].params if not getattr(param, "help", None)] == []


@pytest.mark.parametrize("path", ALL)
def test_help_shows_the_example(path, capsys):
    assert main([*path.split()[1:], "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert " ".join(ALL[path].epilog.split("\n\n")[-1].split()) in shown
