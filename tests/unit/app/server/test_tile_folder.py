"""The folder of tiles: kept, bounded, and harmless if it fails."""

import os
from multiprocessing import get_context

import pytest

from app.config.settings import Settings
from app.server.tile_folder import BUCKETS, TileFolder, TileKey, _file
from tests.support.waiting import PATIENCE_S


def key_of(tile, run_id="a1", version="1-f"):
    return TileKey(run_id, version, tile)


def bytes_in(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_a_tile_that_is_kept_is_read_by_another_process(tmp_path):
    TileFolder(tmp_path, 2**20).write(key_of("a"), b"bars")
    assert TileFolder(tmp_path, 2**20).read(key_of("a")) == b"bars"
    assert TileFolder(tmp_path, 2**20).read(key_of("b")) is None


@pytest.mark.slow
def test_the_folder_does_not_grow_beyond_its_limit(tmp_path):
    limit = 64_000
    for number in range(400):
        # Each by a process of its own, as those that end after a request.
        TileFolder(tmp_path, limit).write(key_of(f"{number}"), b"x" * 1_000)
    assert 0 < bytes_in(tmp_path) <= limit


def test_the_tile_that_was_used_last_stays(tmp_path):
    folder = TileFolder(tmp_path, 16 * 3_000)
    keys = [key_of(f"{number}") for number in range(200)]
    first = _file(tmp_path, keys[0]).parent
    same = [key for key in keys if _file(tmp_path, key).parent == first][:4]
    for age, key in enumerate(same[:3]):
        TileFolder(tmp_path, 16 * 3_000).write(key, b"x" * 1_000)
        os.utime(_file(tmp_path, key), (age, age))
    assert folder.read(same[0])  # the oldest until it is read
    TileFolder(tmp_path, 16 * 3_000).write(same[3], b"x" * 1_000)
    kept = [key for key in same if folder.read(key)]
    assert kept == [same[0], same[2], same[3]]


def versions_in(folder):
    return {version for bucket in range(BUCKETS) for version in folder.versions(bucket)}


def test_the_tiles_of_a_version_of_a_run_are_deleted_together(tmp_path):
    folder = TileFolder(tmp_path, 2**20)
    for run_id, version in (("a1", "1-f"), ("a1", "1-e"), ("b2", "1-f")):
        for tile in range(30):
            folder.write(key_of(f"{tile}", run_id, version), b"bars")
    assert versions_in(folder) == {("a1", "1-f"), ("a1", "1-e"), ("b2", "1-f")}
    for bucket in range(BUCKETS):
        folder.drop(bucket, {("a1", "1-f")})
    assert versions_in(folder) == {("a1", "1-e"), ("b2", "1-f")}
    assert folder.read(key_of("3", "a1", "1-f")) is None
    assert folder.read(key_of("3", "b2", "1-f")) == b"bars"


def test_a_file_of_another_layout_belongs_to_no_run(tmp_path):
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / ("f" * 64)).write_bytes(b"bars")
    folder = TileFolder(tmp_path, 2**20)
    assert folder.versions(0) == {("", "")}
    folder.drop(0, {("", "")})
    assert bytes_in(tmp_path) == 0


def make_alone(path, log):
    """Make a tile that takes a while, as another process does; log its beginning and end."""
    with TileFolder(path, 2**20).making(key_of("a")), log.open("a", buffering=1) as lines:
        lines.write("begin\n")
        for _ in range(200):
            os.sched_yield()
        lines.write("end\n")


@pytest.mark.slow
def test_processes_make_the_tiles_of_a_block_one_after_the_other(tmp_path):
    context = get_context("fork")
    log = tmp_path / "log"
    makers = [context.Process(target=make_alone, args=(tmp_path / "t", log)) for _ in range(6)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join(PATIENCE_S)
    assert log.read_text().split() == ["begin", "end"] * 6


def test_a_folder_that_cannot_be_locked_lets_tiles_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with TileFolder(tmp_path / "file", 2**20).making(key_of("a")):
        pass
    with TileFolder(None, 0).making(key_of("a")):
        pass


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    folder = TileFolder(tmp_path / "file", 2**20)
    folder.write(key_of("a"), b"bars")
    assert folder.read(key_of("a")) is None


def test_tiles_are_beside_what_processes_share(tmp_path):
    settings = Settings(data=tmp_path / "data", answers_folder=tmp_path / "shared")
    assert TileFolder.of(settings).path == tmp_path / "shared" / "tiles"
    assert TileFolder.of(Settings(data=tmp_path)).path == tmp_path / "tiles"
    assert TileFolder.of(Settings(data=tmp_path, tiles_mb=0)).path is None
