import numpy as np
import pytest

from app.config.settings import Settings
from app.views.memory.comparison import COMPARE
from app.views.memory.shown import drawn_maps
from app.views.registry import RUN, parse
from app.views.state import RunState
from app.views.tables import table_frame
from samples.tinygrad_capture import START
from samples.tinygrad_writer import Maker
from tests.support.numbers_in_text import numbers_in
from tests.support.profile_data import profile_data

BLANK = RunState()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    return profile_data(Settings(data=folder / "data"), folder)


def row_of(data, name):
    return int((data.profile.kernels["name"] == name).to_numpy().nonzero()[0][0])


def panel(data, name, query=""):
    return RUN.find_plot(data, name).draw(data, parse(query), "light")


def part(data, name, query=""):
    return RUN.find_content_view(data, name).make(data, parse(query))


def hovers(figure):
    return [
        text for trace in figure.data if trace.hovertext is not None for text in trace.hovertext
    ]


class TestMap:
    def test_the_buffers_of_the_shown_device_are_placed_by_first_fit(self, data):
        made = panel(data, "map", "attempt=0")
        assert "first fit by start" in made.caption
        assert numbers_in(made.line) == ["4"]
        assert not any("0x" in text or "step" in text for text in hovers(made.figure))
        assert not any("0x" in text for text in made.figure.layout.yaxis.ticktext)

    def test_another_layout_may_be_chosen(self, data):
        assert "best fit by size" in panel(data, "map", "attempt=0&layout=best_fit").caption

    def test_the_window_is_that_of_the_timeline(self, data):
        made = panel(data, "map", "attempt=0&window=100000-150000&span=3-4")
        assert list(made.figure.layout.xaxis.range) == [100_000, 150_000]
        assert numbers_in(made.line) == ["2"]
        made = panel(data, "map", "attempt=0&window=99999999999-999999999999")
        assert numbers_in(made.line) == ["4"]

    def test_the_buffers_of_the_selected_kernel_stand_out(self, data):
        made = panel(data, "map", f"attempt=0&kernel={row_of(data, 'r_8_8')}")
        assert numbers_in(made.line) == ["4", "2"]
        shades = [
            np.ravel(trace.marker.opacity)
            for trace in made.figure.data
            if trace.hovertext is not None
        ]
        assert sorted(np.concatenate(shades).round(2).tolist())[-2:] == [1.0, 1.0]
        assert min(np.concatenate(shades)) < 0.5

    def test_a_kernel_whose_buffers_lie_elsewhere_is_said(self, data):
        made = panel(data, "map", f"attempt=1&kernel={row_of(data, 'r_8_8')}")
        elsewhere = made.line.split(". ")[-1]
        assert numbers_in(elsewhere) == ["2"]
        own = panel(data, "map", f"attempt=0&kernel={row_of(data, 'r_8_8')}")
        assert elsewhere != own.line.split(". ")[-1]

    def test_what_is_searched_for_is_counted_among_all(self, data):
        line = panel(data, "map", "attempt=0&find=BUFFER+2").line
        assert numbers_in(line)[:2] == ["1", "4"]
        assert "“BUFFER 2”" in line


class TestLive:
    def test_devices_and_their_sum_are_drawn(self, data):
        made = panel(data, "live")
        assert len(made.figure.layout.annotations) == 1 + len(data.memory.attempts)
        assert "both devices together" in made.caption

    def test_it_shows_the_window_of_the_timeline(self, data):
        assert list(panel(data, "live", "window=100-200").figure.layout.xaxis.range) == [100, 200]


class TestParts:
    def test_devices_replace_attempts_and_nothing_fails(self, data):
        made = part(data, "attempts")
        assert "2 devices" in made.caption
        assert "unsolved" not in str(made.body)
        assert "9" in numbers_in(part(data, "attempts", "attempt=9").caption)

    @pytest.mark.parametrize("name", ["packing", "conflicts", "compare"])
    def test_what_makes_no_sense_is_absent(self, data, name):
        assert RUN.find_content_view(data, name) is None
        assert COMPARE.tables(data, parse("attempt=0&against=1")) == []

    def test_the_buffer_has_a_card_with_its_kernels(self, data):
        made = part(data, "block", "attempt=0&block=1")
        assert "kernel-link" in str(made.body)

    def test_a_stale_link_says_so(self, data):
        body = str(part(data, "block", "attempt=0&block=77").body)
        assert "77" in numbers_in(body)
        assert "CPU" in body

    def test_what_is_alive_is_told_at_the_cursor_else_at_the_peak(self, data):
        assert "the peak" in part(data, "alive", "attempt=0").caption
        assert part(data, "alive", "attempt=0&step=500").caption.startswith(
            "At 500\u202fns: 1 buffer"
        )
        assert "the peak" in part(data, "alive", "attempt=0&step=99999999999").caption

    def test_the_peak_is_that_of_the_window(self, data):
        curve = data.memory.curves.devices[0]
        lower = int(curve.at[curve.bytes < curve.peak][-1])
        said = part(data, "alive", f"attempt=0&window={lower}-{lower + 1}").caption
        assert "in view" in said
        assert "in view" not in part(data, "alive", "attempt=0").caption

    def test_nothing_is_laid_out_for_a_buffer_before_one_is_selected(self, data):
        assert part(data, "block", "attempt=0").body is None


class TestEvents:
    def test_a_zoom_sets_the_window_of_every_view(self, data):
        assert RUN.find_plot(data, "map").zooms == ("window", "addresses")
        assert RUN.find_plot(data, "live").zooms == ("window",)

    def test_keys_that_move_the_timeline_leave_the_cursor_alone(self, data):
        assert RUN.press_key(BLANK, data, "d").memory == BLANK.memory

    def test_a_device_that_is_clicked_is_shown(self, data):
        state = RUN.find_content_view(data, "attempts").grid.on_cell(
            parse("attempt=0"), data, 1, "device"
        )
        assert data.memory.number(state.memory) == 1

    def test_devices_are_shown_one_by_one(self, data):
        assert len(drawn_maps(data, BLANK)) == 1


class TestTables:
    def test_devices_have_the_columns_that_say_something(self, data):
        rows = table_frame(data, BLANK, "attempts")
        assert "outcome" not in rows
        assert rows["live_peak"].tolist() == data.memory.attempts["live_peak"].tolist()

    def test_buffers_and_uses_are_those_of_the_window_or_the_selected_one(self, data):
        state = parse("attempt=0&window=100000-150000")
        assert len(table_frame(data, state, "allocations")) == 2
        assert table_frame(data, state, "buffer_uses")["start"].between(100_000, 149_999).all()
        assert table_frame(data, state, "occupancy")["step"].between(100_000, 149_999).all()
        chosen = parse("attempt=0&window=100000-150000&block=0")
        assert table_frame(data, chosen, "allocations")["block"].tolist() == [0]

    def test_a_snapshot_has_times_in_words(self, data):
        state = parse("attempt=0&step=150000&block=0")
        found = [
            table
            for view in RUN.available_views(data)
            if view.group == "memory"
            for table in view.tables(data, state)
        ]
        tables = {table.name: table for table in found}
        assert [*tables] == [
            "devices",
            "alive on CPU at 150\u202fµs",
            "parts of the peak of CPU",
            "the selected buffer",
            "used by",
        ]
        alive = tables["alive on CPU at 150\u202fµs"]
        assert [label for label, _ in alive.labels] == [
            *("name", "size", "of alive", "allocated in", "dtype", "lifetime", "since", "until")
        ]
        assert len(alive.rows) == 2


@pytest.mark.slow
def test_a_buffer_that_is_freed_in_the_moment_of_its_last_use_is_no_finding(settings, tmp_path):
    maker = (
        Maker()
        .alloc("CPU", 0, 8, START)
        .launch("CPU", 1, "E", START + 5, buffers=(0,))
        .free("CPU", 0, START + 5)
    )
    found = profile_data(
        settings, tmp_path, maker.range("CPU", "E", START + 6, START + 7)
    ).diagnostics
    assert "dead_at_use" not in set(found["code"])


def test_hostile_devices_and_kernels_stay_text(settings, tmp_path):
    name = "<img src=x onerror=alert(1)>%{x}"
    maker = Maker().alloc(name, 0, 8, START).launch(name, 1, name, START + 5, buffers=(0,))
    data = profile_data(settings, tmp_path, maker.range(name, name, START + 6, START + 7))
    for view in ("map", "live"):
        text = panel(data, view, "block=0").figure.to_json().replace("\\u003c", "<")
        assert "<img" not in text
        assert "%{x}" not in text


@pytest.mark.slow
def test_a_profile_without_buffers_has_no_memory_views(settings, tmp_path):
    data = profile_data(settings, tmp_path, Maker().range("CPU", "E", START, START + 7))
    assert not [view.id for view in RUN.available_views(data) if view.group == "memory"]
