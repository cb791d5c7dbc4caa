"""The folder of tiles: kept, bounded, and harmless if it fails."""

import os

from app.config.settings import Settings
from app.server.tile_folder import TileFolder


def bytes_in(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_a_tile_that_is_kept_is_read_by_another_process(tmp_path):
    TileFolder(tmp_path, 2**20).write("a", b"bars")
    assert TileFolder(tmp_path, 2**20).read("a") == b"bars"
    assert TileFolder(tmp_path, 2**20).read("b") is None


def test_the_folder_does_not_grow_beyond_its_limit(tmp_path):
    limit = 64_000
    for number in range(400):
        # Each by a process of its own, as those that end after a request.
        TileFolder(tmp_path, limit).write(f"{number}", b"x" * 1_000)
    assert 0 < bytes_in(tmp_path) <= limit


def test_the_tile_that_was_used_last_stays(tmp_path):
    folder = TileFolder(tmp_path, 16 * 3_000)
    names = [f"{number}" for number in range(200)]
    first = folder._file(tmp_path, names[0]).parent
    same = [name for name in names if folder._file(tmp_path, name).parent == first][:4]
    for age, name in enumerate(same[:3]):
        TileFolder(tmp_path, 16 * 3_000).write(name, b"x" * 1_000)
        os.utime(folder._file(tmp_path, name), (age, age))
    assert folder.read(same[0])  # the oldest until it is read
    TileFolder(tmp_path, 16 * 3_000).write(same[3], b"x" * 1_000)
    kept = [name for name in same if folder.read(name)]
    assert kept == [same[0], same[2], same[3]]


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    folder = TileFolder(tmp_path / "file", 2**20)
    folder.write("a", b"bars")
    assert folder.read("a") is None


def test_tiles_are_beside_what_processes_share(tmp_path):
    settings = Settings(data=tmp_path / "data", answers_folder=tmp_path / "shared")
    assert TileFolder.of(settings).path == tmp_path / "shared" / "tiles"
    assert TileFolder.of(Settings(data=tmp_path)).path == tmp_path / "tiles"
    assert TileFolder.of(Settings(data=tmp_path, tiles_mb=0)).path is None
