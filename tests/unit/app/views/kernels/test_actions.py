import numpy as np
import pytest

from app.config.settings import Settings
from app.views.actions import clear_part
from app.views.executions import (
    blocks_of_kernel,
    chosen_kernel,
    kernel_picked,
    kernel_shown,
    lit_kernels,
)
from app.views.kernels import actions as events
from app.views.kernels.content_views import kernel_part
from app.views.kernels.rows import chosen_program, kernel_rows
from app.views.registry import RUN, parse
from app.views.state import RunState
from app.views.timeline import actions as timeline
from components.numbers import integer
from tests.support.components import THIN, every, facts
from tests.support.profile_data import profile_data

BLANK = RunState()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    return profile_data(Settings(data=folder / "data"), folder)


def row_of(data, name, run=1):
    kernels = data.profile.kernels
    return int(((kernels["name"] == name) & (kernels["run"] == run)).to_numpy().nonzero()[0][0])


class TestKernels:
    def test_a_row_of_the_table_selects_its_kernel_and_program_and_again_clears_them(self, data):
        row = kernel_rows(data, BLANK)["name"].tolist().index("r_8_8")
        state = events.kernel_listed(BLANK, data, row)
        assert chosen_program(state) == ("r_8_8", 0)
        assert events.kernel_listed(state, data, row) == BLANK

    def test_a_row_of_the_table_shows_the_median_execution_with_a_link_to_the_longest(self, data):
        row = kernel_rows(data, BLANK)["name"].tolist().index("r_8_8")
        state = events.kernel_listed(BLANK, data, row)
        body = kernel_part(data, state).body
        kernels = data.profile.kernels
        own = kernels[kernels["name"] == "r_8_8"]
        (card,) = [
            part for part in every(body, "Div") if getattr(part, "className", "") == "ts-block-card"
        ]
        median = np.sort(own["duration"].to_numpy(np.int64))[(len(own) - 1) // 2]
        assert integer(int(median)) in facts(card)["duration"].replace(" ", THIN)
        (link,) = [b for b in every(body, "Button") if b.id["type"] == "kernel-link"]
        assert kernels["duration"].iloc[link.id["row"]] == own["duration"].max()
        assert chosen_kernel(data, kernel_shown(state, data, link.id["row"])) is not None
        assert every(kernel_part(data, BLANK).body, "Dl") == []

    def test_a_row_that_is_not_there_changes_nothing(self, data):
        assert events.kernel_listed(BLANK, data, 10**6) == BLANK
        assert kernel_picked(BLANK, data, 10**6) == BLANK

    def test_one_execution_brings_its_kernel_along(self, data):
        row = row_of(data, "r_8_8", run=2)
        state = kernel_picked(BLANK, data, row)
        assert (state.selection.kernel, state.selection.kind) == (row, "r_8_8")
        assert chosen_kernel(data, state)["run"] == 2
        assert kernel_picked(state, data, row) == BLANK

    def test_clearing_the_kernel_clears_its_program_and_run(self, data):
        state = kernel_picked(BLANK, data, row_of(data, "r_8_8"))
        assert clear_part(state, "kind") == BLANK

    def test_a_point_of_the_roofline_is_a_row_of_the_table(self, data):
        click = {"points": [{"customdata": [0]}]}
        assert events.point_clicked(BLANK, data, click) == events.kernel_listed(BLANK, data, 0)
        assert events.point_clicked(BLANK, data, {}) == BLANK

    def test_a_link_shows_a_kernel_wherever_it_is(self, data):
        row = row_of(data, "E_8", run=3)
        state = kernel_shown(parse("window=0-1000&track=USER"), data, row)
        kernel = data.profile.kernels.iloc[row]
        begin, end = state.selection.window
        assert begin <= kernel["start"] <= kernel["end"] <= end
        assert state.selection.track is None
        assert kernel_shown(state, data, row) == state

    def test_a_program_without_times_is_selected_by_itself(self):
        state = events.program_listed(BLANK, 1)
        assert state.selection.program == 1
        assert events.program_listed(state, 1) == BLANK


class TestLinks:
    def test_a_kernel_knows_its_buffers(self, data):
        state = kernel_picked(BLANK, data, row_of(data, "r_8_8"))
        blocks = blocks_of_kernel(data, state)
        assert blocks["name"].tolist() == ["buffer 0", "buffer 2"]
        assert set(blocks["access"]) == {"r", "w"}

    def test_a_buffer_lights_up_the_kernels_that_use_it(self, data):
        state = kernel_picked(BLANK, data, row_of(data, "r_8_8"))
        written = blocks_of_kernel(data, state).query("access == 'w'").iloc[0]
        lit = lit_kernels(
            data, BLANK.remembering(attempt=int(written["attempt"]), block=int(written["block"]))
        )
        assert state.selection.kernel in lit["row"].tolist()
        assert lit["start"].is_monotonic_increasing

    def test_a_link_to_a_kernel_that_is_not_there_shows_none(self, data):
        state = parse("kernel=99999")
        assert chosen_kernel(data, state) is None
        assert blocks_of_kernel(data, state) is None


class TestSearch:
    def test_matches_are_gone_through_in_order_and_around(self, data):
        state = parse("search=r_8")
        count = data.profile.found("r_8").count
        starts = []
        for _ in range(count):
            starts.append(data.profile.found("r_8").at(state.hit).start)
            state = timeline.match_stepped(state, data, 1)
        assert starts == sorted(starts)
        assert state.hit == 0
        assert timeline.match_stepped(state, data, -1).hit == count - 1

    def test_a_match_out_of_view_is_brought_into_it(self, data):
        state = timeline.match_stepped(parse("search=E_8&window=0-1000"), data, 1)
        hit = data.profile.found("E_8").at(state.hit)
        begin, end = state.selection.window
        assert begin <= hit.start
        assert hit.end <= end

    def test_a_search_that_finds_nothing_stays_where_it_is(self, data):
        state = parse("search=nothing+like+it")
        assert timeline.match_stepped(state, data, 1) == state
        assert timeline.match_stepped(BLANK, data, 1) == BLANK

    def test_a_search_begins_where_the_view_does(self, data):
        state = timeline.match_sought(parse("search=r_8&window=200000-300000"), data)
        assert data.profile.found("r_8").at(state.hit).start >= 200_000
        assert timeline.match_sought(BLANK, data) == BLANK

    def test_a_click_on_an_event_that_is_no_kernel_finds_it(self, data):
        state = timeline.event_sought(BLANK, data, "TINY", 103_000)
        hit = data.profile.found(state.search).at(state.hit)
        assert (state.search, hit.track, hit.start) == ("linearize", "TINY", 103_000)


class TestMarkers:
    def test_the_windows_between_markers_are_gone_through(self, data):
        names = data.profile.frame("markers")["start"].tolist()
        first = timeline.marker_stepped(BLANK, data, 1)
        second = timeline.marker_stepped(first, data, 1)
        assert second.selection.window == (names[0], names[1])
        assert timeline.marker_stepped(second, data, -1) == first

    def test_they_end_where_the_capture_does(self, data):
        last = timeline.marker_stepped(BLANK, data, -1)
        assert timeline.marker_stepped(last, data, 1) == last
        assert last.selection.window[1] == data.profile.extent[1]

    def test_keys_step_through_markers_and_matches(self, data):
        assert RUN.press_key(BLANK, data, "j") == timeline.marker_stepped(BLANK, data, 1)
        state = parse("search=r_8")
        assert RUN.press_key(state, data, "N") == timeline.match_stepped(state, data, -1)
        assert clear_part(state, "all") == BLANK
