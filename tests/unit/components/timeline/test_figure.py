import numpy as np
import pandas as pd

from analysis.selection import Selection
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData, TimelineRow, default_rows, positions
from components.theme import kind_color, palette, phase_color
from components.timeline.figure import parse_click, timeline
from schema.frames import empty
from tests.support.array_frames import timeline_data
from tests.support.numbers_in_text import numbers_in
from tests.support.timeline_bars import bars_of, iterations_of, record_of

Frames = dict[str, pd.DataFrame]


def many(tracks: int, events: int) -> TimelineData:
    """Return a run of many tracks, each with `events` intervals on each of four lanes."""
    lanes = ["INSTR_VECTOR", "LOCK_STALL", "PORT_RUNNING_0", "PORT_RUNNING_1"]
    count = tracks * 4 * events
    number = np.arange(count)
    lane = pd.Categorical.from_codes(number // events % 4, lanes)
    track = pd.Categorical.from_codes(
        number // (4 * events), [f"core {2 + i % 4},{i // 4}" for i in range(tracks)]
    )
    start = 10 * (number % events)
    frame = pd.DataFrame(
        {"track": track, "lane": lane, "name": lane, "start": start, "end": start + 5}
    )
    none = {n: empty(n) for n in ("kernels", "iterations", "tracks", "run", "markers")}
    return TimelineData.of(LaneIndex.of_events(frame), none)


def test_rows_lie_by_tile_with_kernels_on_top(frames: Frames) -> None:
    rows = timeline_data(frames).rows()
    assert rows[0] == TimelineRow("core 2,1", "kernels")
    assert [row.track for row in rows] == ["core 2,1"] * 3 + ["core 3,1"] * 3
    gaps = np.diff(positions(rows))
    assert gaps[2] > gaps[0] == 1


def test_many_lanes_become_few_and_the_selected_tile_keeps_all() -> None:
    data = many(tracks=32, events=2)
    few = default_rows(data)
    assert len(few) <= 48
    assert {row.lane for row in few} == {"LOCK_STALL"}
    with_tile = default_rows(data, "core 3,0")
    assert [row.lane for row in with_tile if row.track == "core 3,0"] == data.events.lanes[
        "lane"
    ].tolist()[:4]


def test_every_event_of_a_small_run_is_a_bar_of_its_own(frames: Frames) -> None:
    data = timeline_data(frames)
    view = timeline(data, data.rows(), Selection(), "light")
    assert numbers_in(view.line) == ["36"]
    assert len(bars_of(view.figure)) == 36
    assert len(iterations_of(view.figure)) == 3
    assert view.figure.layout.xaxis.range == (0, 2990)


def test_a_large_run_stays_within_the_budget_and_says_so() -> None:
    data = many(tracks=4, events=5000)
    view = timeline(data, data.rows(), Selection(), "light", budget=500)
    bars = bars_of(view.figure)
    assert len(bars) <= 500
    assert sum(bar.count for bar in bars) == 80_000
    assert numbers_in(view.line)[:2] == [str(len(bars)), "80 000"]


def test_the_window_of_the_selection_is_what_is_drawn(frames: Frames) -> None:
    data = timeline_data(frames)
    view = timeline(data, data.rows(), Selection(window=(1000, 1100)), "light")
    assert view.figure.layout.xaxis.range == (1000, 1100)
    assert "100 in view = 100\u202fns" in view.figure.layout.xaxis.title.text


def test_what_is_not_selected_fades(frames: Frames) -> None:
    data = timeline_data(frames)
    figure = timeline(data, data.rows(), Selection(track="core 3,1"), "light").figure
    assert {(bar.track, bar.faded) for bar in bars_of(figure)} == {
        ("core 2,1", True),
        ("core 3,1", False),
    }


def test_iterations_that_are_not_selected_fade(frames: Frames) -> None:
    data = timeline_data(frames)
    chosen = iterations_of(timeline(data, data.rows(), Selection(iteration=1), "light").figure)
    assert [number for number, *_, faded in chosen if not faded] == [1]
    every = iterations_of(timeline(data, data.rows(), Selection(), "light").figure)
    assert not any(faded for *_, faded in every)


def test_left_out_kernels_say_why(frames: Frames) -> None:
    data = timeline_data(frames)
    figure = timeline(data, data.rows(), Selection(), "light").figure
    left_out = [bar for bar in bars_of(figure) if bar.role == "left out"]
    assert {bar.colour for bar in left_out} == {palette("light").trouble}
    reasons = frames["kernels"].loc[~frames["kernels"]["kept"].astype(bool), "reason"]
    assert {bar.name for bar in left_out} == set(reasons)


def test_a_click_finds_the_row_and_the_interval(frames: Frames) -> None:
    rows = timeline_data(frames).rows()
    at = float(positions(rows, 1.4)[4])
    click = {"points": [{"base": 10, "x": 310, "y": at, "curveNumber": 1}]}
    assert parse_click(click, timeline_data(frames), rows) == (rows[4], 10, 310)
    assert (
        parse_click({"points": [{"base": 10, "x": 310, "y": 0.0}]}, timeline_data(frames), rows)
        is None
    )
    assert parse_click(None, timeline_data(frames), rows) is None


def test_times_beyond_32_bits_are_exact() -> None:
    far = 2**40
    frame = pd.DataFrame(
        {"track": ["t"], "lane": ["a"], "name": ["a"], "start": [far], "end": [far + 3]}
    )
    none = {n: empty(n) for n in ("kernels", "iterations", "tracks", "run", "markers")}
    data = TimelineData.of(LaneIndex.of_events(frame), none)
    (bar,) = bars_of(timeline(data, data.rows(), Selection(), "light").figure)
    assert (bar.start, bar.end) == (far, far + 3)


def test_a_moved_figure_moves_its_bars(frames: Frames) -> None:
    data = timeline_data(frames)
    figure = timeline(data, data.rows(), Selection(window=(1000, 1100)), "light").figure
    moved = figure.move_along(-1000)
    starts = [bar.start - 1000 for bar in bars_of(figure)]
    assert [bar.start for bar in bars_of(moved)] == starts
    assert record_of(moved)["window"] == [0, 100]
    assert record_of(moved)["extent"] == [-1000, 1990]


def test_bars_beside_the_window_reach_as_far_as_it_is_wide() -> None:
    data = many(tracks=1, events=1_000)
    window = (4_000, 5_000)
    view = timeline(data, data.rows(), Selection(window=window), "light")
    inside = bars_of(view.figure)
    beside = bars_of(view.figure, beside=True)
    assert min(bar.start for bar in beside) == 3_000
    assert max(bar.end for bar in beside) == 5_995
    assert not [bar for bar in beside if bar.start < window[1] and bar.end > window[0]]
    assert numbers_in(view.line)[0] == str(len(inside))


def test_the_whole_run_has_no_bars_beside_it() -> None:
    data = many(tracks=1, events=10)
    assert bars_of(timeline(data, data.rows(), Selection(), "light").figure, beside=True) == []


def legend_of(figure: object) -> str:
    return " ".join(note["text"] for note in figure.layout.annotations)  # type: ignore[attr-defined]


def test_the_colours_of_kernels_and_phases_in_view_are_named(frames: Frames) -> None:
    data = timeline_data(frames)
    said = legend_of(timeline(data, data.rows(), Selection(), "light").figure)
    colours = [
        kind_color("main", "light"),
        kind_color("short", "light"),
        phase_color("perf", "light"),
        palette("light").trouble,
    ]
    assert all(f'color:{colour}"' in said for colour in colours)
    early = legend_of(timeline(data, data.rows(), Selection(window=(0, 150)), "light").figure)
    assert palette("light").trouble not in early
    none = many(1, 3)
    assert legend_of(timeline(none, none.rows(), Selection(), "light").figure) == ""


def test_only_a_legend_takes_space_above_the_lanes(frames: Frames) -> None:
    data = timeline_data(frames)
    with_legend = timeline(data, data.rows(), Selection(), "light").figure.layout
    none = many(1, 3)
    without = timeline(none, none.rows(), Selection(), "light").figure.layout
    assert without.margin.t < 10 < with_legend.margin.t


def test_merged_kernels_of_several_kinds_have_the_colour_of_a_kind(frames: Frames) -> None:
    data = timeline_data(frames)
    single = timeline(data, data.rows(), Selection(), "light")
    merged = timeline(data, data.rows(), Selection(), "light", budget=40)
    mixed = [bar for bar in bars_of(merged.figure) if bar.most < 100]
    assert mixed
    assert {bar.colour for bar in mixed} <= {bar.colour for bar in bars_of(single.figure)}
    assert all(f'color:{bar.colour}"' in legend_of(merged.figure) for bar in mixed)
    # The caption says what the colour of a merged bar means, if there are such bars.
    assert "colour" in merged.line
    assert "colour" not in single.line


def test_merged_bars_have_the_number_of_their_events_and_the_time_they_are_busy() -> None:
    data = many(tracks=1, events=2_000)
    view = timeline(data, data.rows(), Selection(window=(0, 100_000_000)), "light", budget=8)
    assert {(bar.count, bar.busy, bar.end) for bar in bars_of(view.figure)} == {
        (2_000, 10_000, 19_995)
    }


def test_bars_take_few_bytes() -> None:
    data = many(tracks=8, events=5_000)
    figure = timeline(data, data.rows(), Selection(), "light").figure
    assert len(figure.to_json()) < 20 * len(bars_of(figure))
