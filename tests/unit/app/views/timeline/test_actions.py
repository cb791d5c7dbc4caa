import pytest

from analysis.selection import Selection
from app.views.registry import RUN
from app.views.state import RunState
from app.views.timeline import actions
from app.views.timeline.lanes import timeline_rows

BLANK = RunState()


def test_a_bar_of_the_timeline_selects_its_tile_then_the_kernels_duration(capture):
    first = timeline_rows(capture, BLANK)[0]
    point = {"points": [{"base": 1, "x": 101, "y": 1.4}]}
    state = actions.bar_clicked(BLANK, capture, point)
    assert state.selection.track == first.track
    again = actions.bar_clicked(state, capture, point)
    assert again.selection == Selection(track=first.track, duration=(100, 101))


@pytest.mark.parametrize("nothing", [None, {}, {"points": []}, {"points": [{}]}])
def test_a_click_on_nothing_changes_nothing(nothing, capture):
    assert actions.bar_clicked(BLANK, capture, nothing) == BLANK


class TestKeys:
    def test_w_and_s_undo_each_other(self, capture):
        closer = RUN.press_key(BLANK, capture, "w")
        first, last = capture.timeline.extent
        begin, end = closer.selection.window
        assert end - begin == pytest.approx((last - first) / 2, abs=2)
        assert RUN.press_key(RUN.press_key(closer, capture, "s"), capture, "s") == BLANK

    def test_a_and_d_move_and_stop_at_the_ends(self, capture):
        first, last = capture.timeline.extent
        state = RUN.press_key(BLANK, capture, "w")
        for _ in range(9):
            state = RUN.press_key(state, capture, "d")
        assert state.selection.window[1] == last
        for _ in range(20):
            state = RUN.press_key(state, capture, "a")
        assert state.selection.window[0] == first

    def test_arrows_move_as_a_and_d_do(self, capture):
        state = RUN.press_key(BLANK, capture, "w")
        for arrow, letter in (("ArrowLeft", "a"), ("ArrowRight", "d")):
            moved = RUN.press_key(state, capture, arrow)
            assert moved == RUN.press_key(state, capture, letter) != state

    def test_f_fits_what_is_selected(self, capture):
        iterations = capture.iterations.dropna(subset="first_start")
        own = iterations[iterations["iteration"] == 1]
        state = RUN.press_key(BLANK.selecting(iteration=1), capture, "f")
        begin, end = state.selection.window
        assert begin <= own["first_start"].min() < own["last_end"].max() <= end
        assert end - begin <= 1.25 * (own["last_end"].max() - own["first_start"].min())
        assert state.selection.iteration == 1

    def test_f_fits_the_events_of_a_tile(self, capture):
        lanes = capture.timeline.events.lanes
        track = lanes.sort_values("last")["track"].iloc[0]
        own = lanes[lanes["track"] == track]
        window = RUN.press_key(BLANK.selecting(track=track), capture, "f").selection.window
        begin, end = window or capture.timeline.extent
        assert begin <= own["first"].min()
        assert end >= own["last"].max()

    def test_f_shows_the_run_if_nothing_is_selected(self, capture):
        assert RUN.press_key(RUN.press_key(BLANK, capture, "w"), capture, "f") == BLANK
