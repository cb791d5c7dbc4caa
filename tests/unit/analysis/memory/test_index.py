import numpy as np
import pandas as pd
import pandas.testing as pdt
import pytest

from analysis.memory.index import MemoryIndex
from analysis.memory.occupancy import occupancy
from schema.frames import empty
from tests.support.memory import attempts, block, blocks, constant, numbered, steps, uses

ROWS = [
    block("a", 0, 2, address=0),
    block("b", 1, 4, address=64),
    block("c", 2, 1, address=0, wraps=True, attempt=1),
    constant("w", attempt=2),
    block("d", 0, 1, address=0, attempt=2),
]


def index(rows=ROWS, count=3, step_rows=None, use_rows=None, **columns):
    numbers, made = numbered(rows, count=count, **columns)
    step_rows = empty("steps") if step_rows is None else step_rows
    return MemoryIndex.of(
        numbers, made, step_rows, empty("buffer_uses") if use_rows is None else use_rows
    )


class TestMap:
    def test_it_has_the_blocks_of_its_attempt_from_0(self):
        shown = index().map(1)
        assert shown.number == 1
        assert shown.blocks["name"].tolist() == ["c"]
        assert shown.blocks.index.tolist() == [0]
        assert sorted(zip(shown.segments.start, shown.segments.end, strict=True)) == [
            (0, 1),
            (2, 4),
        ]

    @pytest.mark.slow
    def test_its_occupancy_is_that_of_the_whole_run_cut_to_it(self):
        numbers, made = numbered(ROWS, count=3, banks=2, bank_bytes=64)
        whole = occupancy(made, numbers)
        for number in (0, 1, 2):
            own = index(banks=2, bank_bytes=64).map(number).occupancy
            wanted = whole[whole["attempt"] == number].sort_values(
                ["bank", "step"], na_position="first"
            )
            own = own.sort_values(["bank", "step"], na_position="first")
            pdt.assert_frame_equal(own.reset_index(drop=True), wanted.reset_index(drop=True))

    def test_an_attempt_without_blocks_is_an_empty_map(self):
        shown = index(rows=ROWS[:2]).map(2)
        assert len(shown.blocks) == len(shown.segments) == 0
        assert shown.length == 4

    def test_one_that_is_not_there_raises(self):
        with pytest.raises(KeyError):
            index().map(9)

    def test_order_of_the_rows_does_not_matter(self):
        numbers, made = numbered(ROWS, count=3)
        mixed = made.iloc[[4, 0, 2, 1, 3]]
        shown = MemoryIndex.of(numbers, mixed, empty("steps"), empty("buffer_uses"))
        assert shown.map(0).blocks["name"].tolist() == ["a", "b"]

    def test_gaps_are_cut_out_of_lifetimes(self):
        shown = index([block("a", 0, 8, address=0, gaps="2-4 5-6@0:16")], count=1).map(0)
        found = zip(shown.segments.start, shown.segments.end, shown.segments.high, strict=True)
        assert sorted(found) == [(0, 2, 64), (4, 5, 64), (5, 6, 16), (6, 8, 64)]


class TestRows:
    def test_steps_of_all_attempts_are_every_map_s(self):
        shown = index(step_rows=steps(["conv", "relu"]))
        assert (
            shown.map(0).steps["name"].tolist()
            == shown.map(2).steps["name"].tolist()
            == ["conv", "relu"]
        )

    def test_steps_of_an_attempt_are_its_own(self):
        own = [steps(["x", "y"], attempt=[number, number]) for number in (0, 1)]
        shown = index(step_rows=pd.concat([*own, steps(["all"])], ignore_index=True))
        assert shown.map(1).steps["attempt"].tolist() == [pd.NA, 1, 1]
        assert shown.map(2).steps["name"].tolist() == ["all"]

    def test_uses_are_those_of_its_blocks(self):
        shown = index(use_rows=uses([(0, 1, 2, "r"), (2, 1, 0, "w")]))
        assert shown.map(0).uses["access"].tolist() == ["r"]
        assert len(shown.map(1).uses) == 0


class TestTogether:
    def test_levels_of_a_plan_come_together_in_order(self):
        levels = index(level=["L1", "L2", "L3"])
        assert levels.together(1) == [0, 1, 2]
        assert [levels.map(number).label for number in levels.together(1)] == ["L1", "L2", "L3"]

    def test_an_attempt_comes_alone(self):
        assert index().together(1) == [1]


class TestNumbers:
    def test_attempts_as_stored_get_their_numbers(self):
        made = blocks(ROWS)
        stored = attempts(3)
        assert stored["blocks"].isna().all()
        shown = MemoryIndex.of(stored, made, empty("steps"), empty("buffer_uses"))
        pdt.assert_frame_equal(shown.numbers, numbered(ROWS, count=3, steps=4)[0])

    def test_numbers_that_are_there_stay(self):
        numbers, made = numbered(ROWS, count=3)
        changed = numbers.assign(extent=pd.array([7, 7, 7], dtype="Int64"))
        shown = MemoryIndex.of(changed, made, empty("steps"), empty("buffer_uses"))
        assert shown.map(1).whole("extent") == 7

    def test_no_attempts_are_no_trouble(self):
        frames = [empty(name) for name in ("attempts", "allocations", "steps", "buffer_uses")]
        assert len(MemoryIndex.of(*frames).numbers) == 0


def test_a_map_of_a_block_that_ends_at_the_last_step():
    shown = index([block("a", 0, 3, address=0)], count=1, steps=3).map(0)
    assert shown.segments.end.tolist() == [3]
    assert np.asarray(shown.occupancy["live_bytes"]).tolist() == [64, 64, 64]
