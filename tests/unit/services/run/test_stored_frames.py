"""Frames of a run: read on first use, or ahead of it where the store answers late."""

import threading

import pytest

from ingest.files import ingest
from services.run.stored_frames import StoredFrames
from storage.repository import Repository


@pytest.fixture
def remote(tmp_path):
    """A repository whose frames are not on this machine."""
    return Repository(f"sqlite:///{tmp_path}/catalogue.db", f"memory://{tmp_path}/frames")


@pytest.fixture
def read(monkeypatch):
    """Return what notes which frames a repository reads of its store."""

    def noting(repository):
        names, own = [], repository._read_file

        def note(stored, name):
            names.append(name)
            return own(stored, name)

        monkeypatch.setattr(repository, "_read_file", note)
        return names

    return noting


@pytest.mark.usefixtures("loader")
class TestReadAhead:
    def test_what_was_used_of_other_runs_is_read_at_once(self, remote, write, read):
        ids = self.ingested(remote, write)
        names = read(remote)
        first, second = (StoredFrames(remote, run_id, "a test of it") for run_id in ids)
        first.read_ahead()
        assert names == []
        for name in ("events", "diagnostics"):
            assert len(first[name])
        assert names == ["events", "diagnostics"]
        second.read_ahead()
        assert sorted(names[2:]) == ["diagnostics", "events"]
        assert second["events"].equals(remote.frame(ids[1], "events"))
        assert len(names) == 4

    def test_small_frames_of_a_run_come_with_one_request(self, remote, write, monkeypatch):
        ids = self.ingested(remote, write)
        frames = StoredFrames(remote, ids[1])
        ranges = []
        read_range = remote.store.files.read_range

        def note(*place):
            ranges.append(place)
            return read_range(*place)

        monkeypatch.setattr(remote.store.files, "read_range", note)
        for name in ("events", "diagnostics"):
            assert len(frames[name])
        assert len(ranges) == 1

    def test_other_purposes_and_none_read_nothing(self, remote, write, read):
        ids = self.ingested(remote, write)
        names = read(remote)
        for name in ("events", "diagnostics"):
            assert len(StoredFrames(remote, ids[0], "one purpose")[name])
        StoredFrames(remote, ids[1], "another").read_ahead()
        StoredFrames(remote, ids[1]).read_ahead()
        assert len(names) == 2

    def test_a_disk_of_this_machine_is_read_when_it_is_asked(self, repository, write, read):
        ids = self.ingested(repository, write)
        names = read(repository)
        for name in ("events", "diagnostics"):
            assert len(StoredFrames(repository, ids[0], "a local one")[name])
        StoredFrames(repository, ids[1], "a local one").read_ahead()
        assert len(names) == 2

    def test_what_cannot_be_read_is_told_when_it_is_asked_for(self, remote, write):
        ids = self.ingested(remote, write)
        for name in ("events", "diagnostics"):
            assert len(StoredFrames(remote, ids[0], "a broken one")[name])
        remote.store.remove(remote.find_run(ids[1]).prefix)
        second = StoredFrames(remote, ids[1], "a broken one")
        second.read_ahead()
        with pytest.raises(Exception, match="is missing"):
            second["events"]

    def test_without_room_for_threads_frames_are_read_one_by_one(self, remote, write, monkeypatch):
        ids = self.ingested(remote, write)
        for name in ("events", "diagnostics"):
            assert len(StoredFrames(remote, ids[0], "a full one")[name])

        def refuse(_thread, *_):
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        second = StoredFrames(remote, ids[1], "a full one")
        second.read_ahead()
        assert len(second["events"])

    def ingested(self, repository, write):
        """Ingest two runs; return their ids."""
        files = [write(f"{name}.fake", name) for name in ("one", "two")]
        return [run.run_id for run in ingest(repository, files, {}).runs]
