"""Runs of older releases, which have a file per frame, and their packing, on both kinds of store."""

import pandas as pd
import pytest
from sqlalchemy import update

from ingest.files import ingest
from services.jobs.kinds import KINDS
from services.store import packing
from services.store.packing import pack_run, unpacked_runs
from storage.errors import RunDamaged, RunNotFound
from storage.frame_file import pack_path
from storage.jobs import Jobs
from storage.pending import sweep
from storage.run_results import RunResults
from storage.tables import RUNS
from tests.support.frame_files import unpack

pytestmark = pytest.mark.usefixtures("loader")


@pytest.fixture
def older(repository, write):
    """Ids of three runs, the first two stored as an older release does."""
    paths = [write(f"{rank}.fake", f"run {rank}", rows=5 + rank) for rank in range(3)]
    ids = [run.run_id for run in ingest(repository, paths, {"hwid": "npu1"}).runs]
    for run_id in ids[:2]:
        unpack(repository, run_id)
    return ids


def paths(repository):
    return sorted(file.path for file in repository.store.files.walk())


def frames_of(repository, run_id):
    repository.cache.clear()
    return {name: repository.frame(run_id, name) for name in repository.frame_names(run_id)}


def packs(repository, ids):
    return sorted(pack_path(repository.version(run_id)) for run_id in ids)


@pytest.mark.slow
def test_packed_runs_have_one_file_and_the_same_frames(repository, older):
    before = {run_id: frames_of(repository, run_id) for run_id in older}
    assert len(paths(repository)) > 3
    assert sorted(unpacked_runs(repository)) == sorted(older[:2])
    assert [pack_run(repository, run_id) for run_id in older] == ["packed", "packed", "unchanged"]
    assert unpacked_runs(repository) == []
    assert paths(repository) == packs(repository, older)
    assert repository.catalogue.pending() == []
    for run_id, frames in before.items():
        assert repository.is_whole(repository.find_run(run_id))
        for name, frame in frames_of(repository, run_id).items():
            pd.testing.assert_frame_equal(frame, frames[name])


def test_only_the_place_of_the_frames_changes(repository, older):
    before = repository.find_run(older[0])
    results = RunResults(repository.catalogue, "pace", "1")
    results.put(older[0], before.prefix, {"a": 1})
    pack_run(repository, older[0])
    after = repository.find_run(older[0])
    assert after.record() == before.record()
    assert (after.settings, after.findings, after.checksums) == (
        before.settings,
        before.findings,
        before.checksums,
    )
    assert results.find(older[0], after.prefix) == {"a": 1}


def test_a_reader_that_knows_the_old_place_finds_the_new(repository, older):
    stored = repository.find_run(older[0])
    frame = repository.frame_of(stored, "events")
    pack_run(repository, older[0])
    repository.cache.clear()
    pd.testing.assert_frame_equal(repository.frame_of(stored, "events"), frame)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("step", ["put", "move", "tidy"])
def test_nothing_is_lost_if_the_process_ends_at_any_step(repository, older, monkeypatch, step):
    frames = frames_of(repository, older[0])

    def die(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        # A process that ends removes nothing, so that the next one must.
        patch.setattr(packing, "tidy", die if step == "tidy" else lambda *_: None)
        if step == "put":
            patch.setattr(repository.store, "put", die)
        if step == "move":
            patch.setattr(repository.catalogue, "move", die)
        with pytest.raises(KeyboardInterrupt):
            pack_run(repository, older[0])
    for name, frame in frames_of(repository, older[0]).items():
        pd.testing.assert_frame_equal(frame, frames[name])
    with repository.catalogue.begin() as connection:
        connection.exec_driver_sql("UPDATE pending SET process = '1:1'")
    sweep(repository.catalogue, repository.store)
    for run_id in older[:2]:
        pack_run(repository, run_id)
    assert paths(repository) == packs(repository, older)
    assert repository.catalogue.pending() == []


def test_a_damaged_run_stays_as_it_is(repository, older):
    first, second = (repository.find_run(run_id) for run_id in older[:2])
    repository.store.files.write(f"{first.prefix}/events.parquet", b"cut")
    repository.store.files.delete(f"{second.prefix}/events.parquet")
    before = paths(repository)
    for stored in (first, second):
        with pytest.raises(RunDamaged, match=stored.run_id):
            pack_run(repository, stored.run_id)
        assert repository.find_run(stored.run_id) == stored
    assert paths(repository) == before
    with pytest.raises(RunNotFound):
        pack_run(repository, "gone")


def test_a_job_packs_all_runs(repository, older):
    kind = KINDS["pack"]
    tasks = kind.tasks(repository, {})
    job = Jobs(repository.catalogue).add("pack", tasks, "me", {})
    work = kind.work(repository, job)
    assert [work(task).answer["status"] for task in [*tasks, tasks[0], "gone"]] == [
        "packed",
        "packed",
        "unchanged",
        "deleted",
    ]
    assert paths(repository) == packs(repository, older)


@pytest.mark.slow
def test_a_pack_tells_itself_where_its_frames_are(repository, older):
    run_id = older[2]
    before = frames_of(repository, run_id)
    with repository.catalogue.begin() as connection:
        connection.execute(update(RUNS).values(checksums=None, offsets=None))
    for name, frame in frames_of(repository, run_id).items():
        pd.testing.assert_frame_equal(frame, before[name])
    assert repository.is_whole(repository.find_run(run_id))
    assert pack_run(repository, run_id) == "packed"
    pack = pack_path(repository.version(run_id))
    content = repository.store.files.read(pack)
    with repository.catalogue.begin() as connection:
        connection.execute(update(RUNS).values(checksums=None, offsets=None))
    for damaged in (content[:-1], content[:-20] + content[-16:], b"", content[-16:]):
        repository.store.files.write(pack, damaged)
        repository.cache.clear()
        with pytest.raises(RunDamaged, match="is missing"):
            repository.frame(run_id, "events")


def test_a_second_ingest_of_the_file_changes_nothing(repository, older, write):
    unpack(repository, older[2])
    again = ingest(repository, [write("2.fake", "run 2", rows=7)], {}).runs[0]
    assert (again.status, again.run_id) == ("unchanged", older[2])
