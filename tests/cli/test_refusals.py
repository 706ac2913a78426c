"""What the command line refuses: briefly, with the right exit code, and without leaving anything behind."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from dncsc import DnCSC, ExactSC
from dncsc.cli import main
from row_files import npy_claiming

JUNK = np.random.default_rng(0).bytes(3000)
ROWS = np.random.default_rng(1).normal(size=(300, 2))
FIT = ["-k", "2", "--landmarks", "20"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of rows, and in it the work."""
    monkeypatch.chdir(tmp_path)
    np.save("rows.npy", ROWS)
    return tmp_path


@pytest.fixture
def refused(folder: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that has to fail: gives what it says of that. Every file has to be as it was before."""

    def run(arguments: list[str], code: int) -> str:
        before = {path: (path.is_dir() or path.read_bytes()) for path in folder.rglob("*")}
        assert main(arguments) == code
        said = capfd.readouterr()
        assert said.out == ""
        line = said.err[f"\n{said.err}".rindex("\ndncsc: ") :]
        assert "Traceback" not in said.err
        assert {path: (path.is_dir() or path.read_bytes()) for path in folder.rglob("*")} == before
        return line

    return run


def parquet(**columns: object) -> Callable[[Path], None]:
    return lambda path: pa.parquet.write_table(pa.table(columns), path)


def truncated(path: Path) -> None:
    saved = path.with_name("whole")
    if path.suffix == ".parquet":
        parquet(a=ROWS[:, 0], b=ROWS[:, 1])(saved)
    else:
        with saved.open("wb") as file:
            np.save(file, ROWS) if path.suffix == ".npy" else np.savez(file, X=ROWS)
    path.write_bytes(saved.read_bytes()[: saved.stat().st_size // 2])
    saved.unlink()


def claiming(shape: str) -> bytes:
    return npy_claiming(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}", bytes(80))


BAD_FILES = [
    ("empty.csv", b"", 3, "is empty"),
    ("empty.parquet", b"", 3, "is empty"),
    ("cut off.parquet", truncated, 3, "damaged or truncated"),
    ("cut off.npy", truncated, 3, "is truncated"),
    ("cut off.npz", truncated, 3, "damaged or truncated"),
    *((f"junk.{kind}", JUNK, 3, "unknown kind") for kind in ("csv", "npy", "npz", "parquet", "feather", "arrow")),
    ("parquet.csv", parquet(a=[1.0, 2.0]), 3, "the suffix .csv claims text, but the content is a Parquet file"),
    ("ragged.csv", b"a,b\n1,2\n3,4,5\n6,7\n", 2, "line 3 has 3 cells; the first has 2"),
    ("text.csv", b"a,b\n1,2\n3,x\n", 2, "-o labels.csv --model m.npz --categorical one-hot --scale standard\n"),
    ("text.parquet", parquet(a=["x", "y"], b=[1.0, 2.0]), 2, "--model m.npz --categorical one-hot --scale standard\n"),
    ("missing.csv", b"a,b\n1,2\n3,\n", 2, "--model m.npz --missing median\n"),
    ("missing.parquet", parquet(a=[1.0, None, 3.0]), 2, "--model m.npz --missing median\n"),
    ("nan.csv", b"a,b\n1,2\n3,nan\n5,6\n", 2, "--model m.npz --missing median\n"),
    ("twice.csv", b"a,a\n1,2\n3,4\n", 2, "more than one column called 'a'"),
    ("none.csv", b"a,b\n", 2, "no rows"),
    ("few.csv", b"a,b\n1,2\n", 2, "-k 2: few.csv has only 1 row"),
    ("ünï cödé.csv", b"a,b\n1,2\n3,x\n", 2, "ünï cödé.csv has columns that cannot be used"),
    ("one dimension.npy", lambda path: np.save(path, ROWS[:, 0]), 2, "one dimension"),
    ("negative.npy", claiming("(-5, 2)"), 3, "is damaged or truncated: its header claims the shape (-5, 2)"),
    ("longer.npy", claiming("(10**9, 2)"), 3, "is damaged or truncated: its header is unsound"),
    ("huge.npy", claiming("(1000000000000, 2)"), 3, "is truncated: 1000000000000 rows of 2 float64 end at byte"),
    ("nested.npy", npy_claiming("(" * 110), 3, "is damaged or truncated: its header is unsound"),
    ("objects.npy", lambda path: np.save(path, np.array([{}], object)), 2, "Python objects"),
]


@pytest.mark.parametrize(("name", "content", "code", "words"), BAD_FILES, ids=[each[0] for each in BAD_FILES])
def test_a_bad_file_is_refused_by_name(name, content, code, words, folder, refused):
    path = folder / name
    path.write_bytes(content) if isinstance(content, bytes) else content(path)
    line = refused(["fit", name, "-k", "2", "-o", "labels.csv", "--model", "m.npz"], code)
    assert words in line
    assert name in line or "nan" in name


def test_a_file_that_is_not_there_or_not_a_file_is_trouble_with_files(folder, refused):
    (folder / "nothing in it").mkdir()
    assert "nowhere.csv cannot be read" in refused(["fit", "nowhere.csv", *FIT, "-o", "l.csv"], 3)
    assert "holds no data files" in refused(["fit", "nothing in it", *FIT, "-o", "l.csv"], 3)
    assert "no file fits the pattern" in refused(["fit", "*.tsv", *FIT, "-o", "l.csv"], 3)
    assert "nowhere.npz: no such file" in refused(["predict", "nowhere.npz", "rows.npy", "-o", "l.csv"], 3)


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root reads everything")
def test_an_unreadable_file_is_trouble_with_files(folder, refused):
    os.chmod("rows.npy", 0)
    try:
        assert main(["fit", "rows.npy", *FIT, "-o", "l.csv"]) == 3
    finally:
        os.chmod("rows.npy", 0o644)


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", 3, "standard input is empty"),
        (b"a,b\n1,2\n3\n", 2, "standard input: line 3 has 1 cell; the first has 2"),
        (b"PAR1 and so on\0", 2, "what came is a Parquet file"),
    ],
)
def test_bad_standard_input_is_called_so(content, code, words, folder, refused, monkeypatch):
    (folder / "piped").write_bytes(content)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with (folder / "piped").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert words in refused(["fit", "-", *FIT, "-o", "l.csv"], code)


OUTPUTS = [
    (["-o", "rows.npy", "--force"], 2, "-o: rows.npy is the input"),
    (["-o", "folder/../rows.npy", "--force"], 2, "is the input"),
    (["-o", "link.npy", "--force"], 2, "is the input"),
    (["-o", "there.csv"], 2, "there.csv exists already. Choose another name, or overwrite it with --force"),
    (["-o", "l.csv", "--model", "there.npz"], 2, "--model: there.npz exists already"),
    (["-o", "l.npz", "--model", "./l.npz"], 2, "--model and -o both name l.npz"),
    (["-o", "l.csv", "--report", "there.html"], 2, "--report: there.html exists already"),
    (["-o", "nowhere/l.csv"], 3, "there is no folder"),
    (["-o", "folder"], 3, "folder is a folder"),
    (["-o", "l.xlsx"], 2, "has to end in one of .csv, .tsv, .parquet, .feather, .arrow, .npy, .npz"),
    (["-o", "l"], 2, "'l' has no suffix"),
    (["--model", "m.pickle"], 2, "has to end in .npz"),
    (["-o", "l.csv", "--resume", "there.csv"], 3, "--resume: there.csv is a file"),
    (["--id", "0", "-o", "l.npy"], 2, "--id: a .npy file"),
    (["--id", "0", "--model", "m.npz"], 2, "--id carries a column over"),
    ([], 2, "nothing would be kept"),
    *([(["-o", "/proc/l.csv"], 3, "cannot write into the folder /proc")] if Path("/proc/self").exists() else []),
]


@pytest.mark.parametrize(("outputs", "code", "words"), OUTPUTS, ids=[" ".join(each[0]) for each in OUTPUTS])
def test_an_output_that_would_lose_something_is_refused_before_any_work(
    outputs, code, words, folder, refused, monkeypatch
):
    for name in ("there.csv", "there.npz", "there.html"):
        (folder / name).write_text("precious")
    (folder / "folder").mkdir()
    (folder / "link.npy").symlink_to(folder / "rows.npy")
    monkeypatch.setattr("dncsc.DnCSC.fit", None)
    assert words in refused(["fit", "rows.npy", *FIT, *outputs], code)


def test_no_output_goes_into_the_folder_that_is_read(folder, refused):
    (folder / "parts").mkdir()
    np.save(folder / "parts" / "1.npy", ROWS)
    assert "lies in the input folder" in refused(["fit", "parts", *FIT, "-o", "parts/l.csv"], 2)
    (folder / "link").symlink_to(folder / "parts")
    for resume, words in [("parts", "is the input"), ("link", "is the input"), ("parts/work", "lies in the input")]:
        line = refused(["fit", "parts", *FIT, "-o", "l.csv", "--resume", resume], 2)
        assert f"--resume: {resume} {words}" in line


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_only_regular_files_are_replaced(folder, refused):
    os.mkfifo("pipe.csv")
    try:
        assert main(["fit", "rows.npy", *FIT, "-o", "pipe.csv", "--force"]) == 2
    finally:
        os.unlink("pipe.csv")


OPTIONS = [
    (["-k", "0"], "-k must be a number of clusters of at least 1, or auto; got '0'"),
    (["-k", "many"], "-k must be a number of clusters"),
    (["-k", "400"], "-k 400: rows.npy has only 300 rows"),
    ([*FIT, "--method", "dnc"], "Did you mean 'dnc-sc'?"),
    (["-k", "auto", "--method", "u-spec"], "-k auto: the method u-spec does not count clusters; dnc-sc does."),
    ([*FIT, "--method", "k-means"], "--landmarks: the method k-means has no use for it"),
    ([*FIT, "--max-clusters", "9"], "is a number already. Leave it out, or give -k auto"),
    (["-k", "30", "--landmarks", "20"], "--landmarks 20 must be at least -k 30"),
    ([*FIT, "--jobs", "0"], "--jobs must be a number of threads, or -1 for all cores; got 0."),
    ([*FIT, "--max-memory", "plenty"], '--max-memory must be a size such as "2GB"'),
    ([*FIT, "--max-memory", "1MB"], "Raise --max-memory, or lower --landmarks or --jobs"),
    ([*FIT, "--max-memory", "1GB", "--cluster", "tcp://host:8786"], "--max-memory is for this machine"),
    ([*FIT, "--scale", "fair"], "'fair' is not one of 'none', 'standard', 'robust'"),
    ([*FIT, "--columns", "a"], "rows.npy has no column names; its columns are 0 to 1; got 'a'"),
    ([*FIT, "--columns", "0,7"], "its columns are 0 to 1; got '7'"),
    ([*FIT, "--columns", "0", "--drop", "1"], "--columns and --drop exclude each other"),
    ([*FIT, "--columns", "0", "--id", "0"], "'0' stands in --columns and in --id"),
    ([*FIT, "--drop", "0,1"], "no column of rows.npy is left"),
    ([*FIT, "--columns", "0,,1"], "column names stand between commas"),
    ([*FIT, "--sede", "1"], "See: dncsc fit --help"),
    ([], "missing option '--clusters' / '-k'. See: dncsc fit --help"),
]


@pytest.mark.parametrize(("options", "words"), OPTIONS, ids=[" ".join(each[0]) for each in OPTIONS])
def test_options_that_make_no_sense_are_named(options, words, refused):
    assert words in refused(["fit", "rows.npy", "-o", "l.csv", *options], 2)


def test_no_method_is_given_the_needs_of_another(refused):
    for method in ("lsec", "nystrom", "dnc-sc/nearest=exact"):
        line = refused(["estimate", "rows.npy", "--method", method], 2)
        assert f"is known of dnc-sc alone, not of {method}. Leave it out" in line


def test_estimate_refuses_what_a_fit_would_refuse(refused):
    table = ["estimate", "--rows", "50000", "--features", "2"]
    assert "--landmarks 1000 must be at least -k 2000" in refused([*table, "-k", "2000", "--landmarks", "1000"], 2)
    assert "-k 60000: the table has only 50,000 rows" in refused([*table, "-k", "60000", "--landmarks", "60000"], 2)


def test_names_of_columns_that_do_not_exist_are_answered_with_those_that_do(folder, refused):
    parquet(height=ROWS[:, 0], weight=ROWS[:, 1])(folder / "rows.parquet")
    line = refused(["fit", "rows.parquet", *FIT, "-o", "l.csv", "--columns", "hieght"], 2)
    assert "Did you mean 'height'? It has: height, weight" in line


def test_a_model_refuses_rows_with_other_columns(folder, refused, capfd):
    parquet(height=ROWS[:, 0], weight=ROWS[:, 1])(folder / "rows.parquet")
    parquet(height=ROWS[:, 0], age=ROWS[:, 1])(folder / "other.parquet")
    np.save("three.npy", np.ones((5, 3)))
    assert main(["fit", "rows.parquet", *FIT, "--model", "m.npz", "-q"]) == 0
    assert "no column called 'weight'" in refused(["predict", "m.npz", "other.parquet", "-o", "l.csv"], 2)
    assert "has 3 columns that would be features" in refused(["predict", "m.npz", "three.npy", "-o", "l.csv"], 2)
    assert "m.npz is the input" in refused(["predict", "m.npz", "rows.parquet", "-o", "m.npz", "--force"], 2)
    (folder / "junk.npz").write_bytes(JUNK)
    assert "junk.npz" in refused(["info", "junk.npz"], 2)


def test_names_of_strangers_cannot_command_a_terminal(folder, capfd):
    hidden = "\x1b[2J\x07\u202e\u2066\u2028\ud800\r\n"
    model = DnCSC(2, n_landmarks=20, random_state=0).fit(ROWS)
    model.feature_names_in_ = np.array(["a" + hidden, "b"], object)
    model.save("m.npz", notes={"data": f"rows{hidden}.csv"})
    Path("rows.csv").write_bytes(f'"a{hidden[:-3]}",b\n1,2\n3,x\n'.encode())
    commands = [["info", "m.npz"], ["info", "m.npz", "--json"], ["info", "rows.csv"]]
    commands += [["predict", "m.npz", "rows.csv", "-o", "l.csv"], ["fit", "rows.csv", "-k", "2", "-o", "l.csv"]]
    for command in commands:
        assert main(command) in (0, 2)
        out, err = capfd.readouterr()
        shown = (out + err).replace("\n", "")
        assert r"\u202e" in shown
        assert not {letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl")}


STRANGE = [[1], 7, "x", {"scale": [1, 1]}, {"centre": [0, 0], "scale": [10**400, 1]}, {"centre": "ab", "scale": [1, 1]}]
STRANGE += [{"centre": [0, 0], "scale": [1, 1], "how": how} for how in ("fair", ["standard"], 10**400)]
STRANGE += [{"version": 1, "missing": "refuse", "scale": "none", "weight": 10**400, "columns": []}]


@pytest.mark.parametrize("note", ["scale", "encoding"])
def test_a_model_with_strange_notes_is_damaged_and_no_fault_of_ours(note, refused):
    model = DnCSC(2, n_landmarks=20, random_state=0).fit(ROWS)
    for value in STRANGE:
        model.save("m.npz", notes={note: value})
        for command in (["info", "m.npz"], ["predict", "m.npz", "rows.npy", "-o", "l.csv"]):
            assert "m.npz cannot be used: the model's file" in refused(command, 2)


def test_a_method_that_cannot_label_new_rows_leaves_no_model_and_predicts_nothing(refused, monkeypatch):
    ExactSC(2, random_state=0).fit(ROWS).save("sc.npz")
    line = refused(["predict", "sc.npz", "rows.npy", "-o", "l.csv"], 2)
    assert "sc.npz is a model of ExactSC, which cannot label new rows" in line
    monkeypatch.setattr("dncsc.ExactSC.fit", None)
    line = refused(["fit", "rows.npy", "-k", "2", "--method", "sc", "-o", "l.csv", "--model", "m.npz"], 2)
    assert "--model: the method sc cannot label new rows" in line


def test_a_failure_while_writing_leaves_what_was_there(folder, refused, monkeypatch):
    (folder / "l.csv").write_text("precious")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "l.csv")

    monkeypatch.setattr("dncsc.rows.text.TextWriter.write", full)
    assert "l.csv: no space left on device. Make room" in refused(
        ["fit", "rows.npy", *FIT, "-o", "l.csv", "--force"], 3
    )


@pytest.mark.skipif(os.name != "posix", reason="no limits of files here")
def test_a_file_that_is_too_large_is_named_with_its_option(folder, refused):
    import resource

    assert main(["fit", "rows.npy", *FIT, "--model", "m.npz", "-q"]) == 0
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, limits[1]))
    try:
        line = refused(["predict", "m.npz", "rows.npy", "-o", "l.csv", "-q"], 3)
        assert "-o l.csv: file too large. Files may be no larger there" in line
        line = refused(["fit", "rows.npy", *FIT, "--model", "n.npz", "-q"], 3)
        assert "--model n.npz: file too large" in line
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_model_stays_when_labels_cannot_be_written_and_gives_them_again(folder, capfd, monkeypatch):
    def fails(*_: object) -> None:
        raise ValueError("the labels are shy")

    with monkeypatch.context() as patched:
        patched.setattr("dncsc.rows.text.TextWriter.write", fails)
        assert main(["fit", "rows.npy", *FIT, "-o", "l.csv", "--model", "m.npz", "-q"]) == 2
    first, last = capfd.readouterr().err.splitlines()
    assert first.startswith("dncsc: l.csv could not be written. Written before: m.npz. With the model, dncsc predict ")
    assert last == "dncsc: the labels are shy."
    assert sorted(path.name for path in folder.iterdir()) == ["m.npz", "rows.npy"]
    assert main(["predict", "m.npz", "rows.npy", "-o", "l.csv", "-q"]) == 0


def test_no_file_that_came_into_being_during_a_fit_is_lost_and_no_result_either(folder, capfd, monkeypatch):
    fit = DnCSC.fit

    def intruded(*given: object) -> object:
        for name in ("l.csv", "m.npz"):
            (folder / name).write_text("precious")
        return fit(*given)

    monkeypatch.setattr(DnCSC, "fit", intruded)
    command = ["fit", "rows.npy", *FIT, "-o", "l.csv", "--model", "m.npz", "-q"]
    assert main(command) == 3
    lines = capfd.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["m.npz", "l.csv"]
    for line, name in zip(lines, ("m-2.npz", "l-2.csv"), strict=True):
        assert "exists already, and stays as it is" in line
        assert line.endswith(f"{name}.")
    assert (folder / "l.csv").read_text() == (folder / "m.npz").read_text() == "precious"
    assert main(["predict", "m-2.npz", "rows.npy", "-o", "again.csv", "-q"]) == 0
    assert (folder / "again.csv").read_bytes() == (folder / "l-2.csv").read_bytes()
    assert main([*command, "--force"]) == 0
    assert (folder / "l.csv").read_bytes() == (folder / "l-2.csv").read_bytes()


def test_force_overwrites_and_keeps_who_may_read(folder):
    (folder / "l.csv").write_text("precious")
    (folder / "l.csv").chmod(0o640)
    assert main(["fit", "rows.npy", *FIT, "-o", "l.csv", "--force", "-q"]) == 0
    assert len((folder / "l.csv").read_text().splitlines()) == 301
    assert (folder / "l.csv").stat().st_mode & 0o777 == 0o640


def test_a_link_is_followed_not_replaced(folder):
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "real.csv").write_text("old")
    (folder / "l.csv").symlink_to(folder / "elsewhere" / "real.csv")
    assert main(["fit", "rows.npy", *FIT, "-o", "l.csv", "--force", "-q"]) == 0
    assert (folder / "l.csv").is_symlink()
    assert (folder / "elsewhere" / "real.csv").read_text().startswith("label\n")


def test_where_an_error_arose_is_shown_on_demand_only(folder, capfd):
    assert main(["fit", "nowhere.csv", *FIT, "-o", "l.csv", "--debug"]) == 3
    assert "Traceback" in capfd.readouterr().err


def test_a_fault_of_our_own_says_so(folder, refused, monkeypatch):
    monkeypatch.setattr("dncsc.DnCSC.fit", lambda *_: {}["key"])
    assert "this is a fault of dncsc: KeyError" in refused(["fit", "rows.npy", *FIT, "-o", "l.csv", "-q"], 1)
