"""Run the code of the guide while the site is built, and show what it prints and draws.

Blocks of ``python`` share one namespace a page, and with those of ``bash`` one folder, which is empty at first and gone
in the end. Pages of HTML that the code leaves in it are copied to the folder ``live`` of the site. An error, and a
warning too, ends the build.
"""

from __future__ import annotations

import contextlib
import fnmatch
import io
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform


class RunCode(SphinxTransform):
    """Put behind each block of code what it prints and draws."""

    default_priority = 400  # before pictures are collected

    def apply(self) -> None:
        """Run the blocks of a page in order."""
        page = self.env.docname
        if not any(fnmatch.fnmatch(page, pattern) for pattern in self.config.run_code_pages):
            return
        blocks = [node for node in self.document.findall(nodes.literal_block) if node.get("language") in RUNNERS]
        namespace: dict[str, object] = {"__name__": page}
        pictures = Path(self.env.srcdir, "generated", "pictures", page.replace("/", "-"))
        shutil.rmtree(pictures, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for number, block in enumerate(blocks):
                try:
                    printed = RUNNERS[block["language"]](block.astext(), namespace)
                except Exception as error:
                    raise ExtensionError(f"{page}, line {block.line}: {type(error).__name__}: {error}") from error
                shown = [_printed(printed)] if printed.strip() else []
                shown += [_picture(path, alt, self.env.srcdir) for path, alt in _drawn(pictures, number)]
                behind = block.parent.index(block) + 1
                block.parent[behind:behind] = shown
            for left in Path().glob("*.html"):
                target = Path(self.app.outdir, "live", left.name)
                target.parent.mkdir(exist_ok=True, parents=True)
                shutil.copyfile(left, target)


def _python(code: str, namespace: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(code, str(namespace["__name__"]), "exec"), namespace)
    return out.getvalue()


def _bash(code: str, namespace: dict[str, object]) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {**os.environ, "PATH": path, "COLUMNS": "100"}
    command = ["bash", "-ec", code]
    with tempfile.TemporaryDirectory() as folder:  # once unseen: times that are shown are not those of compiling
        aside = shutil.copytree(Path.cwd(), folder, dirs_exist_ok=True)
        subprocess.run(command, env=variables, cwd=aside, capture_output=True, check=False)
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr or done.stdout)
    return done.stderr + done.stdout


RUNNERS = {"python": _python, "bash": _bash}


def _printed(text: str) -> nodes.literal_block:
    return nodes.literal_block(text.rstrip(), text.rstrip(), language="text", classes=["printed"])


def _picture(path: Path, alt: str, root: str | os.PathLike[str]) -> nodes.image:
    return nodes.image(uri=f"/{path.relative_to(root).as_posix()}", alt=alt)


def _drawn(folder: Path, number: int) -> Iterator[tuple[Path, str]]:
    """Files of the figures that a block left open, and the titles in them."""
    import matplotlib.pyplot as plt

    for place in plt.get_fignums():
        figure = plt.figure(place)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number}-{place}.png"
        figure.savefig(path, dpi=120, bbox_inches="tight")
        titles = [figure.get_suptitle(), *(ax.get_title() for ax in figure.axes)]
        yield path, "; ".join(filter(None, titles)).replace("\n", ", ") or "Figure that the code above draws"
    plt.close("all")


def setup(app):
    """Tell Sphinx."""
    os.environ.setdefault("MPLBACKEND", "agg")
    app.add_config_value("run_code_pages", [], "env")
    app.add_transform(RunCode)
    return {"parallel_read_safe": False}
