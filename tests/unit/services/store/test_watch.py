"""Looks at a folder: what is read when, what is remembered, and what is told."""

import os
from pathlib import Path

import pytest

from data_loaders.protocol import Bundle
from ingest.files import ingest
from services.store import watch as module
from services.store.watch import FolderWatch
from storage.errors import StorageError
from storage.frame_store import FrameStore
from storage.watched import Watched

pytestmark = pytest.mark.usefixtures("loader")


class Inbox:
    """A folder, and a watch of it whose looks are counted in files and calls of ingest."""

    def __init__(self, folder, repository):
        self.folder = folder
        self.repository = repository
        self.calls = []
        self.ended = False
        self.restart()

    def restart(self):
        self.watch = FolderWatch(
            self.folder, Watched(self.repository.catalogue), self.ingest, lambda: self.ended
        )

    def ingest(self, paths):
        self.calls.append([path.name for path in paths])
        return ingest(self.repository, paths, {})

    def put(self, name, text="fake one\ncore0 1 2", at=1):
        """Write a file as of a time of its own, so that no test rests on a clock."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (at, at))
        return path

    def look(self, times=1):
        """Return what is told: names of runs, and sentences."""
        told = [one for _ in range(times) for one in self.watch.look()]
        return [one if isinstance(one, str) else f"{one.status} {one.name}" for one in told]


@pytest.fixture
def inbox(tmp_path, repository):
    (tmp_path / "inbox").mkdir()
    return Inbox(tmp_path / "inbox", repository)


class TestWhen:
    def test_a_file_is_read_when_two_looks_found_it_the_same(self, inbox):
        inbox.put("a.fake", "fake o")
        assert inbox.look() == []
        inbox.put("a.fake", "fake on")
        assert inbox.look() == []
        inbox.put("a.fake", "fake on", at=2)
        assert inbox.look() == []
        assert inbox.look() == ["new on"]

    def test_it_is_read_once_even_after_a_restart(self, inbox, loader):
        inbox.put("a.fake")
        assert inbox.look(5) == ["new one"]
        inbox.restart()
        assert inbox.look(3) == []
        assert (loader.loads, len(inbox.calls)) == (1, 1)

    def test_it_is_read_again_when_it_changes(self, inbox):
        inbox.put("a.fake")
        inbox.look(2)
        inbox.put("a.fake", "fake two\ncore0 1 2", at=2)
        assert inbox.look(3) == ["new two"]
        inbox.put("a.fake", "fake two\ncore0 1 2", at=3)
        assert inbox.look(3) == ["unchanged two"]

    def test_folders_below_are_watched_and_hidden_files_are_not(self, inbox):
        inbox.put("deep/er/a.fake")
        inbox.put(".b.fake", "fake hidden")
        assert inbox.look(3) == ["new one"]

    def test_a_file_that_is_gone_is_no_trouble(self, inbox):
        path = inbox.put("a.fake")
        inbox.look()
        path.unlink()
        assert inbox.look(2) == []

    def test_names_may_be_any_bytes(self, inbox):
        inbox.put(os.fsdecode(b"\xff\n.fake"))
        assert inbox.look(2) == ["new one"]
        inbox.restart()
        assert inbox.look(2) == []


class TestBundles:
    @pytest.mark.slow
    def test_files_that_belong_together_are_one_call(self, inbox):
        inbox.put("a.fake")
        inbox.put("a.note", "tagged")
        inbox.put("b.fake", "fake two")
        assert sorted(inbox.look(3)) == ["new one", "new two"]
        assert inbox.calls == [["a.fake", "a.note", "b.fake"]]
        assert "tagged" in inbox.repository.runs()["tags"].tolist()

    def test_a_run_waits_for_a_companion_that_is_still_written(self, inbox):
        inbox.put("a.fake")
        inbox.look()
        inbox.put("a.note", "tag")
        assert inbox.look() == []
        inbox.put("a.note", "tagged")
        assert inbox.look() == []
        assert inbox.look(2) == ["new one"]
        assert inbox.repository.runs()["tags"].tolist() == ["tagged"]

    @pytest.mark.slow
    @pytest.mark.parametrize("restarted", [False, True])
    def test_a_companion_that_comes_later_has_its_run_read_again(self, inbox, restarted):
        inbox.put("a.fake")
        assert inbox.look(2) == ["new one"]
        inbox.put("a.note", "tagged")
        if restarted:
            inbox.restart()
        assert inbox.look(3) == ["updated one"]
        assert inbox.repository.runs()["tags"].tolist() == ["tagged"]

    def test_a_companion_that_came_first_is_read_with_its_run(self, inbox):
        inbox.put("a.note", "tagged")
        assert len(inbox.look(3)) == 1
        inbox.put("a.fake")
        assert inbox.look(3) == ["new one"]
        assert inbox.repository.runs()["tags"].tolist() == ["tagged"]

    @pytest.mark.slow
    def test_a_companion_of_many_runs_is_tried_with_each_of_them(self, inbox, loader, monkeypatch):
        """Batches that storage fails between do not forget the runs of the later ones."""
        monkeypatch.setattr(module, "_AT_ONCE", 1)
        shared = inbox.folder / "shared.note"
        found = lambda path: Bundle(path, (shared,) if shared.is_file() else ())  # noqa: E731
        monkeypatch.setattr(loader, "bundle", found)
        for name in "abc":
            inbox.put(f"{name}.fake", f"fake {name}")
        assert inbox.look(2) == ["new a", "new b", "new c"]
        inbox.put("shared.note", "tagged")
        inbox.look()
        whole, calls = inbox.ingest, []

        def fails_at_second(paths):
            calls.append(paths)
            if len(calls) == 2:
                raise StorageError("the database is gone")
            return whole(paths)

        inbox.watch._ingest = fails_at_second
        assert inbox.look() == ["updated a", "the database is gone"]
        assert inbox.look() == ["unchanged a", "updated b", "updated c"]
        assert inbox.look(2) == []


class TestBadFiles:
    @pytest.mark.parametrize("text", ["nothing", "fake unreadable", "fake broken", "", "\0\1"])
    def test_a_bad_file_is_told_once_and_stops_no_other(self, inbox, text):
        path = inbox.put("bad.fake", text)
        inbox.put("good.fake")
        told = inbox.look(4)
        assert len(told) == 2
        assert "new one" in told
        assert any(line.startswith(f"{path}: ") for line in told)
        inbox.restart()
        assert inbox.look(3) == []

    def test_one_that_becomes_good_is_read(self, inbox):
        inbox.put("a.fake", "nothing")
        inbox.look(3)
        inbox.put("a.fake", at=2)
        assert inbox.look(3) == ["new one"]

    def test_links_that_lead_out_are_refused_once(self, inbox, tmp_path, loader):
        outside = tmp_path / "outside.fake"
        outside.write_text("fake secret")
        (inbox.folder / "a.fake").symlink_to(outside)
        inbox.put("in/b.fake")
        (inbox.folder / "c.fake").symlink_to("in/b.fake")
        told = inbox.look(4)
        assert [line.split(": ")[0] for line in told if "new" not in line] == [
            str(inbox.folder / "a.fake")
        ]
        assert (len(told), loader.loads) == (2, 1)
        inbox.restart()
        assert inbox.look(3) == []

    def test_one_that_cannot_be_opened_is_told_once_and_read_when_it_can_be(
        self, inbox, monkeypatch
    ):
        inbox.put("a.fake")
        inbox.put("b.fake", "fake two")
        opened = Path.open

        def denied(path, *arguments, **more):
            if path.name == "a.fake":
                raise PermissionError(13, "Permission denied")
            return opened(path, *arguments, **more)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", denied)
            told = inbox.look(5)
            assert told[0] == "new two"
            assert len(told) == 2
            assert told[1].startswith(f"{inbox.folder / 'a.fake'}: ")
            assert "Permission denied" in told[1]
        assert inbox.look(2) == ["new one"]

    def test_a_file_of_a_loader_that_gives_it_to_no_run_is_told(self, inbox, loader, monkeypatch):
        monkeypatch.setattr(loader, "bundle", lambda path: Bundle(path.with_name("b.fake")))
        inbox.put("b.fake")
        inbox.put("a.fake", "fake two")
        assert len(inbox.look(4)) == 2
        inbox.restart()
        assert inbox.look(3) == []


class TestFailures:
    def test_a_folder_that_vanishes_is_told_once_and_watched_on(self, inbox):
        inbox.put("a.fake")
        assert inbox.look(2) == ["new one"]
        inbox.folder.rename(inbox.folder.with_name("elsewhere"))
        told = inbox.look(3)
        assert len(told) == 1
        assert told[0].startswith(f"{inbox.folder}: ")
        inbox.folder.with_name("elsewhere").rename(inbox.folder)
        inbox.put("b.fake", "fake two")
        assert inbox.look(3) == ["new two"]

    def test_a_database_that_fails_loses_no_file(self, inbox, monkeypatch):
        inbox.put("a.fake")
        with monkeypatch.context() as patch:
            patch.setattr(inbox.repository.catalogue, "create", failing("the database is gone"))
            assert inbox.look(4) == ["the database is gone"]
        assert inbox.look() == ["new one"]
        assert inbox.look(2) == []

    def test_a_storage_that_fails_midway_keeps_what_it_took(self, inbox, monkeypatch):
        inbox.put("a.fake", "fake unreadable")
        inbox.put("b.fake")
        inbox.put("c.fake", "fake two")
        write, written = FrameStore.write, []

        def full(store, prefix, frames):
            written.append(prefix)
            if len(set(written)) > 1:
                raise StorageError("the disk is full")
            return write(store, prefix, frames)

        with monkeypatch.context() as patch:
            patch.setattr(FrameStore, "write", full)
            assert inbox.look(2) == ["new one", "the disk is full"]
        told = inbox.look(2)
        assert told[0] == "new two"
        assert "line 2 is missing" in told[1]
        assert inbox.calls[1:] == [["a.fake", "c.fake"]]

    def test_what_an_end_disturbs_is_tried_again(self, inbox, loader, monkeypatch):
        """Ctrl-C reaches the processes that read, too."""
        inbox.put("a.fake")
        inbox.put("b.fake", "fake two")
        load = loader.load

        def disturbed(path, *arguments):
            inbox.ended = True
            if path.name == "b.fake":
                raise KeyError
            return load(path, *arguments)

        with monkeypatch.context() as patch:
            patch.setattr(loader, "load", disturbed)
            assert inbox.look(2) == ["new one"]
        inbox.ended = False
        inbox.restart()
        assert inbox.look(3) == ["new two"]

    @pytest.mark.slow
    def test_an_end_waits_for_one_ingest_only(self, inbox, monkeypatch):
        monkeypatch.setattr(module, "_AT_ONCE", 1)
        for name in "abc":
            inbox.put(f"{name}.fake", f"fake {name}")
        whole = inbox.ingest

        def ending(paths):
            answer = whole(paths)
            inbox.ended = True
            return answer

        inbox.watch._ingest = ending
        assert inbox.look(2) == ["new a"]
        inbox.ended = False
        inbox.restart()
        assert inbox.look(3) == ["new b", "new c"]


def failing(sentence):
    def fail(*_arguments):
        raise StorageError(sentence)

    return fail
