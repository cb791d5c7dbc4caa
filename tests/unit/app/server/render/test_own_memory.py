"""What a process has for itself: counted anew as it grows, and now and then."""

import mmap

import pytest

from app.server.render import own_memory
from app.server.render.own_memory import OwnMemory, resident_bytes

MIB = 2**20


@pytest.mark.slow
def test_memory_that_is_taken_is_counted():
    held = OwnMemory()
    before = held.measure()
    with mmap.mmap(
        -1, 64 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    ) as block:  # never memory that was free
        for page in range(0, 64 * MIB, mmap.PAGESIZE):
            block[page] = 1
        assert abs(held.measure() - before - 64 * MIB) < 16 * MIB
        assert held.measure() <= resident_bytes()


def test_the_system_is_asked_when_it_grew_and_now_and_then(monkeypatch):
    counted, resident = [], [100 * MIB]
    monkeypatch.setattr(own_memory, "resident_bytes", lambda: resident[0])
    monkeypatch.setattr(
        own_memory, "_private_bytes", lambda: counted.append(resident[0]) or 40 * MIB
    )
    held = OwnMemory()
    assert [held.measure() for _ in range(3)] == [40 * MIB] * 3
    resident[0] += MIB
    assert held.measure() == 41 * MIB
    assert len(counted) == 1
    resident[0] += 8 * MIB
    assert held.measure() == 40 * MIB
    assert len(counted) == 2
    for _ in range(own_memory._COUNTED_EVERY):
        held.measure()
    assert len(counted) == 3
