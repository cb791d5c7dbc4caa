from types import SimpleNamespace

import pytest

from analysis.memory.index import MemoryIndex
from analysis.memory.selection import MemorySelection
from app.views.memory import actions as events
from app.views.state import RunState
from schema.frames import empty
from services.run.memory import MemoryData
from tests.support.memory import block, failed, numbered

BLANK = RunState()


def data(rows=None, **columns):
    rows = rows or [
        block("a", 0, 2, address=0),
        block("b", 1, 3, address=64),
        failed("c", attempt=1),
        block(attempt=2),
    ]
    attempts, blocks = numbered(rows, count=3, **columns)
    frames = [empty(name) for name in ("steps", "buffer_uses", "events")]
    return MemoryData(MemoryIndex.of(attempts, blocks, *frames[:2]), blocks, *frames)


def page(**columns):
    """Return what the steps ask of a run's page: its memory."""
    return SimpleNamespace(memory=data(**columns))


class TestClicks:
    def test_a_block_is_selected_and_cleared_by_the_same_click(self):
        state = events.apply_click(BLANK, {"attempt": 0, "block": 1}, 0)
        assert state.memory == MemorySelection(block=1)
        assert events.apply_click(state, {"attempt": 0, "block": 1}, 0) == BLANK

    def test_a_block_of_another_level_takes_its_attempt_along(self):
        state = events.apply_click(
            BLANK.remembering(block=4, bank=2), {"attempt": 1, "block": 0}, 0
        )
        assert state.memory == MemorySelection(attempt=1, block=0)

    def test_a_cell_selects_bank_and_step(self):
        state = events.apply_click(BLANK, {"attempt": 0, "step": 3, "bank": 2}, 0)
        assert (state.memory.step, state.memory.bank) == (3, 2)

    def test_a_total_selects_the_step_alone(self):
        assert events.apply_click(
            BLANK, {"attempt": 0, "step": 3, "bank": None}, 0
        ).memory == MemorySelection(step=3)

    def test_a_click_beside_everything_changes_nothing(self):
        assert events.apply_click(BLANK, {}, 0) == BLANK


class TestAttempts:
    def test_another_attempt_drops_what_was_selected_in_the_last_one(self):
        state = BLANK.remembering(attempt=0, block=1, bank=3, span=(0, 2), step=1)
        assert events.attempt_chosen(state, 2, data()).memory == MemorySelection(attempt=2, step=1)

    def test_another_level_of_a_plan_keeps_the_steps_in_view(self):
        state = BLANK.remembering(attempt=0, span=(0, 2))
        assert events.attempt_chosen(state, 2, data(level=["L1", "L2", "L3"])).memory.span == (0, 2)

    def test_there_is_no_attempt_that_is_not_there(self):
        assert events.attempt_chosen(BLANK, 99, data()) == BLANK

    def test_a_comparison_is_with_another_attempt_and_ends_by_the_same_click(self):
        memory = data()
        shown = memory.number(BLANK.memory)
        other = next(number for number in (0, 1, 2) if number != shown)
        state = events.compare_attempt(BLANK, other, memory)
        assert state.memory.against == other
        assert events.compare_attempt(state, other, memory) == BLANK
        assert events.compare_attempt(BLANK, shown, memory) == BLANK

    def test_a_comparison_is_with_the_attempt_before_it_in_its_layer_group(self):
        memory = data(group=["group 0", "group 1", "group 0"])
        state = events.compare_attempt(BLANK.remembering(attempt=1, block=3), 2, memory)
        assert state.memory == MemorySelection(attempt=2, against=0)
        assert events.compare_attempt(state, 2, memory).memory == MemorySelection(attempt=2)
        assert events.compare_attempt(state, 1, memory).memory.against == 1


class TestKeys:
    @pytest.mark.slow
    def test_j_and_k_walk_the_listed_attempts(self):
        run = page()
        state = events.attempt_stepped(BLANK.remembering(attempt=0), run, 1)
        assert state.memory.attempt == 1
        assert events.attempt_stepped(state, run, -1).memory.attempt == 0
        assert events.attempt_stepped(BLANK.remembering(attempt=2), run, 1).memory.attempt == 2

    def test_a_and_d_move_the_cursor_within_the_attempt(self):
        run = page()
        state = BLANK.remembering(attempt=0, step=0)
        assert events.cursor_moved(state, run, -1).memory.step == 0
        assert events.cursor_moved(state, run, 1).memory.step == 1
