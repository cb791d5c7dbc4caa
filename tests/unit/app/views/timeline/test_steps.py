import pytest

from analysis.selection import Selection
from app.views.state import RunState
from app.views.timeline import steps as events
from ingest.files import ingest
from services.runs import RunDataCache
from tests.support.aie_trace import trace_text

BLANK = RunState()


@pytest.fixture
def data(settings, tmp_path):
    path = tmp_path / "npu2-gemm_64_64_64-2_row_1_col" / "traces" / "trace_mm_64_64_64.json"
    path.parent.mkdir(parents=True)
    path.write_text(trace_text())
    repository = settings.repository()
    run = ingest(repository, [path], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})


def click(*customdata):
    return {"points": [{"customdata": list(customdata)}]}


class TestClicks:
    def test_a_bar_selects_its_iteration_and_the_same_bar_clears_it(self):
        state = events.iteration_clicked(BLANK, click(2, "system"))
        assert state.selection == Selection(iteration=2)
        assert events.iteration_clicked(state, click(2, "system")) == BLANK

    def test_a_tiles_point_selects_the_tile_too(self):
        state = events.iteration_clicked(BLANK, click(2, "core 2,0"))
        assert state.selection == Selection(track="core 2,0", iteration=2)

    def test_a_cell_selects_its_tile(self):
        state = events.tile_clicked(BLANK, click("core 2,0"))
        assert state.selection.track == "core 2,0"
        assert events.tile_clicked(state, click("core 2,0")) == BLANK

    @pytest.mark.parametrize(
        ("view", "customdata", "selection"),
        [
            ("histogram", (100, 110), Selection(duration=(100, 110))),
            ("tile", ("core 2,0",), Selection(track="core 2,0")),
            ("iteration", (3,), Selection(iteration=3)),
            ("kind", ("short",), Selection(kind="short")),
            ("ecdf", (0.5,), Selection()),
        ],
    )
    def test_a_click_on_durations_selects_what_it_shows(self, view, customdata, selection):
        state = RunState(durations=view)
        assert events.duration_clicked(state, click(*customdata)).selection == selection

    @pytest.mark.parametrize("nothing", [None, {}, {"points": []}, {"points": [{}]}])
    def test_a_click_on_nothing_changes_nothing(self, nothing, data):
        assert events.iteration_clicked(BLANK, nothing) == BLANK
        assert events.tile_clicked(BLANK, nothing) == BLANK
        assert events.duration_clicked(BLANK, nothing) == BLANK
        assert events.timeline_clicked(BLANK, nothing, data) == BLANK

    def test_a_bar_of_the_timeline_selects_its_tile_then_the_kernels_duration(self, data):
        first = events.timeline_rows(data, BLANK)[0]
        point = {"points": [{"base": 1, "x": 101, "y": 1.4}]}
        state = events.timeline_clicked(BLANK, point, data)
        assert state.selection.track == first.track
        again = events.timeline_clicked(state, point, data)
        assert again.selection == Selection(track=first.track, duration=(100, 101))


class TestZoom:
    def test_a_zoom_is_taken_in_whole_ticks(self):
        assert events.zoomed(BLANK, [100.4, 900.2]).selection.window == (100, 901)

    def test_a_zoom_never_closes(self):
        begin, end = events.zoomed(BLANK, [100.4, 100.5]).selection.window
        assert end - begin >= 10

    @pytest.mark.parametrize("window", [None, [], "x", [1]])
    def test_no_window_shows_everything(self, window):
        assert events.zoomed(BLANK.selecting(window=(1, 2)), window) == BLANK


class TestKeys:
    def test_w_and_s_undo_each_other(self, data):
        closer = events.key_pressed(BLANK, "w", data)
        first, last = data.timeline.extent
        begin, end = closer.selection.window
        assert end - begin == pytest.approx((last - first) / 2, abs=2)
        assert events.key_pressed(events.key_pressed(closer, "s", data), "s", data) == BLANK

    def test_a_and_d_move_and_stop_at_the_ends(self, data):
        first, last = data.timeline.extent
        state = events.key_pressed(BLANK, "w", data)
        for _ in range(9):
            state = events.key_pressed(state, "d", data)
        assert state.selection.window[1] == last
        for _ in range(20):
            state = events.key_pressed(state, "a", data)
        assert state.selection.window[0] == first

    def test_j_and_k_step_through_the_iterations(self, data):
        state = events.key_pressed(BLANK, "j", data)
        assert state.selection.iteration == 0
        for _ in range(9):
            state = events.key_pressed(state, "j", data)
        assert state.selection.iteration == 2
        assert events.key_pressed(state, "k", data).selection.iteration == 1
        assert events.key_pressed(BLANK, "k", data).selection.iteration == 2

    def test_j_and_k_begin_in_the_window_that_is_shown(self, data):
        rows = data.iterations[data.iterations["track"] == "system"].set_index("iteration")
        begin, end = int(rows.loc[1, "first_start"]), int(rows.loc[1, "last_end"])
        shown = BLANK.selecting(window=(begin, end))
        assert events.key_pressed(shown, "j", data) == shown.selecting(iteration=1)
        assert events.key_pressed(shown, "k", data) == shown.selecting(iteration=1)
        pause = BLANK.selecting(window=(int(rows.loc[0, "last_end"]) + 1, begin))
        assert events.key_pressed(pause, "j", data).selection.iteration == 1
        assert events.key_pressed(pause, "k", data).selection.iteration == 0

    def test_j_moves_the_window_along(self, data):
        rows = data.iterations[data.iterations["track"] == "system"].set_index("iteration")
        begin, end = int(rows.loc[0, "first_start"]), int(rows.loc[0, "last_end"])
        state = events.key_pressed(BLANK.selecting(iteration=0, window=(begin, end)), "j", data)
        assert state.selection.iteration == 1
        left, right = state.selection.window
        assert right - left == end - begin
        assert left < rows.loc[1, "last_end"]
        assert right > rows.loc[1, "first_start"]
        for _ in range(5):
            state = events.key_pressed(state, "j", data)
        assert state.selection.iteration == 2
        assert state.selection.window[1] <= data.timeline.extent[1]

    def test_an_iteration_out_of_view_is_not_where_j_goes_on(self, data):
        rows = data.iterations[data.iterations["track"] == "system"].set_index("iteration")
        window = int(rows.loc[2, "first_start"]), int(rows.loc[2, "last_end"])
        state = BLANK.selecting(iteration=0, window=window)
        assert events.key_pressed(state, "j", data).selection.iteration == 2

    def test_escape_clears_the_selection_and_nothing_else(self, data):
        state = RunState(method="reference").selecting(track="core 2,0", window=(1, 9))
        assert events.key_pressed(state, "Escape", data) == RunState(method="reference")


def test_a_chip_clears_its_part():
    state = BLANK.selecting(track="core 2,0", iteration=1)
    assert events.cleared(state, "track").selection == Selection(iteration=1)
    assert events.cleared(state, "all") == BLANK


def test_a_setting_is_taken_trimmed_or_not_at_all():
    assert events.setting_changed(BLANK, "clock_hz", " 1.8GHz ").overrides == {"clock_hz": "1.8GHz"}
    assert events.setting_changed(BLANK, "clock_hz", "slow") == BLANK
    assert events.setting_changed(BLANK, "clock_hz", None) == BLANK
