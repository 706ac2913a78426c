"""The command as a process: pipes, signals, terminals, and how it starts."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dncsc import DnCSC, datasets
from dncsc.atomic import open_held
from dncsc.cli import main
from dncsc.version import __version__

DNCSC = [sys.executable, "-m", "dncsc"]
CSV = "x,y\n" + "\n".join(f"{10 * (i % 2) + i / 100:.2f},{i % 7}" for i in range(60)) + "\n"


def run(*arguments: str, cwd: Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DNCSC, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, check=False, **options
    )


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file whose fit with many landmarks takes seconds in one thread: progress is told after one."""
    folder = tmp_path_factory.mktemp("many rows")
    np.save(folder / "rows.npy", datasets.load("fl-20m", 2_000_000)[0])
    return folder


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def wait_for(process: subprocess.Popen[str], word: str) -> str:
    """What was said on standard error until a word came."""
    assert process.stderr is not None
    said = ""
    while word not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    return said


@pytest.mark.long
def test_rows_and_labels_go_through_pipes(tmp_path):
    done = run("fit", "-", "-k", "2", "-o", "-", "--landmarks", "20", "--json", cwd=tmp_path, input=CSV)
    assert done.returncode == 0, done.stderr
    header, *labels = done.stdout.splitlines()
    assert header == "label"
    assert sorted(set(labels)) == ["0", "1"]
    assert labels == [labels[i % 2] for i in range(60)]
    facts = json.loads(done.stderr)
    assert (facts["data"], facts["sizes"], facts["outputs"]) == ("standard input", [30, 30], ["standard output"])
    assert files_in(tmp_path) == []


def test_progress_and_summary_are_plain_lines_without_a_terminal(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dncsc.cli.progress.PATIENCE", 0.0)
    monkeypatch.setattr("dncsc.cli.progress.SHORTEST", 0.0)
    (tmp_path / "rows.csv").write_text(CSV)
    assert main(["fit", "rows.csv", "-k", "2", "-o", "l.csv", "--landmarks", "20"]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert re.search(r"^nearest: 60 rows in [\d.]+ s, [\d.]+[kM]? rows/s, [\d.]+ [MG]B of memory$", err, re.MULTILINE)
    assert "60 rows of 2 features in 2 clusters" in err
    assert err.endswith("Written: l.csv\n")
    assert "\x1b" not in err


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path):
    command = [*DNCSC, "datasets", "make", "tm-1m", "--rows", "60000", "-o", "-", "-q"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "x0,x1,class\n"
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGINT, 130, "interrupted"),
        pytest.param(signal.SIGTERM, 143, "terminated", marks=pytest.mark.long),
    ],
)
def test_a_signal_ends_a_fit_at_once_and_leaves_nothing(number, code, word, many_rows, interruptible):
    before = files_in(many_rows)
    command = [
        *DNCSC,
        "fit",
        "rows.npy",
        "-k",
        "13",
        "--jobs",
        "1",
        "--method",
        "lsec",
        "-o",
        "l.parquet",
        "--model",
        "m.npz",
    ]
    with subprocess.Popen(command, cwd=many_rows, stderr=subprocess.PIPE, text=True) as process:
        wait_for(process, "survey: ")
        start = time.perf_counter()
        process.send_signal(number)
        said = process.stderr.read() if process.stderr else ""
        assert process.wait(20) == code
        assert time.perf_counter() - start < 2
    assert f"dncsc: {word}. Nothing was written. With --resume FOLDER" in said
    assert "Traceback" not in said
    assert files_in(many_rows) == before


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from dncsc.atomic import atomic_write
from dncsc.cli.interrupt import half_written, signals_end_at_once

folder = Path(sys.argv[1])
vars(os).pop("O_TMPFILE", None)  # so that the file has a name from the beginning
with signals_end_at_once("Sorry."), atomic_write(folder / "phase.npz"), half_written(folder / "spool") as spool:
    spool.touch()
    assert len(list(folder.iterdir())) == 4
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


@pytest.mark.parametrize(("name", "code", "word"), [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")])
def test_a_signal_removes_what_is_half_written_and_no_files_of_others(
    name, code, word, run_python, tmp_path, interruptible
):
    (tmp_path / ".mine.part").write_text("precious")
    with open_held(tmp_path / ".phase.npz.0123456789ab.part"):  # as another process does
        done = run_python(INTERRUPTED, tmp_path, name)
    assert (done.returncode, done.stderr) == (code, f"dncsc: {word}. Sorry.\n")
    assert files_in(tmp_path) == [".mine.part", ".phase.npz.0123456789ab.part"]


INTERRUPTED_IMPORT = """
import os, signal, sys

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Pressed())
from dncsc.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("dncsc.cli.interrupt", ["methods"]),
        ("dncsc.cli.app", ["methods"]),
        ("dncsc.estimators.registry", ["fit", "rows.npy", "-k", "2", "-o", "l.csv"]),
        ("dncsc.bench.suites", ["bench", "paper", "-o", "results.jsonl"]),
    ],
)
def test_ctrl_c_while_a_command_starts_is_told_in_a_line(module, arguments, run_python, tmp_path, interruptible):
    np.save(tmp_path / "rows.npy", np.ones((9, 2)))
    done = run_python(f"import os; os.chdir({str(tmp_path)!r})\n{INTERRUPTED_IMPORT}", module, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dncsc: interrupted.\n")
    assert files_in(tmp_path) == ["rows.npy"]


@pytest.mark.long
def test_an_interrupted_fit_goes_on_where_it_stopped(many_rows, interruptible):
    command = ["fit", "rows.npy", "-k", "13", "--jobs", "1", "--landmarks", "14000", "-o", "l.npy", "--resume", "kept"]
    with subprocess.Popen([*DNCSC, *command], cwd=many_rows, stderr=subprocess.PIPE, text=True) as process:
        wait_for(process, "select: ")
        process.send_signal(signal.SIGINT)
        said = process.stderr.read() if process.stderr else ""
        assert process.wait(20) == 130
    assert "the same command goes on from there" in said
    assert [name for name in files_in(many_rows) if name.endswith(".part") or name.startswith("l.")] == []
    done = run(*command, cwd=many_rows)
    assert done.returncode == 0, done.stderr
    assert "select: " not in done.stderr
    whole = DnCSC(13, n_landmarks=14000, random_state=0).fit(np.load(many_rows / "rows.npy"))
    np.testing.assert_array_equal(np.load(many_rows / "l.npy"), whole.labels_)
    (many_rows / "l.npy").unlink()


@pytest.mark.long
def test_a_terminal_shows_one_live_display_and_ctrl_c_ends_it(many_rows, interruptible):
    pty = pytest.importorskip("pty")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(many_rows)
        os.environ.update(TERM="xterm", COLUMNS="80")
        os.execv(
            sys.executable,
            [*DNCSC, "fit", "rows.npy", "-k", "13", "--jobs", "1", "--landmarks", "14000", "-o", "live.csv"],
        )
    said, pressed = b"", False
    while True:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, said
        try:
            some = os.read(terminal, 65536)
        except OSError:  # the other side is gone
            break
        if not some:
            break
        said += some
        if not pressed and b"of about" in said:
            os.write(terminal, b"\x03")
            pressed = True
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode())
    assert re.search(r"(survey|select|nearest|partition|discretize) +━", text)
    assert re.search(r"pass \d+ of about \d+, 0:00:\d\d so far", text)
    assert "rows/s" in text
    assert "MB of memory" in text
    assert "interrupted. Nothing was written." in text
    assert said.rstrip().rpartition(b"\x1b[?25")[2].startswith(b"h")  # the cursor is back
    assert "live.csv" not in files_in(many_rows)


def test_the_version_is_told(tmp_path):
    done = run("--version", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"dncsc {__version__}\n", "")


HELP_ALONE = """
import sys, types, pathlib
package = types.ModuleType("dncsc")  # the command alone, whatever the package itself imports
package.__path__ = [sys.argv[1]]
package.__version__ = "0"
sys.modules["dncsc"] = package
from dncsc.cli import main
assert main(["fit", "--help"]) == 0
heavy = {"numpy", "scipy", "sklearn", "numba", "pyarrow", "dask", "pandas", "matplotlib"}
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


def test_help_imports_nothing_heavy(run_python):
    import dncsc

    done = run_python(HELP_ALONE, Path(dncsc.__file__).parent)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_extra_the_command_says_what_to_install(missing, run_python):
    program = f"import sys; sys.modules[{missing!r}] = None; from dncsc.cli import main; sys.exit(main(['--help']))"
    done = run_python(program)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'dncsc: the command line needs typer and rich: pip install "dncsc[cli]"\n'


def test_the_shell_completes_methods(monkeypatch, capsys):
    monkeypatch.setenv("_DNCSC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "dncsc fit rows.npy --method u-")
    monkeypatch.setenv("COMP_CWORD", "4")
    assert main([]) == 0
    assert capsys.readouterr().out.split() == ["u-spec", "u-senc"]
