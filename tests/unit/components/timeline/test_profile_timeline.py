"""The timeline of profiles: levels, marks, and what stands out."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.selection import Selection
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.levels import stack_events
from analysis.timeline.rows import TimelineData, TimelineRow, default_rows, positions
from components.figure import Figure
from components.theme import name_color
from components.timeline.figure import left_margin, parse_click, timeline
from components.timeline.overview import overview
from schema.frames import empty
from tests.support.numbers_in_text import numbers_in
from tests.support.timeline_bars import bars_of

Event = tuple[str, str, int, int]
KINDS = {
    "USER": "user",
    "TINY": "compiler",
    "CPU": "device",
    "CPU Graph": "graph",
    "CPU:COPY": "copy",
}
EVENTS: list[Event] = [
    ("USER", "train", 0, 1000),
    ("USER", "matmul", 100, 400),
    ("USER", "sum", 500, 600),
    ("TINY", "linearize", 50, 90),
    ("CPU", "r_8_8", 200, 300),
    ("CPU", "E_8", 300, 310),
    ("CPU", "r_8_8", 700, 800),
    ("CPU", "TINY -> CPU", 810, 820),
    ("CPU Graph", "batched 2", 690, 830),
    ("CPU:COPY", "out", 900, 950),
]


def profile(
    events: list[Event] = EVENTS,
    markers: list[tuple[str, int, str]] | None = None,
    unfinished: tuple[int, ...] = (),
    copies: tuple[str, ...] = (),
) -> TimelineData:
    tracks = list(dict.fromkeys(track for track, *_ in events))
    frame = pd.DataFrame(events, columns=["track", "name", "start", "end"])
    frame["track"] = pd.Categorical(frame["track"], categories=tracks)
    frame = frame.assign(
        lane=frame["track"], closed=[place not in unfinished for place in range(len(frame))]
    )
    index = LaneIndex.of_events(stack_events(frame.astype({"start": "int64", "end": "int64"})))
    made = pd.DataFrame(markers or [], columns=["name", "start", "colour"]).astype(
        {"start": "int64"}
    )
    kinds = pd.DataFrame(
        {
            "track": tracks,
            "kind": [KINDS.get(t, "device") for t in tracks],
            "row": None,
            "col": None,
        }
    )
    run = pd.DataFrame({"clock_hz": [np.nan], "time_unit": ["ns"]})
    rest = {"kernels": empty("kernels"), "iterations": empty("iterations")}
    return TimelineData.of(
        index, rest | {"tracks": kinds, "run": run, "markers": made}, copies, named=True
    )


def draw(data: TimelineData, selection: Selection | None = None, **options: Any) -> Figure:
    return timeline(data, data.rows(), selection or Selection(), "light", **options).figure


def standing_out(figure: Figure) -> set[int]:
    return {bar.start for bar in bars_of(figure) if not bar.faded}


def markers_of(figure: Figure) -> list[Any]:
    return [
        trace for trace in figure.data if trace.type == "scatter" and trace.hovertext is not None
    ]


def test_levels_lie_beneath_each_other_and_a_track_is_named_once() -> None:
    data = profile()
    rows = data.rows()
    # devices are above hosts
    assert [row.track for row in rows[:5]] == ["CPU", "CPU Graph", "CPU:COPY", "USER", "USER"]
    assert rows[3:5] == [TimelineRow("USER", "USER"), TimelineRow("USER", "level 2")]
    assert positions(rows)[4] - positions(rows)[3] == 1
    labels = draw(data).layout.yaxis.ticktext
    assert [label.strip() for label in labels] == [
        *("<b>CPU</b>", "<b>CPU Graph</b>", "<b>CPU:COPY</b>", "<b>USER</b>", "", "<b>TINY</b>"),
    ]
    assert left_margin(rows) == left_margin([TimelineRow("USER", "USER")])


def test_first_levels_come_first_where_there_are_too_many() -> None:
    nests = [
        (f"NULL:{n}", f"k{depth}", depth, 100 - depth) for n in range(30) for depth in range(4)
    ]
    data = profile(nests)
    few = default_rows(data)
    assert len(few) == 32
    assert [row.lane for row in few].count("level 2") == 2
    assert sum(row.lane == row.track for row in few) == 30
    with_track = default_rows(data, "NULL:29")
    assert [row.lane for row in with_track if row.track == "NULL:29"] == [
        "NULL:29",
        "level 2",
        "level 3",
        "level 4",
    ]
    assert len(data.rows()) == 120


def test_a_name_has_one_colour_on_every_row() -> None:
    data = profile([("USER", "LOCK_STALL", 0, 10), ("CPU", "LOCK_STALL", 0, 10)])
    assert {bar.colour for bar in bars_of(draw(data))} == {name_color("LOCK_STALL")}


def test_graphs_and_copies_are_hatched() -> None:
    looks = {(bar.name, bar.track): bar.hatch for bar in bars_of(draw(profile()))}
    assert looks["batched 2", "CPU Graph"] == "graph"
    assert looks["out", "CPU:COPY"] == "copy"
    assert looks["TINY -> CPU", "CPU"] == ""
    figure = draw(profile(copies=("TINY -> CPU",)))
    copies = {(bar.name, bar.track): bar.hatch for bar in bars_of(figure)}
    assert copies["TINY -> CPU", "CPU"] == "copy"
    assert copies["r_8_8", "CPU"] == ""


def test_what_had_not_ended_is_drawn_open_and_said() -> None:
    data = profile(unfinished=(0, 6))
    view = timeline(data, data.rows(), Selection(), "light")
    opened = {bar.start for bar in bars_of(view.figure) if bar.role == "unfinished"}
    assert opened == {0, 700}
    assert numbers_in(view.line) == ["10", "2"]


def test_the_selected_kernel_stands_out() -> None:
    assert standing_out(draw(profile(), Selection(kind="r_8_8"))) == {200, 700}
    assert standing_out(draw(profile())) == {start for _, _, start, _ in EVENTS}


def test_names_with_all_words_stand_out() -> None:
    data = profile()
    assert standing_out(draw(data, words="CPU tiny")) == {810}
    assert standing_out(draw(data, Selection(kind="E_8"), words="8")) == {200, 300, 700}
    assert standing_out(draw(data, words="nothing like it")) == set()
    line = timeline(data, data.rows(), Selection(), "light", words="r_8").line
    assert numbers_in(line) == ["10", "2"]


def test_executions_that_use_the_block_are_outlined() -> None:
    lit = pd.DataFrame(
        {"track": ["CPU", "CPU"], "start": [200, 1], "end": [300, 2], "access": ["r", "w"]}
    )
    data = profile()
    figure = draw(data, lit=lit)
    assert standing_out(figure) == {200}
    assert [bar.start for bar in bars_of(figure) if bar.role == "lit"] == [200]
    assert (
        "Using the selected block: 1."
        in timeline(data, data.rows(), Selection(), "light", lit=lit).line
    )


def test_merged_bars_show_their_matches_within_the_budget() -> None:
    many = [
        ("CPU", "rare" if n % 1000 == 7 else f"k{n % 3}", 10 * n, 10 * n + 9) for n in range(30_000)
    ]
    data = profile(many)
    view = timeline(data, data.rows(), Selection(), "light", words="rare", budget=300)
    assert len(bars_of(view.figure)) <= 300
    assert standing_out(view.figure) == {10 * n for n in range(7, 30_000, 1000)}
    assert "With that name: 30." in view.line


def test_the_match_that_a_search_stands_on_is_marked_however_narrow() -> None:
    data = profile()
    figure = draw(data, hit=("USER", "level 2", 500, 600), window=(0, 10**9))
    outline, head = figure.data[-2:]
    assert (outline.base[0], outline.x[0], outline.hoverinfo) == (500, 100, "skip")
    assert (head.marker.symbol, list(head.x)) == ("triangle-down", [550.0])
    assert head.y[0] < outline.y[0]
    assert len(draw(data, hit=("USER", "level 7", 500, 600)).data) == len(draw(data).data)
    assert len(draw(data, hit=("USER", "level 2", 500, 600), window=(700, 800)).data) == len(
        draw(data, window=(700, 800)).data
    )


def test_the_cursor_is_a_dashed_line_in_view() -> None:
    (line,) = draw(profile(), cursor=250).layout.shapes
    assert (line.x0, line.x1, line.line.dash) == (250, 250, "dash")
    assert draw(profile(), cursor=5000).layout.shapes == ()


def test_a_click_on_a_level_gives_its_row_and_times() -> None:
    data = profile()
    rows = data.rows()
    point = {"base": 500, "x": 600, "y": float(positions(rows, 1.4)[4])}
    assert parse_click({"points": [point]}, data, rows) == (
        TimelineRow("USER", "level 2"),
        500,
        600,
    )


class TestMarkers:
    def test_lie_where_they_were_in_their_colours_with_their_names(self) -> None:
        data = profile(
            markers=[("start", 0, "red"), ("train @ 2", 500, "#00ff00"), ("odd", 800, "url(#x)")]
        )
        (heads,) = markers_of(draw(data))
        assert list(heads.x) == [0, 500, 800]
        assert list(heads.marker.color) == ["red", "#00ff00", "gray"]
        assert list(heads.text) == ["start", "train @ 2", "odd"]
        assert parse_click({"points": [{"x": 0, "y": 0.5}]}, data, data.rows()) is None

    def test_are_part_of_what_there_is_to_see(self) -> None:
        assert profile(markers=[("late", 5000, "red")]).extent == (0, 5001)

    def test_thin_out_when_they_are_many_and_that_is_said(self) -> None:
        data = profile(markers=[(f"step @ {n}", n, "gray") for n in range(1000)])
        view = timeline(data, data.rows(), Selection(), "light")
        (heads,) = markers_of(view.figure)
        assert len(heads.x) == 300
        assert 5 < sum(text != "" for text in heads.text) <= 30
        assert view.line.endswith("300 of 1\u202f000 markers drawn.")
        near = timeline(data, data.rows(), Selection(window=(10, 20)), "light")
        assert len(markers_of(near.figure)[0].x) == 11
        assert "markers" not in near.line

    def test_names_do_not_run_into_each_other_or_over_the_edge(self) -> None:
        data = profile(
            markers=[
                ("a name that is long", 500, "gray"),
                ("next to it", 505, "gray"),
                ("end", 1000, "gray"),
            ]
        )
        (heads,) = markers_of(draw(data))
        assert list(heads.text) == ["a name that is long", "", "end"]
        assert list(heads.textposition)[::2] == ["top right", "top left"]

    def test_hostile_names_stay_text(self) -> None:
        data = profile(markers=[("<img src=x onerror=alert(1)> %{x}", 5, "red;}</style>")])
        text = json.dumps(draw(data).to_plotly_json(), default=list)
        assert "<img" not in text
        assert "%{x}" not in text
        assert "</style" not in text


class TestOverview:
    def test_shows_how_busy_the_devices_were(self) -> None:
        (strip,) = overview(profile(), Selection(), "light").data
        assert strip.name == "devices"
        assert strip.customdata[:, 1].mean() == pytest.approx(220 / 1000)

    def test_overlapping_kernels_count_once(self) -> None:
        data = profile([("CPU", "a", 0, 100), ("CPU", "b", 50, 150), ("CPU", "c", 190, 200)])
        (strip,) = overview(data, Selection(), "light").data
        assert strip.customdata[:, 1].mean() == pytest.approx(160 / 200)

    def test_a_short_kernel_is_seen_and_said_exactly(self) -> None:
        (strip,) = overview(
            profile([("CPU", "a", 0, 1), ("CPU", "b", 10**12, 10**12 + 1)]), Selection(), "light"
        ).data
        assert strip.y[0] == pytest.approx(0.03)
        assert strip.customdata[0, 1] < 1e-8
        assert strip.y[1] == 0

    def test_streams_of_a_device_are_united_and_copies_stacked(self) -> None:
        data = profile(
            [
                ("cuda 0 stream 7", "a", 0, 600),
                ("cuda 0 stream 20", "b", 400, 800),
                ("cuda 0 stream 7", "Memcpy HtoD", 700, 900),
                ("cuda 1 stream 7", "a", 0, 1000),
            ],
            copies=("Memcpy HtoD",),
        )
        tracks = data.tracks.assign(pid=["0", "0", "1"], tid=["7", "20", "7"])
        kernels, copies = overview(replace(data, tracks=tracks), Selection(), "light").data
        assert (kernels.name, copies.name) == ("devices", "copies")
        assert kernels.customdata[:, 1].mean() == pytest.approx((800 + 1000) / 2 / 1000)
        assert copies.customdata[:, 1].mean() == pytest.approx(100 / 2 / 1000)

    def test_without_devices_it_shows_the_compiler(self) -> None:
        (strip,) = overview(profile(EVENTS[:4]), Selection(), "light").data
        assert strip.name == "compiler"


def test_more_lanes_than_the_budget_are_drawn() -> None:
    data = profile([(f"NULL:{n}", "k", n, n + 5) for n in range(40)])
    assert len(bars_of(draw(data, budget=10))) == 40
