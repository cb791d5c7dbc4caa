"""Temporary folders whose process is gone are removed, those of living ones are left alone."""

import errno
import fcntl
import subprocess
import sys
import tempfile

import pytest

from data_loaders.reading.scratch import scratch_folder, sweep

HOLD = """
import sys
from pathlib import Path
from data_loaders.reading.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1]) if len(sys.argv) > 1 else None) as folder:
    (folder / "part.arrow").write_text("half")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds a folder, and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process, tmp_path / process.stdout.readline().strip().rpartition("/")[2]
    process.kill()
    process.communicate()


def test_the_folder_is_gone_afterwards(tmp_path):
    with scratch_folder(tmp_path) as folder:
        (folder / "a").write_text("x")
    assert not list(tmp_path.iterdir())


def test_a_living_process_keeps_its_folder(holder, tmp_path):
    process, folder = holder
    with scratch_folder(tmp_path) as other:
        sweep(tmp_path, whole=True)
        assert folder.is_dir()
        assert other.is_dir()
    process.communicate("")
    assert not folder.exists()


def test_a_killed_process_leaves_nothing_for_long(holder, tmp_path):
    process, folder = holder
    process.kill()
    process.wait()
    assert (folder / "part.arrow").exists()
    with scratch_folder(tmp_path):
        assert not folder.exists()


def test_only_our_folders_are_removed_from_a_place_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    target = tmp_path / "target"
    for name in ("target", "tilescope-scratch-old", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "tilescope-scratch-link").symlink_to(target)
    (tmp_path / "tilescope-scratch-file").write_text("")
    sweep()
    assert {path.name for path in tmp_path.iterdir()} == {
        "target",
        "other",
        "tilescope-scratch-link",
        "tilescope-scratch-file",
    }


def test_a_folder_of_a_person_keeps_everything_else_and_is_not_made(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "tilescope-scratch-old").mkdir()
    with scratch_folder(tmp_path, shared=True) as folder:
        assert {path.name for path in tmp_path.iterdir()} == {"mine", folder.name}
    with pytest.raises(FileNotFoundError), scratch_folder(tmp_path / "missing", shared=True):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_file_system_without_locks_has_folders(tmp_path, monkeypatch):
    def refuse(_lock, _kind):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with scratch_folder(tmp_path) as folder, scratch_folder(tmp_path) as other:
        assert folder.is_dir()
        assert other.is_dir()
    assert not list(tmp_path.iterdir())
