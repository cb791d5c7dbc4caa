"""`backup` and `restore` as commands."""

import json
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from storage.catalogue import Catalogue
from storage.files import open_files
from tests.support.backups import damage_member, remake
from tests.support.command_line import error_of, run
from tests.support.waiting import PATIENCE_S, wait_until

ROOT = Path(__file__).resolve().parents[4]
SAMPLE = ROOT / "samples" / "minimalloc"


@pytest.fixture
def filled(tmp_path):
    """The folder of a store with the samples of a source."""
    assert run("ingest", SAMPLE, "--data", tmp_path / "filled").exit_code == 0
    return tmp_path / "filled"


@pytest.fixture
def file(filled, tmp_path):
    path = tmp_path / "backup.tar"
    result = run("backup", path, "--data", filled)
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"{path.stat().st_size:,} bytes" in result.stdout
    return path


def listed(data):
    return json.loads(run("runs", "--json", "--data", data).stdout)


def test_what_is_restored_is_what_was_backed_up(filled, file, tmp_path):
    result = run("restore", file, "--data", tmp_path / "other")
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"{len(listed(filled))} runs" in result.stdout
    assert listed(tmp_path / "other") == listed(filled)


def test_a_changed_frame_with_its_manifest_is_refused_before_anything_is_written(
    filled, file, tmp_path
):
    with tarfile.open(file) as tar:
        names = [member.name for member in tar if member.name.startswith("frames/")]
        other = tar.extractfile(names[0]).read() + b"more"
    made, data = remake(file, replace={names[0]: other}, signed=True), tmp_path / "other"
    _, run_id, frame = names[0].removesuffix(".parquet").split("/")
    said = error_of("restore", made, "--data", data)
    assert run_id in said
    assert frame in said
    assert not data.exists()
    assert run("backup", "--verify", made).exit_code == 1
    assert run("restore", made, "--accept-damage", "--data", data).exit_code == 0


def test_errors_are_one_line(filled, file, tmp_path):
    assert str(filled) in error_of("restore", file, "--data", filled)
    short = cut(file)
    assert str(short) in error_of("restore", short, "--data", tmp_path / "other")
    assert "none.tar" in error_of("restore", tmp_path / "none.tar", "--data", tmp_path / "other")
    assert f"'{tmp_path}'" in error_of("backup", tmp_path, "--data", filled)
    assert str(tmp_path / "other") in error_of("backup", file, "--data", tmp_path / "other")
    assert "/dev/null" in error_of("backup", "/dev/null", "--data", filled)
    assert listed(tmp_path / "other") == []


def cut(file):
    path = file.with_name("cut.tar")
    path.write_bytes(file.read_bytes()[: file.stat().st_size * 2 // 3])
    return path


def test_damage_is_told_and_the_exit_code_says_so(filled, tmp_path):
    next((filled / "frames").rglob("*.pack")).unlink()
    result = run("backup", tmp_path / "b.tar", "--data", filled)
    assert result.exit_code == 1
    assert result.stderr.startswith("Warning: frame ")
    assert run("restore", tmp_path / "b.tar", "--data", tmp_path / "other").exit_code == 0
    assert listed(tmp_path / "other") == listed(filled)


def app(*args):
    command = [sys.executable, "-m", "app", *map(str, args)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_ended_restore_leaves_all_or_nothing(how, filled, file, tmp_path):
    data = tmp_path / "other"
    process = app("restore", file, "--data", data)
    wait_until(lambda: [*(data / "frames").rglob("*.pack")] or process.poll() is not None)
    process.send_signal(how)
    process.communicate(timeout=PATIENCE_S)
    assert listed(data) in ([], listed(filled))
    if not listed(data):
        assert run("restore", file, "--data", data).exit_code == 0
    catalogue = Catalogue(f"sqlite:///{data}/catalogue.db")
    assert catalogue.pending() == []
    catalogue.close()
    assert len([*(data / "frames").rglob("*.pack")]) == len([*(filled / "frames").rglob("*.pack")])


@pytest.mark.slow
def test_an_ended_backup_leaves_nothing_beside_the_file(filled, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    process = app("backup", folder / "b.tar", "--data", filled)
    wait_until(lambda: [*folder.iterdir()] or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert [path.name for path in folder.iterdir()] in ([], ["b.tar"])


class TestVerify:
    def test_a_whole_backup_is_said_in_one_line(self, file):
        result = run("backup", "--verify", file)
        assert (result.exit_code, result.stderr, result.stdout.count("\n")) == (0, "", 1)
        assert f"{file.stat().st_size:,} bytes" in result.stdout

    def test_each_problem_is_a_line_with_file_and_place(self, file):
        with tarfile.open(file) as tar:
            names = [name for name in tar.getnames() if name.startswith("frames/")][:2]
        for name in names:
            damage_member(file, name)
        result = run("backup", "--verify", file)
        assert (result.exit_code, result.stdout.count("\n")) == (1, 1)
        lines = result.stderr.splitlines()
        assert len(lines) == 2
        assert all(line.startswith(f"Error: {file} ") for line in lines)
        assert {name for name in names for line in lines if name in line} == {*names}

    def test_json_says_the_same(self, file):
        found = json.loads(run("backup", "--verify", "--json", file).stdout)
        assert (found["problems"], found["size"]) == ([], file.stat().st_size)
        result = run("backup", "--verify", "--json", cut(file))
        assert (result.exit_code, len(json.loads(result.stdout)["problems"])) == (1, 1)

    def test_no_store_is_made_or_asked(self, file, tmp_path):
        assert run("backup", "--verify", file, "--data", tmp_path / "none").exit_code == 0
        assert not (tmp_path / "none").exists()

    def test_what_cannot_be_read_is_one_line(self, file, tmp_path):
        assert "none.tar" in error_of("backup", "--verify", tmp_path / "none.tar")
        assert "directory" in error_of("backup", "--verify", tmp_path)
        error_of("backup", "--json", tmp_path / "b.tar")
        error_of("backup", "s3://bucket/b.tar")

    @pytest.mark.slow
    def test_an_object_is_verified_and_restored_at_its_address(
        self, file, filled, object_storage, tmp_path
    ):
        place = object_storage.new()
        open_files(place).put("b.tar", file)
        assert run("backup", "--verify", f"{place}/b.tar").exit_code == 0
        assert run("restore", f"{place}/b.tar", "--data", tmp_path / "other").exit_code == 0
        assert listed(tmp_path / "other") == listed(filled)
        assert "none.tar" in error_of("backup", "--verify", f"{place}/none.tar")


class TestKept:
    @pytest.fixture(autouse=True)
    def place(self, tmp_path, monkeypatch):
        """The folder of backups, which is set."""
        folder = tmp_path / "kept"
        folder.mkdir()
        monkeypatch.setenv("TILESCOPE_BACKUP_TO", str(folder))
        monkeypatch.setenv("TILESCOPE_BACKUP_KEEP", "2")
        return folder

    @pytest.mark.slow
    def test_backups_without_a_file_are_kept_listed_and_restored(self, filled, place, tmp_path):
        for _ in range(3):
            result = run("backup", "--data", filled)
            assert (result.exit_code, result.stderr) == (0, "")
        known = json.loads(run("backup", "--list", "--json", "--data", filled).stdout)
        kept = [one["name"] for one in known["backups"]]
        assert {*kept} == {path.name for path in place.iterdir()}
        assert (len(kept), known["failures"], known["last_name"] in kept) == (2, 0, True)
        listing = run("backup", "--list", "--data", filled)
        assert listing.exit_code == 0
        assert all(name in listing.stdout for name in kept)
        assert run("restore", place / kept[0], "--data", tmp_path / "other").exit_code == 0
        assert listed(tmp_path / "other") == listed(filled)

    def test_what_was_damaged_before_is_told(self, filled, place):
        next((filled / "frames").rglob("*.pack")).unlink()
        result = run("backup", "--data", filled)
        assert result.exit_code == 1
        assert result.stderr.startswith("Warning: ")
        assert len([*place.iterdir()]) == 1

    def test_a_failure_is_one_line_and_listed(self, filled, place):
        place.rmdir()
        assert str(place) in error_of("backup", "--data", filled)
        place.mkdir()
        assert str(place) in run("backup", "--list", "--data", filled).stdout.splitlines()[1]

    def test_errors_are_one_line(self, filled, place, tmp_path, monkeypatch):
        assert "no catalogue" in error_of("backup", "--data", tmp_path / "none")
        assert not (tmp_path / "none").exists()
        error_of("backup", "--list", tmp_path / "b.tar", "--data", filled)
        error_of("backup", "--verify", "--data", filled)
        error_of("backup", "--json", "--data", filled)
        place.rmdir()
        assert str(place) in error_of("backup", "--list", "--data", filled)
        monkeypatch.delenv("TILESCOPE_BACKUP_TO")
        assert "backup_to" in error_of("backup", "--data", filled)
        assert "backup_to" in error_of("backup", "--list", "--data", filled)
