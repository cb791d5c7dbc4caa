import pytest

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from app.views.actions import apply_zoom, clear_part
from app.views.state import RunState
from app.views.tiling.selection import TilingSelection

BLANK = RunState()


class TestWindow:
    def test_a_zoom_is_taken_in_whole_ticks(self):
        assert apply_zoom(BLANK, {"window": [100.4, 900.2]}).selection.window == (100, 901)

    def test_a_zoom_never_closes(self):
        begin, end = apply_zoom(BLANK, {"window": [100.4, 100.5]}).selection.window
        assert end - begin >= 10

    @pytest.mark.parametrize("window", [None, [], "x", [1]])
    def test_no_window_shows_everything(self, window):
        assert apply_zoom(BLANK.selecting(window=(1, 2)), {"window": window}) == BLANK


class TestMemoryRanges:
    def test_a_range_covers_whole_steps(self):
        state = apply_zoom(BLANK, {"span": [1.2, 3.7], "addresses": [-5.0, 100.5]})
        assert (state.memory.span, state.memory.addresses) == ((1, 4), (0, 101))

    def test_what_is_not_named_stays(self):
        state = apply_zoom(BLANK.remembering(addresses=(0, 64)), {"span": [0, 1]})
        assert state.memory.addresses == (0, 64)

    def test_null_shows_everything(self):
        state = BLANK.remembering(span=(0, 1), addresses=(0, 64))
        assert apply_zoom(state, {"span": None, "addresses": None}) == BLANK

    @pytest.mark.parametrize("span", [[1], "12", [1e300, -1e300], [0, 0]])
    def test_any_range_is_a_state_that_survives_the_address(self, span):
        state = apply_zoom(BLANK, {"span": span})
        assert state.memory.span is None or state.memory.span[0] < state.memory.span[1]


class TestClearing:
    def test_a_chip_clears_its_part(self):
        state = BLANK.selecting(track="core 2,0", iteration=1)
        assert clear_part(state, "track").selection == Selection(iteration=1)
        assert clear_part(state, "all") == BLANK

    @pytest.mark.parametrize("part", ["operator", "buffers", "all"])
    def test_buffers_go_with_their_operator(self, part):
        state = BLANK.with_selected(TilingSelection(3, buffers=(("data_in", 1),)))
        assert clear_part(state, part).selected(TilingSelection).buffers == ()
        assert clear_part(state, "l1") == state

    def test_all_is_the_selection_and_nothing_else(self):
        state = RunState(method="reference").selecting(track="core 2,0", window=(1, 9))
        assert clear_part(state, "all") == RunState(method="reference")

    def test_the_attempt_on_display_stays(self):
        state = RunState(find="x").remembering(attempt=2, block=1, step=3, against=1)
        assert clear_part(state, "all") == BLANK.remembering(attempt=2)
        assert clear_part(state, "find").find == ""
        assert clear_part(state, "step").memory.step is None
        assert clear_part(state, "against").memory == MemorySelection(attempt=2, block=1, step=3)
