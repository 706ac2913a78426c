"""Try a wheel as its users get it: ``python tests/wheel.py dist``.

It is installed alone in an empty environment, where the README's example runs. Then each extra alone is added to that:
what it is for runs, and what needs another extra says which one. In the end there is `dncsc demo`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = "import sys, runpy; sys.argv = ['dncsc', {}]; runpy.run_module('dncsc', run_name='__main__')"


def command(*arguments: str) -> str:
    """A program that runs a command of dncsc."""
    return COMMAND.format(", ".join(map(repr, arguments)))


USES = {
    "plot": [
        "import numpy, dncsc; X = numpy.random.rand(500, 2); dncsc.plot.clusters(dncsc.DnCSC(2).fit(X), X)",
    ],
    "io": [
        "import dncsc; assert dncsc.open_rows('rows.csv').shape == (60, 2)",
        "import pyarrow, dncsc; dncsc.TableEncoder().fit(pyarrow.table({'x': [1.0, 2.0, 3.0]}))",
    ],
    "cli": [
        command("--version"),
        command("fit", "rows.npy", "-k", "2", "-o", "labels.npy", "--force"),
    ],
    "dask": [
        "import dask.array, dncsc; dncsc.DnCSC(2).fit(dask.array.random.random((500, 2))).labels_.compute()",
    ],
}
"""What runs with an extra alone."""

NEEDS = {
    "plot": ["import numpy, dncsc; X = numpy.eye(50); dncsc.plot.clusters(dncsc.DnCSC(2).fit(X), X)"],
    "io": ["import dncsc; dncsc.open_rows('rows.csv')", "import numpy, dncsc; dncsc.TableEncoder().fit(numpy.eye(3))"],
    "cli": [command("demo")],
}
"""What needs an extra, where it is missing."""

COMMANDS_NEED = {
    "io": [command("fit", "rows.csv", "-k", "2", "-o", "labels.npy", "--force")],
    "plot": [command("demo", "--rows", "10000")],
    "dask": [command("fit", "rows.npy", "-k", "2", "--cluster", "tcp://nowhere:8786", "-o", "labels.npy", "--force")],
}
"""The same, on the command line."""

BRING = {"dask": {"io"}}
"""Extras that install what others need: frames of Dask need pyarrow."""


class Environment:
    """An empty environment in a folder of its own, or one that has all packages of another."""

    def __init__(self, folder: Path, below: Environment | None = None) -> None:
        venv.create(folder, with_pip=True)
        windows = sys.platform == "win32"
        self.python = folder / ("Scripts" if windows else "bin") / "python"
        (self.packages,) = folder.glob("Lib/site-packages" if windows else "lib/python*/site-packages")
        self.work = folder.parent
        if below is not None:
            (self.packages / "below.pth").write_text(f"{below.packages}\n", encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What a call of Python does."""
        return subprocess.run([self.python, *arguments], cwd=self.work, capture_output=True, text=True, check=False)

    def must(self, *arguments: str) -> None:
        """End with what went wrong, if anything does."""
        done = self.run(*arguments)
        if done.returncode:
            sys.exit(f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")

    def must_name(self, extra: str, program: str) -> None:
        """End, unless a program says which extra it lacks; `dncsc demo` then does what it can without."""
        done = self.run("-c", program)
        if f"dncsc[{extra}]" not in done.stderr:
            sys.exit(f"{program}: expected a message that names dncsc[{extra}], got\n{done.stdout}{done.stderr}")
        print(f"  without {extra}: {done.stderr.strip().splitlines()[-1]}")


def readme_example() -> str:
    """The first Python block of the README, with rows to run it on."""
    blocks = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")
    rows = "from dncsc import datasets\nX, _ = datasets.load('fl-20m', n=20_000)\nX_new = X[:100]\n"
    return rows + blocks[1].split("```")[0]


def check_index_page(wheel: Path) -> None:
    """End, if the page of a package index would have links that lead nowhere."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        text = files.read(name).decode()
    lost = re.findall(r"\]\((?!https:)([^)]*)\)", text)
    if lost:
        sys.exit(f"{wheel.name}: relative links in the long description: {lost}")


def main(dist: Path) -> None:
    """Install, run, and end with an error if anything is not as promised."""
    (wheel,) = dist.resolve().glob("*-py3-none-any.whl")
    check_index_page(wheel)
    with tempfile.TemporaryDirectory() as folder:
        alone = Environment(Path(folder, "env"))
        alone.must("-m", "pip", "install", "--quiet", str(wheel))
        alone.must("-W", "error", "-c", readme_example())
        print("wheel alone: the README's example runs")
        rows = "import numpy; X = numpy.random.rand(60, 2); numpy.save('rows.npy', X)"
        alone.must("-c", f"{rows}; numpy.savetxt('rows.csv', X, delimiter=',', header='x,y', comments='')")
        for extra, programs in NEEDS.items():
            for program in programs:
                alone.must_name(extra, program)

        for extra, programs in USES.items():
            with_extra = Environment(Path(folder, extra), below=alone)
            with_extra.must("-m", "pip", "install", "--quiet", f"{wheel}[{extra}]")
            for program in programs:
                with_extra.must("-c", program)
            print(f"{extra} alone: runs")
            for other, needing in (COMMANDS_NEED if extra == "cli" else NEEDS).items():
                for program in [] if other in {extra, *BRING.get(extra, ())} else needing:
                    with_extra.must_name(other, program)

        alone.must("-m", "pip", "install", "--quiet", f"{wheel}[cli,plot]")
        alone.must("-m", "dncsc", "demo", "--rows", "100000")
        print("cli and plot: dncsc demo runs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
