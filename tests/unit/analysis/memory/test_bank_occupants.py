import pytest

from analysis.memory.bank_occupants import bank_occupants, steps_around
from tests.support.memory import amap, block, failed

ROWS = [
    block("one", 0, 3, address=0, size=100),
    block("both", 1, 2, address=40, size=80),
    failed("lost", 0, 3, size=10),
    block("late", 5, 6, address=64, size=8),
]


def shown(**columns):
    return amap(ROWS, banks=2, bank_bytes=64, **columns)


def test_each_bank_names_its_blocks_with_their_bytes_in_it():
    rows = bank_occupants(shown(), range(0, 3))
    assert rows.values.tolist() == [
        *([0, 0, 0, 64], [0, 1, 0, 64], [0, 1, 1, 24], [0, 2, 0, 64]),
        *([1, 0, 0, 36], [1, 1, 1, 56], [1, 1, 0, 36], [1, 2, 0, 36]),
    ]


def test_steps_that_are_not_asked_for_and_memories_without_banks_have_no_row():
    assert bank_occupants(shown(), range(4, 6))["row"].tolist() == [3]
    assert bank_occupants(amap(ROWS), range(0, 3)).empty


@pytest.mark.slow
def test_the_steps_are_around_the_cursor_within_the_window():
    assert steps_around(shown(), 2, None, 3) == range(1, 4)
    assert steps_around(shown(), 0, None, 3) == range(0, 3)
    assert steps_around(shown(), 5, None, 3) == range(3, 6)
    assert steps_around(shown(), 5, (1, 3), 4) == range(1, 3)
