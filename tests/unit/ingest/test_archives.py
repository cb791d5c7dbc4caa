"""Archives that are ingested: each is a folder, and what a hostile one does costs it alone."""

import os
import tarfile
from pathlib import Path

import pytest

from data_loaders.reading.limits import Limits
from ingest.files import ingest
from ingest.isolation import reading_processes
from tests.support.archives import write_tar, write_zip

TRACE = Path(__file__).resolve().parents[3] / "samples/kineto/training.pt.trace.json.gz"
PROBLEM = b"id,lower,upper,size\nb0,0,3,64\nb1,1,4,128\n"


@pytest.fixture(scope="module")
def readers():
    processes = reading_processes(Limits())
    yield processes
    processes.close()


@pytest.mark.usefixtures("loader")
class TestFolder:
    def test_each_member_is_read_by_its_own_content(self, repository, tmp_path):
        members = {"job/a.fake": b"fake a\ncore0 1 2", "job/b.txt": b"fake b\ncore0 1 3", "c": b"?"}
        answer = ingest(repository, [write_tar(tmp_path / "nightly.tar.gz", members)], {})
        place = str(tmp_path / "nightly.tar.gz")
        assert [run.file for run in answer.runs] == [f"{place}/job/a.fake", f"{place}/job/b.txt"]
        assert [(s.path, s.failed) for s in answer.skipped] == [(f"{place}/c", False)]
        assert answer.ok

    def test_companions_are_found_beside_a_file(self, repository, tmp_path):
        members = {"x/a.fake": b"fake a\ncore0 1 2", "x/a.note": b"seen", "y/a.note": b"other"}
        answer = ingest(repository, [write_zip(tmp_path / "x.zip", members)], {})
        assert [s.along for s in answer.skipped] == [True, False]
        row = repository.run(answer.runs[0].run_id).iloc[0]
        assert (row["companions"], row["tags"]) == ("a.note", "seen")

    def test_archives_in_a_folder_are_read_as_well(self, repository, tmp_path):
        (tmp_path / "in").mkdir()
        write_zip(tmp_path / "in" / "a.zip", {"a.fake": b"fake a\ncore0 1 2"})
        write_zip(tmp_path / "in" / "b.zip", {"a.fake": b"fake b\ncore0 1 2"})
        answer = ingest(repository, [tmp_path / "in"], {})
        assert sorted(run.name for run in answer.runs) == ["a", "b"]

    def test_the_member_is_the_file_of_its_run(self, repository, tmp_path):
        path = write_tar(tmp_path / "x.tgz", {"a.fake": b"fake a\ncore0 1 2"}, changed_s=10**9)
        row = repository.run(ingest(repository, [path], {}).runs[0].run_id).iloc[0]
        assert row["file"] == "a.fake"
        assert row["taken_at"].startswith("2001-09-09")
        loose = tmp_path / "a.fake"
        loose.write_bytes(b"fake a\ncore0 1 2")
        os.utime(loose, (10**9, 10**9))
        assert ingest(repository, [loose], {}).runs[0].run_id == row["run_id"]

    def test_another_file_of_such_a_name_is_read_as_a_file(self, repository, tmp_path):
        (tmp_path / "a.zip").write_bytes(b"fake a\ncore0 1 2")
        assert [run.name for run in ingest(repository, [tmp_path / "a.zip"], {}).runs] == ["a"]

    def test_nothing_is_left_behind(self, repository, tmp_path, monkeypatch):
        (tmp_path / "tmp").mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
        ingest(repository, [write_zip(tmp_path / "x.zip", {"a": b"fake a\ncore0 1 2"})], {})
        assert list((tmp_path / "tmp").iterdir()) == []


def ingested(repository, readers, path, **options):
    return ingest(repository, [path], {}, source=readers, limits=readers.limits, **options)


def test_a_process_unpacks_files_of_several_sources(repository, readers, tmp_path):
    members = {
        "rank0.pt.trace.json.gz": TRACE.read_bytes(),
        "problem.csv": PROBLEM,
        "notes.txt": b"x",
    }
    answer = ingested(repository, readers, write_tar(tmp_path / "job.tgz", members))
    assert sorted(run.source for run in answer.runs) == ["kineto", "minimalloc"]
    assert [s.path for s in answer.skipped] == [f"{tmp_path}/job.tgz/notes.txt"]


def test_an_archive_that_unpacks_to_too_much_is_refused_with_the_setting(
    repository, readers, tmp_path
):
    path = write_zip(tmp_path / "x.zip", {"a.csv": PROBLEM, "z": bytes(3 * 2**20)})
    answer = ingested(repository, readers, path, max_content_bytes=2 * 2**20)
    assert answer.runs == []
    assert [(s.path, s.failed) for s in answer.skipped] == [(str(path), True)]
    assert "setting max_content_mb" in answer.skipped[0].reason


@pytest.mark.slow
def test_a_bomb_is_refused(repository, readers, tmp_path):
    path = write_tar(tmp_path / "x.tar.xz", {"z": bytes(80 * 2**20)}, "w:xz")
    assert path.stat().st_size < 2**17
    answer = ingested(repository, readers, path)
    assert [s.path for s in answer.skipped] == [str(path)]
    assert "250 times" in answer.skipped[0].reason


@pytest.mark.slow
def test_an_archive_that_needs_too_much_memory_is_refused_with_the_setting(repository, tmp_path):
    """A header of a tar may name a text of any size, which tarfile reads at once."""
    info = tarfile.TarInfo("pax")
    info.type = tarfile.XHDTYPE
    info.size = 200 * 2**20
    path = tmp_path / "x.tar"
    path.write_bytes(info.tobuf() + b"9" * info.size)
    few = reading_processes(Limits(memory_mb=100))
    try:
        answer = ingested(repository, few, path)
    finally:
        few.close()
    assert [s.path for s in answer.skipped] == [str(path)]
    assert "reader_memory_mb" in answer.skipped[0].reason
