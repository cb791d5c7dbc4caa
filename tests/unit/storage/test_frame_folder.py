"""Bytes of object storage on a local disk: read once by all processes, bounded, never trusted."""

import os

import pandas as pd
import pytest

from ingest.files import ingest
from storage.folder_files import FolderFiles
from storage.frame_folder import BUCKETS, FrameFolder
from storage.repository import Repository
from tests.support.aie_trace import trace_text
from tests.support.small_disk import small_disk


def never():
    raise AssertionError("the store was read")


def files_in(folder):
    return sorted(file for file in folder.glob("*/*") if file.is_file())


def bytes_in(folder):
    return sum(file.stat().st_size for file in files_in(folder))


@pytest.fixture
def folder(tmp_path):
    return FrameFolder(tmp_path, 2**20)


def test_another_process_reads_the_file(tmp_path, folder):
    assert folder.get("r/1", "a", lambda: b"bytes") == b"bytes"
    assert FrameFolder(tmp_path, 2**20).get("r/1", "a", never) == b"bytes"
    for other in (("r/1", "b"), ("r/2", "a")):
        assert folder.get(*other, lambda: b"more") == b"more"
    elsewhere = FrameFolder(tmp_path, 2**20, "s3://other")
    assert elsewhere.get("r/1", "a", lambda: b"other") == b"other"


def test_errors_of_the_store_are_raised_and_nothing_is_kept(tmp_path, folder):
    with pytest.raises(AssertionError):
        folder.get("r/1", "a", never)
    assert not files_in(tmp_path)


def test_the_folder_does_not_grow_beyond_its_limit(tmp_path):
    limit = 64_000
    for number in range(200):
        FrameFolder(tmp_path, limit).get("r/1", f"{number}", lambda: b"x" * 1_000)
    assert 0 < bytes_in(tmp_path) <= limit


def test_content_that_would_fill_the_folder_is_not_kept(tmp_path):
    folder = FrameFolder(tmp_path, BUCKETS * 1_000)
    assert folder.get("r/1", "a", lambda: b"x" * 997) == b"x" * 997
    assert not files_in(tmp_path)
    folder.get("r/1", "a", lambda: b"x" * 996)
    assert len(files_in(tmp_path)) == 1


def test_the_file_that_was_used_last_stays(tmp_path):
    limit = BUCKETS * 2_500
    files = {f"{n}": FrameFolder(tmp_path, limit)._file(tmp_path, "r/1", f"{n}") for n in range(99)}
    bucket = files["0"].parent
    parts = [part for part, file in files.items() if file.parent == bucket][:4]
    first, second, third, fourth = parts
    for age, part in enumerate((first, second, third)):
        FrameFolder(tmp_path, 2**30).get("r/1", part, lambda: b"x" * 1_000)
        os.utime(files[part], (age, age))
    FrameFolder(tmp_path, limit).get("r/1", first, never)
    FrameFolder(tmp_path, limit).get("r/1", fourth, lambda: b"x" * 1_000)
    assert set(bucket.iterdir()) == {files[first], files[fourth]}


def test_damage_is_read_again(tmp_path, folder):
    folder.get("r/1", "a", lambda: b"bytes")
    (file,) = files_in(tmp_path)
    content = file.read_bytes()
    for damaged in (b"", b"cut", content[:-1], content + b"x", content[:4] + b"bytez"):
        file.write_bytes(damaged)
        assert folder.get("r/1", "a", lambda: b"bytes") == b"bytes"
        assert file.read_bytes() == content


def test_the_file_of_another_run_is_not_taken(tmp_path, folder):
    folder.get("r/1", "a", lambda: b"one")
    (file,) = files_in(tmp_path)
    folder.get("r/2", "a", lambda: b"two")
    (other,) = {*files_in(tmp_path)} - {file}
    other.write_bytes(file.read_bytes())
    assert folder.get("r/2", "a", lambda: b"two") == b"two"


def test_a_link_is_not_followed(tmp_path, folder):
    folder.get("r/1", "a", lambda: b"bytes")
    (file,) = files_in(tmp_path)
    file.rename(tmp_path / "secret")
    file.symlink_to(tmp_path / "secret")
    assert folder.get("r/1", "a", lambda: b"other") == b"other"
    assert not file.is_symlink()


def test_a_full_disk_only_reads_the_store(tmp_path):
    with small_disk(tmp_path / "disk", 2**20) as disk:
        folder = FrameFolder(disk, 2**30)
        assert folder.get("r/1", "a", lambda: b"x" * 2**21) == b"x" * 2**21
        assert not files_in(disk)


def test_a_folder_that_cannot_be_written_only_reads_the_store(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", None):
        assert FrameFolder(path, 2**20).get("r/1", "a", lambda: b"bytes") == b"bytes"


@pytest.fixture
def reads(monkeypatch):
    """Paths and ranges that were read from the store."""
    seen = []
    read_range = FolderFiles.read_range

    def counting(files, path, start, size):
        seen.append((path, start, size))
        return read_range(files, path, start, size)

    monkeypatch.setattr(FolderFiles, "read_range", counting)
    return seen


def ingest_capture(repository, folder):
    path = folder / "trace_mm_64_64_64.json"
    path.write_text(trace_text())
    return ingest(repository, [path], {}).runs[0].run_id


@pytest.fixture
def remote(tmp_path):
    """A store that is no local folder, and the id of its run."""
    place = f"memory://{tmp_path.name}"
    repository = Repository(f"sqlite:///{tmp_path / 'catalogue.db'}", place)
    run_id = ingest_capture(repository, tmp_path)
    yield repository, run_id
    repository.catalogue.close()


def opened(remote, path):
    """Return the repository of another process that keeps frames in a folder."""
    repository = Repository(remote.catalogue.address, remote.store.url)
    repository.keep_frames(path, 2**28)
    return repository


@pytest.mark.slow
def test_processes_read_a_run_from_the_store_once(tmp_path, remote, reads):
    repository, run_id = remote
    names = repository.frame_names(run_id)
    frames = [opened(repository, tmp_path / "kept").frame(run_id, name) for name in names]
    assert len(reads) == len({*reads}) > 0
    reads.clear()
    for name, frame in zip(names, frames, strict=True):
        pd.testing.assert_frame_equal(
            opened(repository, tmp_path / "kept").frame(run_id, name), frame
        )
    assert reads == []


def test_forged_bytes_are_not_decoded(tmp_path, remote):
    repository, run_id = remote
    frame = opened(repository, tmp_path / "kept").frame(run_id, "events")
    (file,) = files_in(tmp_path / "kept")
    forged = b"0" * (file.stat().st_size - 4)
    FrameFolder(tmp_path / "kept", 2**28)._write(file, forged)
    again = opened(repository, tmp_path / "kept").frame(run_id, "events")
    pd.testing.assert_frame_equal(again, frame)


@pytest.mark.slow
def test_a_local_folder_is_not_copied(tmp_path):
    repository = Repository(f"sqlite:///{tmp_path / 'c.db'}", str(tmp_path / "frames"))
    repository.keep_frames(tmp_path / "kept", 2**28)
    run_id = ingest_capture(repository, tmp_path)
    repository.frame(run_id, "events")
    assert not (tmp_path / "kept").exists()
    repository.catalogue.close()
