"""Try a wheel as its users get it: ``python tests/wheel.py dist``.

It is installed alone in an empty environment, where the README's example runs, and so does `dncsc demo`, with what it
needs; each extra that is missing is told by name.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

WITHOUT_EXTRAS = {
    "import numpy, dncsc; dncsc.plot.clusters(dncsc.DnCSC(2).fit(numpy.eye(50)), numpy.eye(50))": "dncsc[plot]",
    "import dncsc; dncsc.open_rows('rows.csv')": "dncsc[io]",
    "import numpy, dncsc; dncsc.TableEncoder().fit(numpy.eye(3))": "dncsc[io]",
    "import sys, runpy; sys.argv = ['dncsc', 'demo']; runpy.run_module('dncsc', run_name='__main__')": "dncsc[cli]",
}
"""What needs an extra, and what the message names."""


def readme_example() -> str:
    """The first Python block of the README, with rows to run it on."""
    blocks = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")
    rows = "from dncsc import datasets\nX, _ = datasets.load('fl-20m', n=20_000)\nX_new = X[:100]\n"
    return rows + blocks[1].split("```")[0]


def main(dist: Path) -> None:
    """Install, run, and end with an error if anything is not as promised."""
    (wheel,) = dist.resolve().glob("*-py3-none-any.whl")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "env"), with_pip=True)
        python = Path(folder, "env", "Scripts" if sys.platform == "win32" else "bin", "python")

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([python, *arguments], cwd=folder, capture_output=True, text=True, check=False)

        def must(*arguments: str) -> None:
            done = run(*arguments)
            if done.returncode:
                sys.exit(f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")

        def must_name(extra: str, *arguments: str) -> None:
            done = run(*arguments)
            if done.returncode == 0 or extra not in done.stderr:
                sys.exit(f"{' '.join(arguments)}: expected a message that names {extra}, got\n{done.stderr}")
            print(f"without {extra}: {done.stderr.strip().splitlines()[-1]}")

        Path(folder, "rows.csv").write_text("x,y\n1,2\n3,4\n")
        must("-m", "pip", "install", "--quiet", str(wheel))
        must("-W", "error", "-c", readme_example())
        print("the README's example runs with the wheel alone")
        for program, extra in WITHOUT_EXTRAS.items():
            must_name(extra, "-c", program)
        must("-m", "pip", "install", "--quiet", f"{wheel}[cli,plot]")
        must("-m", "dncsc", "demo", "--rows", "100000")
        print("dncsc demo runs")
        must("-c", "import numpy; numpy.save('rows.npy', numpy.eye(50))")
        must_name(
            "dncsc[dask]", "-m", "dncsc", "fit", "rows.npy", "-k", "2", "--cluster", "tcp://nowhere:8786", "-o", "l.npy"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
