"""Lanes of counters: their places, labels with units, and the values that browsers get."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from analysis.selection import Selection
from analysis.timeline.counters import BYTES, CALLS, RATE, CounterTrack
from components.timeline.counter_lanes import (
    FIGURE_COLUMNS,
    LANE,
    TILE_COLUMNS,
    are_exact,
    counter_values,
    counters_note,
)
from components.timeline.figure import parse_click, timeline
from components.timeline.tiles import MAX_TILE_BYTES, TilePlace, tile_text
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


def test_lanes_are_below_the_rows_and_have_labels_of_two_lines():
    data = with_counters(track(), track("waiting", CALLS, owner="stream 7"), track("x", RATE))
    axis = drawn(data).figure.to_plotly_json()["layout"]["yaxis"]
    lanes = drawn(data).figure.to_plotly_json()["layout"]["meta"]["bars"]["counters"]
    rows = drawn(data_of(1_000)).figure.to_plotly_json()["layout"]["yaxis"]
    assert axis["tickvals"][: len(rows["tickvals"])] == rows["tickvals"]
    middles = axis["tickvals"][-3:]
    assert middles == [lane["y"] for lane in lanes]
    assert np.diff(middles) == pytest.approx([LANE, LANE])
    assert middles[0] - LANE / 2 > rows["tickvals"][-1] + 0.5
    assert axis["range"][0] > middles[-1] + LANE / 2
    labels = [label.split("<br>") for label in axis["ticktext"][-3:]]
    assert [first for first, _ in labels] == ["GPU 0 allocated", "stream 7", "GPU 0"]
    assert [second.split()[-1] for _, second in labels] == ["B", "100", "B/s"]
    assert drawn(data).height > drawn(data_of(1_000)).height
    for word in ("allocated (bytes)", "waiting (executions)", "(bytes/s)"):
        assert word in drawn(data).line


def test_a_click_on_a_counter_hits_no_row():
    data = with_counters(track())
    (lane,) = drawn(data).figure.to_plotly_json()["layout"]["meta"]["bars"]["counters"]
    click = {"points": [{"base": 1, "x": 2, "y": lane["y"] - LANE / 2 + 0.1}]}
    assert parse_click(click, data.rows()) is None


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
    assert drawn(data_of(10)).figure.to_plotly_json()["layout"]["meta"]["bars"]["counters"] == []
    assert counters_note(data_of(10)) == ""
    assert counters_note(with_counters(track("x", ""))).count("not in the file") == 1
