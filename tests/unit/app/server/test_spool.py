"""Files on their way to a client on a real disk without space."""

import tempfile
from contextlib import nullcontext

import pytest

from app.server.spool import MAX_IN_MEMORY, Spool, unsent_buffer
from tests.support.small_disk import fill, small_disk

SIZE = 2**20


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """A disk of one MiB for temporary files."""
    with small_disk(tmp_path / "disk", SIZE) as folder:
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        yield folder


def content(file):
    file.seek(0)
    return file.read()


def test_a_disk_that_fills_up_midway_leaves_the_whole_in_memory(disk):
    spool, parts = Spool(), [bytes([n]) * 300_000 for n in range(8)]
    for part in parts:
        spool.write(part)
    assert content(spool.file) == b"".join(parts)
    spool.file.close()


def test_memory_is_bounded(disk):
    fill(disk)
    for size, raises in ((MAX_IN_MEMORY, False), (MAX_IN_MEMORY + 1, True)):
        spool = Spool()
        with pytest.raises(OSError, match="No space") if raises else nullcontext():
            spool.write(b"x" * size)
        spool.file.close()


@pytest.mark.parametrize("is_full", [False, True])
def test_a_response_is_sent_whole(disk, is_full):
    if is_full:
        fill(disk)
    data = bytes(range(256)) * 3000
    buffer = unsent_buffer(data, may_keep=True)
    assert len(buffer) == len(data)
    assert buffer.get(2**20, skip=True) == data
    buffer.close()


def test_a_response_that_may_not_be_kept_is_an_error(disk):
    fill(disk)
    with pytest.raises(OSError, match="No space"):
        unsent_buffer(b"x" * SIZE, may_keep=False)
