"""Lanes of counters: their places, labels with units, and the values that browsers get."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.selection import Selection
from analysis.timeline.counters import BYTES, CALLS, RATE, CounterTrack
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData
from components.numbers import rate_text
from components.timeline.counter_lanes import (
    FIGURE_COLUMNS,
    TILE_COLUMNS,
    are_exact,
    counter_values,
    counters_note,
    value_text,
)
from components.timeline.figure import parse_click, timeline
from components.timeline.places import LANE
from components.timeline.tiles import MAX_TILE_BYTES, TilePlace, tile_text
from schema.frames import complete, empty
from tests.support.timeline_bars import numbers
from tests.unit.components.timeline.test_tiles import data_of

NUMBER = np.arange(5_000)


def track(name="GPU 0 allocated", unit=BYTES, count=5_000, owner="GPU 0"):
    number = NUMBER[:count]
    return CounterTrack(owner, name, unit, 5 * number + 7, ((number * 37) % 101).astype(float))


def with_counters(*tracks):
    return replace(data_of(1_000), find_counters=lambda: tracks)


def drawn(data):
    return timeline(data, data.rows(), Selection(), "light")


def layout_of(data):
    return drawn(data).figure.to_plotly_json()["layout"]


def lanes_of(data):
    return layout_of(data)["meta"]["bars"]["counters"]


@pytest.mark.slow
def test_lanes_have_labels_of_two_lines_and_room_below_the_rows():
    data = with_counters(track(), track("waiting", CALLS, owner="stream 7"), track("x", RATE))
    axis = layout_of(data)["yaxis"]
    rows = layout_of(data_of(1_000))["yaxis"]
    assert axis["tickvals"][: len(rows["tickvals"])] == rows["tickvals"]
    middles = axis["tickvals"][-3:]
    assert middles == [lane["y"] for lane in lanes_of(data)]
    assert np.diff(middles) == pytest.approx([LANE, LANE])
    assert middles[0] - LANE / 2 > rows["tickvals"][-1] + 0.5
    assert axis["range"][0] > middles[-1] + LANE / 2
    labels = [label.split("<br>") for label in axis["ticktext"][-3:]]
    assert [first for first, _ in labels] == ["GPU 0 allocated", "stream 7", "GPU 0"]
    assert [second.split()[-1] for _, second in labels] == ["B", "100", "B/s"]
    assert drawn(data).height > drawn(data_of(1_000)).height
    for word in ("allocated (bytes)", "waiting (executions)", "(bytes/s)"):
        assert word in drawn(data).line


def profile_with(*tracks):
    """Return two streams of a device, one of another, and a thread, with these counters."""
    names = ["cuda 0 stream 7", "cuda 0 stream 20", "cuda 1 stream 7", "thread 4 (python)"]
    number = np.arange(len(names))
    events = pd.DataFrame(
        {
            "track": pd.Categorical(names),
            "lane": pd.Categorical(["level 0"] * len(names)),
            "name": pd.Categorical(["x"] * len(names)),
            "start": 10 * number,
            "end": 10 * number + 8,
        }
    )
    frames = {n: empty(n) for n in ("kernels", "iterations", "run", "markers")}
    frames["tracks"] = complete(
        "tracks",
        {
            "track": names,
            "kind": ["device", "copy", "device", "other"],
            "pid": ["0", "0", "1", "4"],
            "tid": ["7", "20", "7", "4"],
            "process": ["GPU 0", "GPU 0", "GPU 1", "python"],
            "order": number,
            "first": 10 * number,
        },
    )
    data = TimelineData.of(LaneIndex.of_events(events), frames, named=True)
    return replace(data, find_counters=lambda: tracks)


@pytest.mark.parametrize(
    ("owner", "lanes", "above"),
    [
        ("cuda 0 stream 7", ("cuda 0 stream 7",), "cuda 0 stream 20"),
        ("Memcpy HtoD", ("cuda 0 stream 20",), "cuda 0 stream 20"),
        ("Memcpy DtoD", ("cuda 0 stream 20", "cuda 1 stream 7"), "cuda 1 stream 7"),
        ("cuda:0", (), "cuda 0 stream 20"),
        ("cuda:1", (), "cuda 1 stream 7"),
        ("GPU 1", (), "cuda 1 stream 7"),
        ("cuda", (), "thread 4 (python)"),
        ("cpu", (), "thread 4 (python)"),
        ("python", (), "thread 4 (python)"),
    ],
)
def test_a_counter_is_directly_below_the_lanes_of_its_device(owner, lanes, above):
    counter = replace(track("x", owner=owner), lanes=lanes)
    data = profile_with(counter)
    (lane,) = lanes_of(data)
    middles = dict(zip([row.track for row in data.rows()], row_places(data), strict=True))
    higher = [name for name, y in middles.items() if y < lane["y"]]
    assert higher[-1] == above
    assert lane["y"] - LANE / 2 >= middles[above] + 0.5
    lower = [y for y in middles.values() if y > lane["y"]]
    assert lane["y"] + LANE / 2 <= min(lower, default=99) - 0.5


def row_places(data):
    return layout_of(data)["meta"]["bars"]["rows"]["y"]


def test_counters_of_one_device_follow_each_other_and_move_what_is_below():
    one = track("x", owner="cuda:0")
    data = profile_with(one, track("y", owner="cpu"), one)
    first, host, second = (lane["y"] for lane in lanes_of(data))
    assert second - first == LANE
    assert first < second < row_places(data)[2] < row_places(data)[3] < host
    for row, middle in zip(data.rows(), row_places(data), strict=True):
        click = {"points": [{"base": 1, "x": 2, "y": middle}]}
        assert parse_click(click, data, data.rows()) == (row, 1, 2)


def test_a_click_on_a_counter_hits_no_row():
    data = with_counters(track())
    (lane,) = lanes_of(data)
    click = {"points": [{"base": 1, "x": 2, "y": lane["y"] - LANE / 2 + 0.1}]}
    assert parse_click(click, data, data.rows()) is None


@pytest.mark.parametrize("columns", [TILE_COLUMNS, FIGURE_COLUMNS])
def test_values_are_shares_of_the_range_of_the_run(columns):
    data = with_counters(track())
    ((record),) = counter_values(data, (100, 20_000), columns)
    steps = track().steps((100, 20_000), columns)
    assert (100 + np.cumsum(numbers(record["gap"]))).tolist() == steps.start.tolist()
    for name in ("low", "high"):
        shares = np.array(numbers(record[name])) / 65_535
        assert shares * 100 == pytest.approx(getattr(steps, name), abs=0.001)
    assert not are_exact([record])


def test_few_values_are_exact_and_need_one_column():
    ((record),) = counter_values(with_counters(track(count=40)), (0, 300), TILE_COLUMNS)
    assert (record["high"], record["exact"]) == ("", True)


def test_a_tile_has_the_counters_and_stays_below_its_limit():
    data = with_counters(*(track(f"counter {rank}") for rank in range(8)))
    text = tile_text(data, data.rows(), "light", TilePlace(0, 0))
    made = json.loads(text)
    assert len(text) <= MAX_TILE_BYTES
    assert len(made["counters"]) == 8
    assert not made["exact"]
    quiet = with_counters(track(count=40))
    whole = json.loads(tile_text(quiet, quiet.rows()[:1], "light", TilePlace(0, 0)))
    assert whole["exact"]


def test_runs_without_counters_have_no_lanes():
    assert lanes_of(data_of(10)) == []
    assert counters_note(data_of(10)) == ""
    assert counters_note(with_counters(track("x", ""))).count("not in the file") == 1


def test_the_note_has_each_kind_of_counter_once():
    devices = [track(f"GPU {rank} allocated", owner=f"GPU {rank}") for rank in range(3)]
    note = counters_note(with_counters(*devices, track("clock", "")))
    assert note.count("allocated (bytes)") == 1
    assert note.count("(") == 2
    assert "GPU" not in note


def test_the_largest_values_of_a_file_have_places_in_their_lane():
    values = np.array([-1.5e308, 0.0, 1.5e308])
    data = with_counters(CounterTrack("GPU 0", "x", "", NUMBER[:3], values))
    (record,) = counter_values(data, (0, 10), TILE_COLUMNS)
    assert numbers(record["low"]) == [0, 32_768, 65_535]
    assert lanes_of(data)
    labels = layout_of(data)["yaxis"]["ticktext"]
    assert max(len(line) for line in labels[-1].split("<br>")) < 24


@pytest.mark.parametrize("rate", [0.5, 2_048.0, 940e6, 11.74e9, 3e12])
def test_a_rate_has_the_unit_of_the_tables(rate):
    assert value_text(rate, RATE) == rate_text(rate, "B/s")
    assert "i" not in value_text(rate, RATE)
