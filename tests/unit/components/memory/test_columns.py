import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.memory.columns import bank_shares, columns, memory_shares
from tests.support.memory import amap, block, constant

lives = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 10), st.integers(1, 500)), min_size=1, max_size=12
)


def test_every_step_has_a_column_where_there_are_few() -> None:
    found = columns(amap([block("a", 0, 2, 0), block("b", 1, 3, 64)]), (0, 3))
    assert found.words() == ["step 0", "step 1", "step 2"]
    assert found.highest(found.values("live_bytes")).tolist() == [64, 128, 64]
    assert len(found) == len(found.rows)


def test_columns_that_stand_for_several_steps_say_which_is_the_highest() -> None:
    found = columns(amap([block("a", 0, 8, 0), block("b", 5, 6, 64)]), (0, 8), limit=2)
    assert len(found) < len(found.rows)
    assert found.words() == ["step 0 (of 0 – 3)", "step 5 (of 4 – 7)"]


def test_only_the_window_is_shown() -> None:
    found = columns(amap([block("a", 0, 8, 0)]), (2, 5))
    assert (found.start[0], found.end[-1]) == (2, 5)


@pytest.mark.slow
@given(lives, st.integers(1, 12))
def test_binning_keeps_the_highest_value_and_covers_every_step(
    rows: list[tuple[int, int, int]], limit: int
) -> None:
    one = amap(
        [
            block(f"b{i}", start, start + length, None, size)
            for i, (start, length, size) in enumerate(rows)
        ]
    )
    found = columns(one, (0, one.length), limit)
    live = found.values("live_bytes")
    shown = found.highest(live)
    assert len(found) <= limit
    assert shown.max() == live.max()
    assert found.start[0] == 0
    assert found.end[-1] == one.length
    assert (found.start[1:] == found.end[:-1]).all()
    assert (found.start <= found.step()).all()
    assert (found.step() < found.end).all()
    at = dict(zip(found.begins.tolist(), live.tolist(), strict=True))
    assert [at[step] for step in found.step().tolist()] == shown.tolist()


def test_a_block_over_two_banks_fills_both_by_its_part() -> None:
    one = amap([block("a", 0, 2, 32, 64)], capacity=256, banks=4, bank_bytes=64)
    found = columns(one, (0, 2))
    assert bank_shares(one, found).tolist() == [[0.5, 0.5], [0.5, 0.5], [0, 0], [0, 0]]


def test_constants_count_for_the_whole_memory() -> None:
    one = amap(
        [constant("c", 0, 64), block("a", 0, 1, 0, 64)], capacity=256, static_bytes=64, steps=None
    )
    found = columns(one, (0, one.length))
    assert memory_shares(one, found)[0] == pytest.approx(0.5)


def test_without_a_capacity_there_is_no_share() -> None:
    one = amap([block("a", 0, 1, 0)])
    assert np.isnan(memory_shares(one, columns(one, (0, 1)))).all()
