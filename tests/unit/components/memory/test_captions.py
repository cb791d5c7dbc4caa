import re
from dataclasses import replace

import pandas as pd
import pytest

from analysis.memory.selection import MemorySelection
from components.memory.attempt_captions import attempts_caption
from components.memory.captions import NO_BANKS, banks_caption, live_caption, map_caption
from components.memory.step_captions import alive_caption, peak_caption, timesteps_caption
from schema.frames import complete
from tests.support import memory
from tests.support.numbers_in_text import has_numbers, numbers_in, without_numbers

NOTHING = MemorySelection()


def plain(said):
    return said.replace("\u202f", " ")


def fitting(**more):
    """Return a map of 1024 bytes in four banks: 300 bytes from 0, and 100 bytes at 600 that two steps share."""
    rows = [memory.block("a", 0, 2, 0, 300), memory.block("b", 1, 3, 600, 100)]
    return memory.amap(rows, **({"capacity": 1024, "banks": 4, "bank_bytes": 256} | more))


def second(amap):
    return replace(amap, attempt={**amap.attempt, "attempt": 1})


class TestMap:
    def test_an_attempt_that_fits(self):
        said = plain(map_caption([fitting()], NOTHING))
        assert "fits" in said
        assert numbers_in(said)[:2] == ["0", "700 B"]
        assert has_numbers(said, "68.4 %", "300 B", "1")

    def test_an_attempt_that_wastes_nothing(self):
        tight = memory.amap([memory.block(address=0, size=64)])
        assert numbers_in(plain(map_caption([tight], NOTHING))) == ["0", "64 B"]

    def test_blocks_that_overlap_do_not_fit(self):
        rows = [memory.block("a", 0, 2, 0, 300), memory.block("b", 0, 2, 100, 100)]
        said = plain(map_caption([memory.amap(rows, capacity=1024)], NOTHING))
        assert "fits" not in said
        assert {"300 B", "400 B", "29.3 %"} < set(numbers_in(said))

    def test_more_than_there_is(self):
        said = map_caption([fitting(capacity=512)], NOTHING)
        assert "does not fit" in said
        assert numbers_in(said)[:4] == ["0", "700 B", "512 B", "136.7 %"]

    def test_failed_blocks_and_whether_any_allocator_could(self):
        rows = [memory.block(address=0, size=64), memory.failed(size=64), memory.failed(size=64)]
        tight, roomy = (
            memory.amap(rows, capacity=capacity, outcome="failed") for capacity in (128, 192)
        )
        said = [plain(map_caption([one], NOTHING)) for one in (tight, roomy)]
        assert all("2 of 3 blocks failed" in text for text in said)
        assert has_numbers(said[0], "192 B", "128 B")
        assert has_numbers(said[1], "192 B", "192 B")

    def test_the_first_failed_block_is_set_against_the_largest_free_gap(self):
        rows = [
            memory.block("a", address=32, size=64),
            memory.failed("lost", size=100),
            memory.failed("next", size=7),
        ]
        said = plain(map_caption([memory.amap(rows, capacity=128)], NOTHING))
        assert "lost" in said
        assert "next" not in said
        assert all(number in said for number in ("100 B", "64 B", "32 B"))
        assert "largest range" not in plain(map_caption([memory.amap(rows)], NOTHING))

    def test_a_layout_of_the_built_in_allocator_is_no_solution(self):
        layout = fitting(outcome="solved", strategy="best_fit", capacity=512)
        said = map_caption([layout], NOTHING)
        assert "solution" not in said.lower()
        assert "does not fit" in said
        assert "may fit" in said
        assert "no allocator" in map_caption(
            [replace(layout, attempt=layout.attempt | {"bound": 600})], NOTHING
        )

    def test_constants_are_told_apart(self):
        said = map_caption([fitting(static_bytes=100)], NOTHING)
        assert has_numbers(said, "800 B", "1 024 B", "78.1 %", "100 B")

    def test_an_attempt_without_its_end(self):
        said = map_caption([fitting(outcome="unfinished")], NOTHING)
        assert "unfinished" in said
        assert numbers_in(said)[:3] == ["0", "700 B", "1 024 B"]

    def test_problems_and_solutions(self):
        problem = memory.amap([memory.block(size=64)], outcome="unsolved", capacity=1024)
        assert has_numbers(map_caption([problem], NOTHING), "64 B", "1 024 B")
        assert map_caption([fitting(outcome="solved")], NOTHING).startswith("The solution fits: ")

    def test_levels_say_how_full_each_is_and_speak_of_the_selected_one(self):
        one, other = fitting(level="L1"), second(fitting(level="L2", capacity=2048))
        said = map_caption([one, other], MemorySelection(attempt=1))
        assert numbers_in(said)[:4] == ["68.4 %", "34.2 %", "700 B", "2 048 B"]
        assert re.findall(r"L\d", said) == ["L1", "L2", "L2"]

    def test_without_a_map(self):
        assert map_caption([], NOTHING)


class TestBanks:
    def test_the_fullest_bank(self):
        roomy = memory.amap(
            [memory.block(address=0, size=200)], capacity=1024, banks=4, bank_bytes=256
        )
        said = plain(banks_caption([roomy], NOTHING))
        assert all(part in said for part in ("Bank 0", "78.1 %", "step 0", "3 banks"))

    def test_full_banks_are_counted(self):
        assert numbers_in(plain(banks_caption([fitting()], NOTHING))) == ["1", "4", "1"]

    def test_the_selected_bank(self):
        said = [plain(banks_caption([fitting()], MemorySelection(bank=bank))) for bank in (2, 3)]
        assert [numbers_in(text) for text in said] == [["2", "2", "39.1 %", "1"], ["3"]]

    def test_levels_instead_of_banks(self):
        levels = [fitting(level=name, banks=None, bank_bytes=None) for name in ("L1", "L2")]
        assert numbers_in(plain(banks_caption(levels, NOTHING))) == ["68.4 %", "68.4 %"]

    def test_no_bank_in_use(self):
        assert banks_caption([], NOTHING)
        failed = memory.amap([memory.failed()], capacity=1024, banks=4, bank_bytes=256)
        assert without_numbers(banks_caption([failed], NOTHING))

    def test_a_memory_without_banks(self):
        whole, unknown = (
            fitting(banks=None, bank_bytes=None),
            memory.amap([memory.block(address=0)]),
        )
        assert "68.4 %" in plain(banks_caption([whole], NOTHING))
        assert "%" not in banks_caption([unknown], NOTHING)
        unplaced = banks_caption([memory.amap([memory.block()], capacity=64)], NOTHING)
        assert unplaced.startswith("No block is placed.")
        assert unplaced.endswith(NO_BANKS)


class TestLiveBytes:
    def test_peak_extent_and_fragmentation(self):
        said = plain(live_caption([fitting()], NOTHING))
        assert all(
            part in said for part in ("step 1: 400 B", "700 B", "300 B over the bound", "48.1 %")
        )

    def test_levels_are_named(self):
        levels = [fitting(level="L1"), second(fitting(level="L2"))]
        assert live_caption(levels, NOTHING).startswith("L1: most is alive at step 1")

    def test_nothing_alive(self):
        assert without_numbers(live_caption([], NOTHING))
        assert without_numbers(live_caption([memory.amap([memory.failed()])], NOTHING))


class TestAttempts:
    def test_outcomes_are_counted(self):
        outcome = ["success", "failed", "unfinished", "success"]
        frame = memory.attempts(4, outcome=outcome, final=True, group=["a", "a", "b", "b"])
        text = attempts_caption(frame, MemorySelection(attempt=2))
        assert numbers_in(text) == ["4", "1", "1", "4", "2", "2"]

    def test_where_nothing_failed_that_is_said(self):
        assert numbers_in(attempts_caption(memory.attempts(2), NOTHING)) == ["2"]
        assert numbers_in(attempts_caption(memory.attempts(1), MemorySelection(attempt=0))) == ["1"]
        assert without_numbers(attempts_caption(memory.attempts(0), NOTHING))

    def test_levels(self):
        frame = memory.attempts(2, level=["L1", "L2"], utilization=[0.5, 0.75])
        assert numbers_in(plain(attempts_caption(frame, NOTHING))) == ["2", "75.0 %"]
        unknown = memory.attempts(1, level="L1")
        assert "%" not in attempts_caption(unknown, NOTHING)

    def test_a_level_beside_attempts_is_no_attempt(self):
        frame = memory.attempts(3, level=[None, None, "DDR"])
        assert numbers_in(attempts_caption(frame, NOTHING)) == ["2", "1"]


class TestTimesteps:
    @pytest.fixture
    def timed(self):
        columns = {
            "attempt": 0,
            "step": [0, 1, 2],
            "gdma_cycles": [300, 50, 10],
            "layer_cycles": [100, 50, 90],
        }
        steps = complete("steps", pd.DataFrame(columns))
        return replace(fitting(), steps=steps)

    def test_waiting_is_summed(self, timed):
        said = plain(timesteps_caption(timed, NOTHING))
        assert numbers_in(said) == ["1", "3", "200", "440 cycles", "45.5 %"]
        assert "DMA-bound" in said

    def test_the_selected_step(self, timed):
        said = timesteps_caption(timed, MemorySelection(step=0))
        assert numbers_in(said) == ["0", "300 cycles", "100", "200"]
        assert "DMA-bound" in said
        said = timesteps_caption(timed, MemorySelection(step=2))
        assert numbers_in(said)[-1] == "80"
        assert "compute-bound" in said

    def test_hidden_transfers(self, timed):
        hidden = replace(timed, steps=timed.steps[timed.steps["step"] > 0])
        assert numbers_in(timesteps_caption(hidden, NOTHING)) == ["140 cycles"]

    def test_no_cycles(self):
        assert without_numbers(timesteps_caption(fitting(), NOTHING))


class TestAlive:
    def test_blocks_and_bytes(self):
        for step, numbers in (
            (1, ["1", "2", "400 B", "1.00 KiB", "39.1 %"]),
            (2, ["2", "1", "100 B", "1.00 KiB", "9.8 %"]),
        ):
            assert numbers_in(alive_caption(fitting(), step)) == numbers

    def test_failed_blocks_and_constants(self):
        rows = [memory.block(address=0), memory.failed(size=32), memory.constant(size=16)]
        said = plain(alive_caption(memory.amap(rows, static_bytes=16, capacity=1024), 0))
        assert numbers_in(said) == ["0", "1", "64 B", "16 B", "1.00 KiB", "7.8 %", "32 B"]

    def test_where_all_failed_no_block_is_alive(self):
        said = plain(alive_caption(memory.amap([memory.failed(size=32)]), 0))
        assert numbers_in(said) == ["0", "0 B", "32 B"]

    def test_a_step_between_changes_is_the_one_before(self):
        sparse = fitting()
        sparse = replace(sparse, occupancy=sparse.occupancy[sparse.occupancy["step"] == 0])
        said = plain(alive_caption(sparse, 3))
        assert numbers_in(said) == ["3", "1", "300 B", "1.00 KiB", "29.3 %"]
        empty = replace(sparse, occupancy=sparse.occupancy.head(0))
        assert numbers_in(alive_caption(empty, 3)) == ["3"]


def test_the_blocks_that_force_the_peak_are_named_with_operators():
    rows = [
        memory.block(f"b{rank}", 0, 2, rank * 64, 64 - rank, op_type="Gemm") for rank in range(5)
    ]
    shown = memory.amap([*rows, memory.block("later", 2, 3, 0, 8)])
    said = plain(peak_caption(shown))
    assert all(part in said for part in ("5 blocks", "step 0", "b0 (64 B, Gemm)", "and 2 more"))
    assert "later" not in said
    assert peak_caption(fitting()) == ""
