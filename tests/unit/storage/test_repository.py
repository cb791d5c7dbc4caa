import numpy as np
import pandas as pd
import pytest

from ingest.files import ingest
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import RUN, conform, empty
from schema.metrics import METRICS
from storage.errors import FrameNotFound, RunNotFound, StorageError
from storage.frame_store import FrameStore
from storage.read_once import reading_once
from storage.repository import Repository


def all_events():
    return conform(
        "events",
        pd.DataFrame(
            {
                "track": [f"core {i % 3},0" for i in range(5)],
                "lane": "LOCK_STALL",
                "name": "LOCK_STALL",
                "start": np.arange(5),
                "end": np.arange(5) + 2**40,
                "opened": True,
                "closed": [i % 2 == 0 for i in range(5)],
            }
        ),
    )


class TestFrameStore:
    @pytest.fixture
    def store(self, tmp_path):
        return FrameStore(str(tmp_path / "frames"))

    def test_events_come_back_as_they_were(self, store):
        frame = all_events()
        (file,) = store.write("r/1", {"events": frame})
        pd.testing.assert_frame_equal(store.read(file), frame)

    def test_nullable_integers_and_unused_categories_come_back(self, store):
        tracks = empty("tracks").reindex(range(2))
        frame = tracks.assign(row=[1, None], order=0, first=0, last=9, entries=3, track=["a", "b"])
        tracks = conform("tracks", frame)
        (file,) = store.write("r/1", {"tracks": tracks})
        assert store.read(file)["row"].tolist() == [1, pd.NA]
        findings = diagnostics_frame([Diagnostic("info", "c", "=m")])
        (file,) = store.write("r/1", {"diagnostics": findings})
        pd.testing.assert_frame_equal(store.read(file), findings, check_categorical=False)

    def test_removing_takes_the_folder_of_the_run_with_the_last_attempt(self, store, tmp_path):
        for attempt in ("r/1", "r/2"):
            store.write(attempt, {"events": all_events()})
        store.remove("r/1")
        assert [p.name for p in (tmp_path / "frames" / "r").iterdir()] == ["2"]
        store.remove("r/2")
        store.remove("r/2")
        assert list((tmp_path / "frames").iterdir()) == []

    def test_any_file_system_of_fsspec_will_do(self):
        store = FrameStore("memory://frames-of-a-test")
        (file,) = store.write("r/1", {"events": all_events()})
        assert len(store.read(file)) == 5
        store.remove("r/1")
        with pytest.raises(FileNotFoundError):
            store.read(file)


@pytest.mark.usefixtures("loader")
class TestRepository:
    @pytest.fixture
    def two(self, repository, write):
        paths = [write("a.fake", "one"), write("b.fake", "two", rows=4)]
        first = ingest(repository, paths[:1], {"hwid": "npu1", "M": "64"}).runs[0]
        second = ingest(repository, paths[1:], {"hwid": "npu2", "M": "128"}).runs[0]
        return first.run_id, second.run_id

    def test_runs_have_the_schema_and_every_metric_newest_first(self, repository, two):
        runs = repository.runs()
        assert runs["run_id"].tolist() == [two[1], two[0]] or runs["created_at"].nunique() == 1
        assert list(runs.columns) == [*RUN.names, *METRICS, "errors", "warnings"]
        assert {str(runs[c.name].dtype) for c in RUN.columns} == {c.dtype for c in RUN.columns}
        assert {str(runs[m].dtype) for m in METRICS} == {"float64"}
        assert str(runs["warnings"].dtype) == "int64"

    def test_runs_are_filtered(self, repository, two):
        assert repository.runs(hwid="npu1")["run_id"].tolist() == [two[0]]
        assert repository.runs(M=128)["run_id"].tolist() == [two[1]]
        assert repository.runs(source="fake", hwid="npu1", M=128).empty
        assert repository.runs(K=1).empty

    def test_nothing_is_created_by_looking(self, repository, tmp_path):
        assert repository.runs().empty
        assert list(repository.runs().columns) == [*RUN.names, *METRICS, "errors", "warnings"]
        assert not repository.exists("abc")
        with pytest.raises(RunNotFound, match=r"'abc'.* sqlite:"):
            repository.resolve("abc")
        assert not (tmp_path / "data").exists()

    def test_an_abbreviation_stands_for_its_run(self, repository, two):
        assert repository.resolve(two[0]) == two[0]
        assert repository.resolve(two[0][:6]) == two[0]
        for wrong in ("", "zz", "%", "_"):
            with pytest.raises(RunNotFound, match="there is no run"):
                repository.resolve(wrong)

    @pytest.mark.slow
    def test_an_ambiguous_abbreviation_names_the_runs(self, repository, write):
        ids = [ingest(repository, [write(title=f"t{i}")], {}).runs[0].run_id for i in range(17)]
        shared = next(i[0] for i in ids if sum(other[0] == i[0] for other in ids) > 1)
        with pytest.raises(RunNotFound, match="several run ids: "):
            repository.resolve(shared)

    def test_changes_of_a_caller_stay_the_callers(self, repository, two):
        run_id = repository.runs()["run_id"].iloc[0]
        first = repository.frame(run_id, "diagnostics")
        first["extra"] = 1
        assert "extra" not in repository.frame(run_id, "diagnostics")

    def test_unknown_frames_and_runs_are_said(self, repository, two):
        with pytest.raises(FrameNotFound, match=r"'kernels'.* run, events, diagnostics"):
            repository.frame(two[0], "kernels")
        with pytest.raises(RunNotFound):
            repository.frame("abc", "events")

    def test_deleting_takes_row_and_files(self, repository, two, tmp_path):
        repository.frame(two[0], "events")
        repository.delete(two[0])
        assert not repository.exists(two[0])
        assert repository.exists(two[1])
        assert [p.name for p in (tmp_path / "data" / "frames").iterdir()] == [two[1]]
        with pytest.raises(RunNotFound):
            repository.frame(two[0], "events")
        with pytest.raises(RunNotFound):
            repository.delete(two[0])

    @pytest.mark.slow
    def test_a_run_that_was_replaced_elsewhere_is_read_anew(self, repository, write):
        path = write()
        run = ingest(repository, [path], {"M": "1"}).runs[0]
        repository.frame(run.run_id, "events")
        other = Repository(repository.catalogue.address, repository.store.url)
        ingest(other, [path], {"M": "2"})
        assert repository.run(run.run_id)["M"].iloc[0] == 2
        assert len(repository.frame(run.run_id, "events")) == 3
        other.catalogue.close()

    @pytest.mark.slow
    def test_a_run_that_was_replaced_after_its_row_was_read_is_read_anew(self, repository, write):
        path = write()
        run_id = ingest(repository, [path], {"M": "1"}).runs[0].run_id
        with reading_once():
            before = repository.find_run(run_id)
            assert repository.find_run(run_id) is before
            other = Repository(repository.catalogue.address, repository.store.url)
            ingest(other, [path], {"M": "2"})
            assert len(repository.frame(run_id, "events")) == 3
            assert repository.find_run(run_id).prefix != before.prefix
        other.catalogue.close()

    def test_missing_files_are_said(self, repository, two):
        stored = repository.catalogue.get(two[0])
        repository.store.remove(stored.prefix)
        with pytest.raises(
            StorageError, match=rf"frame events of run {two[0]} is missing; .* ingest a\.fake"
        ):
            repository.frame(two[0], "events")

    def test_a_stored_frame_without_a_nullable_column_is_filled(self, repository, two):
        _store_without(repository, two[0], "diagnostics", "location")
        assert repository.frame(two[0], "diagnostics")["location"].tolist() == [""]

    def test_a_stored_frame_without_another_column_says_how_to_read_it_again(self, repository, two):
        _store_without(repository, two[0], "events", "track")
        with pytest.raises(StorageError) as caught:
            repository.frame(two[0], "events")
        for part in (two[0], "frame events", "'track'", "python -m app ingest a.fake"):
            assert part in str(caught.value)
            assert part in caught.value.public

    def test_a_frame_that_only_a_later_release_knows_is_left_out(self, repository, two):
        stored = repository.catalogue.get(two[0])
        stored.frames["later"] = 3
        assert repository.catalogue.replace(repository.catalogue.get(two[0]), stored, _garbage())
        assert "later" not in repository.frame_names(two[0])
        with pytest.raises(FrameNotFound):
            repository.frame(two[0], "later")

    def test_a_file_that_is_no_database_is_said(self, tmp_path):
        (tmp_path / "catalogue.db").write_text("not a database, " * 100)
        broken = Repository(f"sqlite:///{tmp_path}/catalogue.db", str(tmp_path))
        with pytest.raises(StorageError, match=r" sqlite:///.*/catalogue\.db\b"):
            broken.runs()
        broken.catalogue.close()

    def test_an_older_row_without_newer_columns_is_read(self, repository, two):
        stored = repository.catalogue.get(two[0])
        del stored.run["tags"], stored.run["M"]
        stored.headline.clear()
        stored.run["M"] = None
        assert repository.catalogue.replace(repository.catalogue.get(two[0]), stored, _garbage())
        assert len(repository.runs()) == 2


def _store_without(repository, run_id, name, column):
    """Write a frame as a release without the column would have."""
    stored = repository.find_run(run_id)
    frames = {known: repository.frame(run_id, known) for known in stored.frames}
    frames[name] = frames[name].drop(columns=column)
    files = repository.store.write(stored.prefix, frames)
    assert repository.catalogue.amend(stored, stored.at_files(files))
    repository.cache.clear()


def _garbage():
    from storage.pending import garbage

    return garbage("nothing/there")


@pytest.mark.usefixtures("loader")
def test_a_head_that_was_damaged_in_memory_is_read_again(tmp_path, write, monkeypatch):
    remote = Repository(f"sqlite:///{tmp_path}/catalogue.db", f"memory://{tmp_path}/frames")
    run = ingest(remote, [write()], {}).runs[0]
    head = remote.store.read_head
    monkeypatch.setattr(remote.store, "read_head", lambda *place: b"x" + head(*place)[1:])
    for name in ("diagnostics", "events"):
        assert len(remote.frame(run.run_id, name))
    remote.catalogue.close()
