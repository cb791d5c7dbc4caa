from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.selection import Selection
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData, TimelineRow, default_rows, positions
from components.theme import kind_color, palette, phase_color
from components.timeline.figure import parse_click, timeline
from components.timeline.hover import MAX_POINTS
from schema.frames import empty
from tests.support.numbers_in_text import has_numbers, numbers_in

Frames = dict[str, pd.DataFrame]


def data_of(frames: Frames) -> TimelineData:
    index = LaneIndex.of_events(frames["events"])
    return TimelineData.of(index, {"markers": empty("markers"), **frames})


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


def bars(figure: object) -> list[dict[str, object]]:
    return [trace for trace in figure.to_dict()["data"] if trace["type"] == "bar"]  # type: ignore[attr-defined]


def test_rows_lie_by_tile_with_kernels_on_top(frames: Frames) -> None:
    rows = data_of(frames).rows()
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
    data = data_of(frames)
    view = timeline(data, data.rows(), Selection(), "light")
    assert numbers_in(view.line) == ["36"]
    assert sum(len(trace.x) for trace in view.figure.data) == 36 + 3
    assert view.figure.layout.xaxis.range == (0, 2990)


def test_a_large_run_stays_within_the_budget_and_says_so() -> None:
    data = many(tracks=4, events=5000)
    view = timeline(data, data.rows(), Selection(), "light", budget=500)
    assert sum(len(trace.x) for trace in view.figure.data) <= 500
    assert "bars for 80\u2009000 events" in view.line
    assert len(view.figure.data) < 20


def test_the_window_of_the_selection_is_what_is_drawn(frames: Frames) -> None:
    data = data_of(frames)
    view = timeline(data, data.rows(), Selection(window=(1000, 1100)), "light")
    assert view.figure.layout.xaxis.range == (1000, 1100)
    assert "100 in view = 100\u2009ns" in view.figure.layout.xaxis.title.text


def test_what_is_not_selected_fades(frames: Frames) -> None:
    data = data_of(frames)
    figure = timeline(data, data.rows(), Selection(track="core 3,1"), "light").figure
    opacity = np.concatenate([np.atleast_1d(trace.marker.opacity) for trace in figure.data])
    assert set(np.round(opacity.astype(float), 2)) == {0.33, 1.0}


def test_left_out_kernels_are_hatched_and_say_why(frames: Frames) -> None:
    data = data_of(frames)
    figure = timeline(data, data.rows(), Selection(), "light").figure
    hatched = [
        trace
        for trace in figure.data
        if trace.text is not None and "left out" in str(trace.text[0])
    ]
    assert len(hatched) == 1
    assert hatched[0].marker.pattern.shape == "/"
    assert has_numbers(hatched[0].text[0], "1", "3", "3")


def test_a_click_finds_the_row_and_the_interval(frames: Frames) -> None:
    rows = data_of(frames).rows()
    at = float(positions(rows, 1.4)[4])
    click = {"points": [{"base": 10, "x": 310, "y": at, "curveNumber": 1}]}
    assert parse_click(click, rows) == (rows[4], 10, 310)
    assert parse_click({"points": [{"base": 10, "x": 310, "y": 0.0}]}, rows) is None
    assert parse_click(None, rows) is None


def test_iterations_have_their_number_where_there_is_room(frames: Frames) -> None:
    only = frames["iterations"].iloc[:1].assign(track="system")
    long, short = (
        only.assign(iteration=0, first_start=0, last_end=900),
        only.assign(first_start=901, last_end=903),
    )
    shorts = [
        short.assign(iteration=1 + i, first_start=901 + 4 * i, last_end=903 + 4 * i)
        for i in range(20)
    ]
    known = frames["iterations"].dtypes
    data = data_of(
        frames | {"iterations": pd.concat([long, *shorts], ignore_index=True).astype(known)}
    )
    view = timeline(data, data.rows(), Selection(), "light")
    (row,) = [trace for trace in view.figure.data if len(trace.x) == 21]
    assert list(row.text) == ["0"] + [""] * 20
    assert list(row.customdata) == list(range(21))


def test_times_beyond_32_bits_are_exact() -> None:
    far = 2**40
    frame = pd.DataFrame(
        {"track": ["t"], "lane": ["a"], "name": ["a"], "start": [far], "end": [far + 3]}
    )
    none = {n: empty(n) for n in ("kernels", "iterations", "tracks", "run", "markers")}
    data = TimelineData.of(LaneIndex.of_events(frame), none)
    trace = timeline(data, data.rows(), Selection(), "light").figure.data[0]
    assert (trace.base[0], trace.x[0]) == (far, 3)


def legend_of(figure: object) -> str:
    return " ".join(note["text"] for note in figure.layout.annotations)  # type: ignore[attr-defined]


def test_the_colours_of_kernels_and_phases_in_view_are_named(frames: Frames) -> None:
    data = data_of(frames)
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


def test_merged_kernels_of_several_kinds_are_named_too(frames: Frames) -> None:
    data = data_of(frames)
    assert palette("light").muted not in legend_of(
        timeline(data, data.rows(), Selection(), "light").figure
    )
    assert palette("light").muted in legend_of(
        timeline(data, data.rows(), Selection(), "light", budget=40).figure
    )


def points(figure: object) -> list[Any]:
    return [trace for trace in figure.data if trace.type == "scatter"]  # type: ignore[attr-defined]


def test_a_bar_narrower_than_a_pixel_has_a_point_that_is_hovered_and_clicked() -> None:
    data = many(tracks=1, events=1)
    rows = data.rows()
    (trace,) = points(timeline(data, rows, Selection(window=(0, 100_000)), "light").figure)
    assert trace["marker"]["opacity"] == 0
    assert len(trace["x"]) == len(rows)
    assert trace["x"][0] == 2.5
    click = {
        "points": [
            {"x": 2.5, "y": float(trace["y"][1]), "customdata": list(trace["customdata"][1])}
        ]
    }
    assert parse_click(click, rows) == (rows[1], 0, 5)
    assert points(timeline(data, rows, Selection(window=(0, 100)), "light").figure) == []


def test_a_hover_point_says_what_its_bar_stands_for() -> None:
    data = many(tracks=1, events=2_000)
    view = timeline(data, data.rows(), Selection(window=(0, 100_000_000)), "light", budget=8)
    (trace,) = points(view.figure)
    assert all(
        "2\u2009000 × " in text and "busy 10\u2009000 " in text for text in trace["hovertext"]
    )


def test_hover_points_keep_to_their_limit() -> None:
    data = many(tracks=8, events=200)
    (trace,) = points(
        timeline(data, data.rows(), Selection(window=(0, 1_000_000)), "light", budget=10_000).figure
    )
    assert len(trace["x"]) <= MAX_POINTS
    assert np.unique(trace["y"]).tolist() == pytest.approx(positions(data.rows(), 1.4).tolist())
