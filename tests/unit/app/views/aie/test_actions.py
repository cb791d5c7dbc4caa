import pytest

from analysis.selection import Selection
from app.views.aie import actions
from app.views.registry import RUN
from app.views.state import RunState

BLANK = RunState()


def click(*customdata):
    return {"points": [{"customdata": list(customdata)}]}


class TestClicks:
    def test_a_bar_selects_its_iteration_and_the_same_bar_clears_it(self):
        state = actions.iteration_clicked(BLANK, None, click(2, "system"))
        assert state.selection == Selection(iteration=2)
        assert actions.iteration_clicked(state, None, click(2, "system")) == BLANK

    def test_a_tiles_point_selects_the_tile_too(self):
        state = actions.iteration_clicked(BLANK, None, click(2, "core 2,0"))
        assert state.selection == Selection(track="core 2,0", iteration=2)

    def test_a_cell_selects_its_tile(self):
        state = actions.tile_clicked(BLANK, None, click("core 2,0"))
        assert state.selection.track == "core 2,0"
        assert actions.tile_clicked(state, None, click("core 2,0")) == BLANK

    @pytest.mark.parametrize("nothing", [None, {}, {"points": []}, {"points": [{}]}])
    def test_a_click_on_nothing_changes_nothing(self, nothing):
        assert actions.iteration_clicked(BLANK, None, nothing) == BLANK
        assert actions.tile_clicked(BLANK, None, nothing) == BLANK


def test_j_and_k_step_through_the_iterations(capture):
    state = RUN.press_key(BLANK, capture, "j")
    assert state.selection.iteration == 0
    for _ in range(9):
        state = RUN.press_key(state, capture, "j")
    assert state.selection.iteration == 2
    assert RUN.press_key(state, capture, "k").selection.iteration == 1
    assert RUN.press_key(BLANK, capture, "k").selection.iteration == 2


def test_j_and_k_begin_in_the_window_that_is_shown(capture):
    rows = capture.iterations[capture.iterations["track"] == "system"].set_index("iteration")
    begin, end = int(rows.loc[1, "first_start"]), int(rows.loc[1, "last_end"])
    shown = BLANK.selecting(window=(begin, end))
    assert RUN.press_key(shown, capture, "j") == shown.selecting(iteration=1)
    assert RUN.press_key(shown, capture, "k") == shown.selecting(iteration=1)
    pause = BLANK.selecting(window=(int(rows.loc[0, "last_end"]) + 1, begin))
    assert RUN.press_key(pause, capture, "j").selection.iteration == 1
    assert RUN.press_key(pause, capture, "k").selection.iteration == 0


def test_j_moves_the_window_along(capture):
    rows = capture.iterations[capture.iterations["track"] == "system"].set_index("iteration")
    begin, end = int(rows.loc[0, "first_start"]), int(rows.loc[0, "last_end"])
    state = RUN.press_key(BLANK.selecting(iteration=0, window=(begin, end)), capture, "j")
    assert state.selection.iteration == 1
    left, right = state.selection.window
    assert right - left == end - begin
    assert left < rows.loc[1, "last_end"]
    assert right > rows.loc[1, "first_start"]
    for _ in range(5):
        state = RUN.press_key(state, capture, "j")
    assert state.selection.iteration == 2
    assert state.selection.window[1] <= capture.timeline.extent[1]


def test_an_iteration_out_of_view_is_not_where_j_goes_on(capture):
    rows = capture.iterations[capture.iterations["track"] == "system"].set_index("iteration")
    window = int(rows.loc[2, "first_start"]), int(rows.loc[2, "last_end"])
    state = BLANK.selecting(iteration=0, window=window)
    assert RUN.press_key(state, capture, "j").selection.iteration == 2
