"""Files and rows of runs that something has happened to: said with the run's name, never shown as another's, healed."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from ingest.files import ingest
from storage.errors import RunDamaged, StorageError
from storage.repository import Repository
from tests.support.frame_files import unpack

CONTENT = "nobody's business"


@pytest.fixture
def runs(repository, write, loader):
    """Two runs, and how to ingest each of them again."""
    paths = [write("a.fake", "one", rows=40), write("b.fake", "two", rows=41)]
    ids = [run.run_id for run in ingest(repository, paths, {"hwid": "npu1"}).runs]
    return dict(zip(ids, paths, strict=True))


@pytest.fixture
def again():
    """Open a store as another process would, without what this one has in memory."""
    opened = []

    def opener(repository):
        opened.append(Repository(repository.catalogue.address, repository.store.url))
        return opened[-1]

    yield opener
    for one in opened:
        one.catalogue.close()


def pack_of(repository, run_id):
    """Return the only file of a run; its last frame, the largest, is `events`."""
    (path,) = Path(repository.store.url, repository.version(run_id)).iterdir()
    return path


def gone(path):
    path.unlink()


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path):
    path.write_bytes(b"")


def flipped(path):
    flip(path, path.stat().st_size * 8 - 2_400)


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def swapped(path):
    """Let the file have the content of another run's frame of the same name."""
    others = [other for other in path.parents[2].rglob(path.name) if other != path]
    shutil.copyfile(others[0], path)


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("damage", [gone, cut, emptied, flipped, swapped])
def test_a_damaged_file_is_said_and_healed_by_its_source_file(repository, runs, again, damage):
    run_id, source = next(iter(runs.items()))
    frames = {name: repository.frame(run_id, name) for name in repository.frame_names(run_id)}
    damage(pack_of(repository, run_id))
    broken = again(repository)
    with pytest.raises(RunDamaged) as caught:
        broken.frame(run_id, "events")
    for part in (run_id, "frame events", "python -m app ingest a.fake"):
        assert part in str(caught.value)
        assert part in caught.value.public
    assert repository.store.url not in caught.value.public
    assert ingest(broken, [source], {}).runs[0].status == "updated"
    assert repository.run(run_id).loc[0, "hwid"] == "npu1", "settings of before hold"
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(again(repository).frame(run_id, name), frame)
    assert ingest(broken, [source], {}).runs[0].status == "unchanged"
    assert len(list(Path(repository.store.url).glob("*/*"))) == 2


@pytest.mark.slow
def test_no_flipped_bit_is_read_silently(repository, runs, again):
    drawn = random.Random(8)  # noqa: S311 - drawn, not secret
    right = {
        run_id: {name: repository.frame(run_id, name) for name in ("events", "diagnostics")}
        for run_id in runs
    }
    for _ in range(60):
        run_id = drawn.choice(list(runs))
        path = pack_of(repository, run_id)
        whole = path.read_bytes()
        bit = drawn.randrange(len(whole) * 8)
        flip(path, bit)
        for name in right[run_id]:
            file = repository.find_run(run_id).frame_file(name)
            if not file.start <= bit // 8 < file.start + file.size:
                assert again(repository).frame(run_id, name).equals(right[run_id][name])
                continue
            with pytest.raises(RunDamaged, match=rf"frame {name} of run {run_id}"):
                again(repository).frame(run_id, name)
        path.write_bytes(whole)
    for run_id, frames in right.items():
        for name, frame in frames.items():
            pd.testing.assert_frame_equal(again(repository).frame(run_id, name), frame)


def test_a_run_of_before_the_checksums_is_read_without(repository, runs, again):
    for run_id in runs:
        unpack(repository, run_id)
    change(repository, "checksums = null")
    assert [len(again(repository).frame(run_id, "events")) for run_id in runs] == [40, 41]
    first = next(iter(runs))
    cut(Path(repository.store.url, repository.version(first), "events.parquet"))
    with pytest.raises(RunDamaged, match="cannot be decoded"):
        again(repository).frame(next(iter(runs)), "events")


def test_a_folder_of_frames_that_is_gone_is_the_storages(repository, runs, again):
    shutil.rmtree(repository.store.url)
    for ask in (
        lambda: again(repository).frame(next(iter(runs)), "events"),
        again(repository).check,
    ):
        with pytest.raises(StorageError) as caught:
            ask()
        assert not isinstance(caught.value, RunDamaged)
        assert repository.store.url in str(caught.value)
        assert repository.store.url not in caught.value.public
    assert [run.status for run in ingest(repository, list(runs.values()), {}).runs] == [
        "updated"
    ] * 2
    assert repository.check() == 2


def change(repository, assignment, run_id="%"):
    with (
        closing(
            sqlite3.connect(repository.catalogue.address.removeprefix("sqlite:///"))
        ) as connection,
        connection,
    ):
        connection.execute(f"update runs set {assignment} where run_id like ?", (run_id,))  # noqa: S608


CHANGES = {
    "no JSON": f'run = \'{{"name": "{CONTENT}\''.replace("nobody's", "nobody''s"),
    "another type": "run = '[]'",
    "a value of another type": "run = json_set(run, '$.M', 'many')",
    "a number that fits nowhere": "run = json_set(run, '$.M', json('123456789012345678901234567890'))",
    "half a character": "run = json_set(run, '$.name', json('\"\\ud800\"'))",
    "without what it needs": "run = json_remove(run, '$.sha256')",
    "of another run": "run = json_set(run, '$.run_id', 'other')",
    "null": "headline = 'null'",
    "a text among the numbers": "headline = json_set(headline, '$.kernels', 'x')",
    "frames": 'frames = \'{"events": "x"}\'',
    "findings": "findings = '[1]'",
    "bytes that are no text": "run = cast(x'7b22ff' as text)",
    "bytes": "settings = x'ff00'",
    "a number": "settings = 7",
    "checksums": "checksums = '{\"events\": 1}'",
    "offsets": "offsets = '{\"events\": -1}'",
    "counts": "errors = 'many'",
}


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("assignment", CHANGES.values(), ids=CHANGES)
def test_a_damaged_row_hides_no_other_and_is_said(repository, runs, again, assignment):
    (damaged, source), (other, _) = runs.items()
    change(repository, assignment, damaged)
    listed = again(repository).runs()
    assert set(listed["run_id"]) == {damaged, other}
    row = listed.set_index("run_id").loc[damaged]
    assert "damaged" in row["name"]
    assert row["errors"] == 1
    assert CONTENT not in listed.to_csv()
    with pytest.raises(RunDamaged, match=damaged) as caught:
        again(repository).frame(damaged, "events")
    assert CONTENT not in str(caught.value)
    assert len(again(repository).frame(other, "events")) == 41
    assert ingest(again(repository), [source], {}).runs[0].status == "updated"
    assert len(again(repository).frame(damaged, "events")) == 40
    assert len(list(Path(repository.store.url).glob("*/*"))) == 2


def test_a_damaged_run_is_deleted(repository, runs):
    damaged = next(iter(runs))
    change(repository, CHANGES["no JSON"], damaged)
    repository.delete(damaged)
    assert damaged not in set(repository.runs()["run_id"])
    assert [path.name for path in Path(repository.store.url).iterdir()] == [list(runs)[1]]


def test_a_catalogue_that_neither_has_nor_takes_a_run_is_given_up(
    repository, write, runs, monkeypatch
):
    tries = []
    monkeypatch.setattr(repository.catalogue, "get", lambda _: None)
    monkeypatch.setattr(repository.catalogue, "insert", lambda *_: tries.append(1) and False)
    answer = ingest(repository, [write("c.fake", "three")], {})
    assert answer.failure is not None
    assert 1 < len(tries) < 100
    assert len(list(Path(repository.store.url).glob("*/*"))) == 2


@pytest.mark.slow
def test_a_catalogue_whose_index_is_damaged_ends_an_ingest(repository, runs, again):
    """The row is in the table and its key in no index: it is neither found nor may it be inserted again."""
    path = Path(repository.catalogue.address.removeprefix("sqlite:///"))
    repository.catalogue.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        size = connection.execute("pragma page_size").fetchone()[0]
        roots = [
            row[0]
            for row in connection.execute("select rootpage from sqlite_master where rootpage > 0")
        ]
    content = bytearray(path.read_bytes())
    for root in roots:
        content[(root - 1) * size + 100 : root * size] = bytes(size - 100)
    path.write_bytes(content)
    broken = again(repository)
    for source in runs.values():
        try:
            answer = ingest(broken, [source], {})
        except StorageError as error:
            failure = error
        else:
            failure = answer.failure
        assert failure is not None
        assert str(path) not in failure.public


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_catalogue_that_is_damaged_after_it_was_opened_is_not_well(repository, runs, after):
    path = Path(repository.catalogue.address.removeprefix("sqlite:///"))
    assert repository.check() == 2
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    content = bytearray(path.read_bytes())
    content[4096 * after : 4096 * after + 600] = b"\xff" * 600
    path.write_bytes(content)
    with pytest.raises(StorageError) as caught:
        repository.check()
    assert "catalogue" in caught.value.public
    assert str(path) not in caught.value.public


def test_a_catalogue_that_is_gone_or_back_is_noticed(repository, runs, tmp_path):
    folder = tmp_path / "data"
    assert repository.check() == 2
    with closing(sqlite3.connect(folder / "catalogue.db")) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    folder.rename(tmp_path / "elsewhere")
    for ask in (repository.check, repository.runs, repository.count):
        with pytest.raises(StorageError, match="gone"):
            ask()
    assert not folder.exists()
    folder.mkdir()
    with pytest.raises(StorageError):
        repository.runs()
    assert list(folder.iterdir()) == []
    folder.rmdir()
    shutil.copytree(tmp_path / "elsewhere", folder)
    assert repository.check() == 2
    repository.delete(next(iter(runs)))
    assert repository.check() == 1
    with closing(sqlite3.connect(folder / "catalogue.db")) as connection:
        assert connection.execute("select count(*) from runs").fetchone() == (1,)
