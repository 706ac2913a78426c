"""Files appear whole or not at all, and leave nothing else in their folder."""

from __future__ import annotations

import os
import signal

import pytest

from dncsc.atomic import FileAppearedError, atomic_write


@pytest.fixture(params=["without a name", "with a name"])
def folder(request, tmp_path, monkeypatch):
    """A folder of a system that has files without a name, and of one that has not."""
    if request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return tmp_path


def names(folder):
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("old", [b"old", None])
def test_a_file_takes_its_place_when_all_is_written(folder, old):
    target = folder / "föo"
    if old:
        target.write_bytes(old)
    with atomic_write(target) as file:
        file.write(b"new")
        assert (target.read_bytes() if target.exists() else None) == old
    assert target.read_bytes() == b"new"
    assert names(folder) == ["föo"]


def test_its_mode_is_that_of_any_new_file(folder):
    (folder / "any").write_bytes(b"")
    with atomic_write(folder / "file"):
        pass
    assert (folder / "file").stat().st_mode == (folder / "any").stat().st_mode


def test_who_may_read_what_is_replaced_may_read_the_new_file(folder):
    (folder / "file").write_bytes(b"old")
    (folder / "file").chmod(0o600)
    with atomic_write(folder / "file") as file:
        file.write(b"new")
    assert (folder / "file").read_bytes() == b"new"
    assert (folder / "file").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("old", [b"old", None])
def test_a_link_stays_and_what_it_leads_to_is_replaced(folder, old):
    (folder / "elsewhere").mkdir()
    if old:
        (folder / "elsewhere" / "real").write_bytes(old)
    (folder / "link").symlink_to(folder / "elsewhere" / "real")
    with atomic_write(folder / "link") as file:
        file.write(b"new")
    assert (folder / "link").is_symlink()
    assert (folder / "elsewhere" / "real").read_bytes() == b"new"
    assert (names(folder), names(folder / "elsewhere")) == (["elsewhere", "link"], ["real"])


def test_nothing_is_left_of_what_failed(folder):
    (folder / "file").write_bytes(b"old")

    def fail():
        with atomic_write(folder / "file") as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert (folder / "file").read_bytes() == b"old"
    assert names(folder) == ["file"]


def test_several_may_write_the_same_file_and_the_last_to_end_stays(folder):
    with atomic_write(folder / "file") as first:
        with atomic_write(folder / "file") as second:
            second.write(b"second")
        first.write(b"first")
    assert (folder / "file").read_bytes() == b"first"
    assert names(folder) == ["file"]


def test_what_came_into_being_meanwhile_is_not_replaced_and_nothing_is_lost(folder):
    def write(content):
        with atomic_write(folder / "file.csv", overwrite=False) as file:
            file.write(content)
            (folder / "file.csv").write_bytes(b"theirs")

    for number in (2, 3):
        with pytest.raises(FileAppearedError, match=rf"is in .*file-{number}\.csv\.$") as caught:
            write(b"ours %d" % number)
        assert caught.value.kept.read_bytes() == b"ours %d" % number
    assert (folder / "file.csv").read_bytes() == b"theirs"
    assert names(folder) == ["file-2.csv", "file-3.csv", "file.csv"]


def test_a_new_file_is_made_where_nothing_is_even_in_a_folder_without_links(folder, monkeypatch):
    def refuse(*given, **options):
        raise PermissionError("no links here")

    with atomic_write(folder / "linked", overwrite=False) as file:
        file.write(b"new")
    monkeypatch.setattr(os, "link", refuse)
    with atomic_write(folder / "moved", overwrite=False) as file:
        file.write(b"new")
    assert (folder / "linked").read_bytes() == (folder / "moved").read_bytes() == b"new"
    assert (folder / "linked").stat().st_mode == (folder / "moved").stat().st_mode
    assert names(folder) == ["linked", "moved"]


def test_a_folder_that_is_not_there_is_an_error(folder):
    with pytest.raises(FileNotFoundError), atomic_write(folder / "missing" / "file"):
        pass


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the system has no files without a name")
def test_where_a_file_cannot_be_given_a_name_it_has_one_from_the_beginning(tmp_path, monkeypatch):
    def refuse(*given, **options):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    with atomic_write(tmp_path / "file") as file:
        file.write(b"new")
        assert len(names(tmp_path)) == 1
    assert (tmp_path / "file").read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


KILLED = """
import os, signal, sys
import numpy as np
from dncsc import LloydKMeans, watch

def kill(phase, done, n_rows):
    if phase == "discretize":
        os.kill(os.getpid(), signal.SIGKILL)

with watch(kill):
    LloydKMeans(2).fit(np.arange(1000.0)[:, None], labels_to=sys.argv[1], overwrite=True)
"""


def unnamed_files_in(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except (AttributeError, OSError):
        return False
    return True


def test_what_a_killed_process_left_is_removed_by_the_next_that_writes_the_file_and_nothing_else(folder):
    for left in (".file.0123456789ab.part", ".other.0123456789ab.part", ".file.mine.part", "file.0123456789ab.part"):
        (folder / left).write_bytes(b"left")
    with atomic_write(folder / "file") as slow:
        with atomic_write(folder / "file") as quick:
            quick.write(b"quick")
        slow.write(b"slow")  # it is not taken for one that was left
    assert (folder / "file").read_bytes() == b"slow"
    assert names(folder) == sorted(["file", ".other.0123456789ab.part", ".file.mine.part", "file.0123456789ab.part"])


def test_nothing_is_left_of_a_fit_that_was_killed(run_python, tmp_path):
    if not unnamed_files_in(tmp_path):
        pytest.skip("the system has no files without a name")
    (tmp_path / "labels.npy").write_bytes(b"old")
    assert run_python(KILLED, tmp_path / "labels.npy").returncode == -signal.SIGKILL
    assert (tmp_path / "labels.npy").read_bytes() == b"old"
    assert names(tmp_path) == ["labels.npy"]
