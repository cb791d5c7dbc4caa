"""What a store does, whatever it is made of: a file and a folder, or PostgreSQL and object storage."""

import os
from functools import partial

import pandas as pd
import pytest
from sqlalchemy import update

from ingest.files import ingest
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import FRAMES, empty
from services.run.export import WRITERS, write_frame
from storage import versions
from storage.catalogue import Catalogue, Pending
from storage.errors import RunNotFound, StorageError
from storage.files import open_files
from storage.frame_file import FrameFile
from storage.frame_store import FrameStore, decode_frame
from storage.pending import garbage, own_host, own_process, sweep
from storage.repository import Repository
from storage.tables import PENDING
from tests.support.races import at_once

HOUR = 3600.0


class TestFiles:
    @pytest.fixture
    def files(self, new_place):
        return open_files(new_place())

    def test_what_is_written_is_read(self, files):
        files.write("a/one", b"1" * 1000)
        files.write("a/two", b"")
        assert (files.read("a/one"), files.size("a/one"), files.read("a/two")) == (
            b"1" * 1000,
            1000,
            b"",
        )
        files.write("a/one", b"other")
        assert files.read("a/one") == b"other"

    @pytest.mark.slow
    def test_a_file_of_the_disk_goes_there_and_back(self, files, tmp_path):
        content = os.urandom(20 * 2**20)
        (tmp_path / "here").write_bytes(content)
        files.put("deep/er/there", tmp_path / "here")
        files.write("deep/er/more", b"end")
        for path in ("deep/er/there", "deep/er/more"):
            files.fetch(path, tmp_path / "back")
        assert (tmp_path / "back").read_bytes() == content + b"end"

    @pytest.mark.parametrize("size", [1, 9 * 2**20])
    def test_pieces_are_one_file_and_parts_of_it_are_read(self, files, size):
        files.write_pieces("a/pieces", iter([b"1" * size, b"", b"23"]))
        assert files.read("a/pieces") == b"1" * size + b"23"
        assert files.read_range("a/pieces", size - 1, 2) == b"12"
        assert files.read_range("a/pieces", size, 100) == b"23"
        assert files.read_range("a/pieces", size + 2, 1) == b""
        assert files.read_range("a/pieces", size + 100, 1) == b""
        assert files.read_range("a/pieces", 0, 0) == b""

    def test_what_is_not_there_is_said(self, files, tmp_path):
        files.write("a/one", b"1")
        for ask in (
            files.read,
            files.size,
            lambda path: files.fetch(path, tmp_path / "back"),
            lambda path: files.read_range(path, 0, 1),
        ):
            with pytest.raises(FileNotFoundError):
                ask("a/none")

    def test_removing_takes_what_is_below_and_nothing_else(self, files):
        for path in ("a/1/x", "a/1/y/z", "a/10/x", "b/x"):
            files.write(path, b"1")
        files.remove("a/1")
        files.remove("a/1")
        files.remove("never")
        for path in ("a/1/x", "a/1/y/z"):
            with pytest.raises(FileNotFoundError):
                files.read(path)
        assert files.read("a/10/x") == files.read("b/x") == b"1"

    def test_a_place_that_is_there_is_well(self, files):
        files.write("a", b"1")
        files.check()


class TestFrameStore:
    @pytest.fixture
    def store(self, new_place):
        return FrameStore(new_place())

    @pytest.mark.quick_every(2)
    def test_every_frame_of_the_schema_survives_empty(self, store):
        files = store.write("run/attempt", {name: empty(name) for name in FRAMES})
        assert sorted(file.name for file in files) == sorted(FRAMES)
        for file in files:
            pd.testing.assert_frame_equal(
                store.read(file), empty(file.name), check_categorical=False, obj=file.name
            )

    def test_a_changed_file_is_not_whole(self, store):
        files = store.write("r/1", {name: empty(name) for name in ("events", "diagnostics")})
        assert all(map(store.is_whole, files))
        store.files.write("r/1/frames.pack", b"cut")
        assert not any(map(store.is_whole, files))
        store.remove("r/1")
        assert not any(map(store.is_whole, files))

    @pytest.mark.parametrize("content", [b"", b"cut", b"0" * 100_000])
    def test_damage_is_said(self, store, content):
        files = store.write("r/1", {name: empty(name) for name in ("events", "diagnostics")})
        store.files.write("r/1/frames.pack", content)
        for file in files:
            with pytest.raises(ValueError, match="differs from the file that was written"):
                store.read(file)

    def test_frames_of_a_run_are_one_file(self, store, tmp_path):
        frames = {name: empty(name) for name in ("events", "diagnostics", "tracks")}
        files = store.write("r/1", frames)
        assert [file.path for file in store.files.walk()] == ["r/1/frames.pack"]
        sizes = [file.size for file in files]
        assert sizes == sorted(sizes)
        head = store.read_head("r/1", sum(sizes))
        for file in files:
            pd.testing.assert_frame_equal(
                decode_frame(file, head[file.start : file.start + file.size]),
                frames[file.name],
                check_categorical=False,
            )
            assert store.fetch(file, tmp_path / file.name) == file.checksum
        again = store.put("r/2", {file.name: tmp_path / file.name for file in files})
        assert [(file.name, file.start, file.checksum) for file in again] == [
            (file.name, file.start, file.checksum) for file in files
        ]

    def test_files_of_an_older_release_are_read(self, store):
        (file,) = store.write("r/1", {"events": empty("events")})
        store.files.write("r/2/events.parquet", store.files.read(file.path)[: file.size])
        for older in (FrameFile("r/2", "events", file.checksum), FrameFile("r/2", "events")):
            assert store.is_whole(older)
            pd.testing.assert_frame_equal(
                store.read(older), empty("events"), check_categorical=False
            )
        store.files.write("r/2/events.parquet", b"cut")
        assert not store.is_whole(FrameFile("r/2", "events", file.checksum))


class TestMissingPlaces:
    def test_a_bucket_is_never_made(self, object_storage):
        store = FrameStore("s3://no-such-bucket/x")
        findings = diagnostics_frame([Diagnostic("info", "c", "m")])
        for ask in (
            lambda: store.write("r/1", {"diagnostics": findings}),
            lambda: store.read(FrameFile("r/1", "diagnostics")),
            lambda: store.read(FrameFile("r/1", "diagnostics", (1, 1), 0)),
            lambda: store.remove("r/1"),
            store.check,
        ):
            with pytest.raises(
                StorageError, match="no-such-bucket/x cannot be used: there is no such bucket"
            ) as said:
                ask()
            assert "no-such-bucket" not in said.value.public

    def test_storage_that_does_not_answer_is_one_sentence(self, monkeypatch):
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        store = FrameStore("s3://bucket/x")
        with pytest.raises(StorageError, match="cannot be used: HTTP error") as said:
            store.check()
        assert "\n" not in str(said.value)
        assert "does not respond" in said.value.public

    def test_a_database_that_does_not_answer_is_one_sentence(self):
        catalogue = Catalogue("postgresql+psycopg://me:secret@127.0.0.1:1/x")
        with pytest.raises(StorageError, match="cannot be used: connection failed") as said:
            catalogue.count()
        assert "secret" not in str(said.value)
        assert "\n" not in str(said.value)


@pytest.mark.usefixtures("loader")
class TestRepository:
    @pytest.fixture
    def repository(self, new_repository):
        opened = new_repository()
        yield opened
        opened.catalogue.close()

    @pytest.mark.slow
    def test_a_run_is_stored_found_and_deleted(self, repository, write):
        assert repository.count() == 0
        run = ingest(repository, [write(rows=4)], {"hwid": "npu1", "M": "64"}).runs[0]
        again = ingest(repository, [write(rows=4)], {}).runs[0]
        assert (run.status, again.status, again.run_id) == ("new", "unchanged", run.run_id)
        assert repository.runs(hwid="npu1", M=64)["run_id"].tolist() == [run.run_id]
        assert repository.runs(hwid="npu2").empty
        assert len(repository.frame(run.run_id, "events")) == 4
        assert repository.is_whole(repository.find_run(run.run_id))
        assert repository.check() == 1
        repository.delete(run.run_id)
        with pytest.raises(RunNotFound):
            repository.frame(run.run_id, "events")
        assert repository.catalogue.pending() == []

    @pytest.mark.slow
    def test_other_settings_update_it(self, repository, write):
        path = write()
        run = ingest(repository, [path], {"M": "1"}).runs[0]
        repository.frame(run.run_id, "events")
        assert ingest(repository, [path], {"M": "2"}).runs[0].status == "updated"
        assert repository.runs()["M"].tolist() == [2]
        assert len(repository.frame(run.run_id, "events")) == 3
        assert repository.catalogue.pending() == []

    def test_odd_texts_are_stored_alike(self, repository, write):
        texts = {"hwid": "a\0b " + "ä" * 300, "name": "\0 'x' % \\ \u2028 \U0001f600"}
        run = ingest(repository, [write(title="odd")], texts).runs[0]
        stored = repository.find_run(run.run_id)
        assert (stored.run["hwid"], stored.run["name"]) == (
            "ab " + "ä" * 300,
            " 'x' % \\ \u2028 \U0001f600",
        )
        assert repository.runs(hwid=stored.run["hwid"])["run_id"].tolist() == [run.run_id]

    @pytest.mark.slow
    def test_many_at_once_give_each_run_once(self, repository, write):
        paths = [write(f"{i}.fake", f"t{i}") for i in range(4)]
        other = Repository(repository.catalogue.address, repository.store.url)
        answers = at_once(*(partial(ingest, one, paths, {}) for one in (repository, other)))
        assert repository.count() == 4
        assert (
            sorted(run.status for answer in answers for run in answer.runs)
            == ["new"] * 4 + ["unchanged"] * 4
        )
        assert repository.catalogue.pending() == []
        other.catalogue.close()


class TestPending:
    @pytest.fixture
    def catalogue(self, new_database):
        opened = Catalogue(new_database())
        opened.create()
        yield opened
        opened.close()

    @pytest.fixture
    def store(self, tmp_path):
        return FrameStore(str(tmp_path / "frames"))

    def test_a_reservation_is_quiet_since_it_was_put_down(self, catalogue):
        catalogue.reserve(garbage("a/1"))
        (found,) = catalogue.pending()
        assert found.process == own_process()
        assert 0 <= found.quiet_s < HOUR

    def test_a_sign_of_life_is_the_process_s_own(self, catalogue):
        catalogue.reserve(garbage("a/1"))
        catalogue.reserve(Pending("a/2", "elsewhere", "1:1"))
        quieten(catalogue, HOUR)
        catalogue.beat(own_host(), own_process())
        quiet = {found.prefix: found.quiet_s for found in catalogue.pending()}
        assert quiet["a/1"] < HOUR / 2 < quiet["a/2"]

    def test_the_sweep_takes_what_another_host_left_without_a_sign_of_life(self, catalogue, store):
        for prefix in ("a/1", "a/2"):
            store.files.write(f"{prefix}/events.parquet", b"half")
            catalogue.reserve(Pending(prefix, "elsewhere", "1:1"))
        sweep(catalogue, store, HOUR)
        assert len(catalogue.pending()) == 2
        quieten(catalogue, 2 * HOUR)
        catalogue.reserve(Pending("a/3", "elsewhere", "1:1"))
        sweep(catalogue, store, HOUR)
        assert [found.prefix for found in catalogue.pending()] == ["a/3"]
        with pytest.raises(FileNotFoundError):
            store.files.read("a/1/events.parquet")


def quieten(catalogue, by_s):
    """Let every sign of life have been earlier."""
    with catalogue.begin() as connection:
        connection.execute(
            update(PENDING).values(since=PENDING.c.since - by_s, beat=PENDING.c.beat - by_s)
        )


@pytest.mark.slow
def test_many_may_create_or_upgrade_a_catalogue_at_once(new_database):
    url = new_database()
    catalogues = [Catalogue(url) for _ in range(6)]

    def create(catalogue):
        catalogue.create()
        catalogue.upgrade()

    assert at_once(*(partial(create, catalogue) for catalogue in catalogues)) == [None] * 6
    assert all(catalogue.is_created() for catalogue in catalogues)
    with catalogues[0].connect() as connection:
        assert versions.read_revision(connection) == versions.HEAD
    for catalogue in catalogues:
        catalogue.close()


@pytest.mark.slow
@pytest.mark.usefixtures("loader")
def test_exports_are_the_same_from_every_store(postgres, object_storage, tmp_path, write):
    path = write(rows=50)
    stores = [
        Repository(f"sqlite:///{tmp_path}/c.db", str(tmp_path / "frames")),
        Repository(postgres.new(), object_storage.new()),
    ]
    exports = []
    for store in stores:
        run = ingest(store, [path], {}).runs[0]
        for fmt in sorted(WRITERS):
            with (tmp_path / "out").open("wb") as stream:
                write_frame(store.frame(run.run_id, "events"), fmt, stream)
            exports.append((fmt, (tmp_path / "out").read_bytes()))
        store.catalogue.close()
    assert exports[: len(WRITERS)] == exports[len(WRITERS) :]
