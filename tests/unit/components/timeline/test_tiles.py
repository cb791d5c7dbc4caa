"""Tiles of a timeline: their places, their size, and that they have the bars of a figure."""

import json

import numpy as np
import pandas as pd
import pytest

from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData, default_rows
from components.theme import event_color
from components.timeline import bars
from components.timeline.tiles import (
    MAX_TILE_BYTES,
    MAX_TILE_LEVEL,
    TilePlace,
    TileSource,
    tile_text,
)
from schema.frames import empty
from tests.support.timeline_bars import tile_bars

LANES = 3


def data_of(events: int, name_length: int = 4) -> TimelineData:
    """Return a run with `events` intervals on each of three lanes, each of a name of its own."""
    number = np.arange(LANES * events)
    names = [f"{place:0{name_length}d}" for place in number.tolist()]
    frame = pd.DataFrame(
        {
            "track": pd.Categorical(["core 2,1"] * len(number)),
            "lane": pd.Categorical.from_codes(number // events, [*"abc"]),
            "name": pd.Categorical(names),
            "start": 10 * (number % events) + 7,
            "end": 10 * (number % events) + 12,
        }
    )
    none = {n: empty(n) for n in ("kernels", "iterations", "tracks", "run", "markers")}
    return TimelineData.of(LaneIndex.of_events(frame), none)


def tile(data: TimelineData, level: int, number: int) -> dict:
    return json.loads(tile_text(data, default_rows(data), "light", TilePlace(level, number)))


@pytest.mark.parametrize("extent", [(0, 1_000_003), (-7, 12), (5, 2**50 + 3)])
@pytest.mark.parametrize("level", [0, 1, 3])
def test_the_tiles_of_a_level_cover_the_run_without_gaps(extent, level):
    spans = [TilePlace(level, number).span(extent) for number in range(1 << level)]
    assert (spans[0][0], spans[-1][1]) == extent
    assert [end for _, end in spans[:-1]] == [begin for begin, _ in spans[1:]]


@pytest.mark.parametrize(("level", "number"), [(0, 1), (3, 8), (MAX_TILE_LEVEL + 1, 0)])
def test_there_are_no_other_places(level, number):
    with pytest.raises(ValueError, match=str(number)):
        TilePlace(level, number)


SPELLINGS = ["NaN", "-1", "1.0", "1e3", "01", "\u0661", "", " 1", "1\n", "9" * 5000]


@pytest.mark.parametrize("text", SPELLINGS, ids=range(len(SPELLINGS)))
def test_a_place_is_written_in_one_way(text):
    for level, number in ((text, "0"), ("3", text)):
        with pytest.raises(ValueError, match="tile"):
            TilePlace.parse(level, number)
    assert TilePlace.parse("32", f"{2**32 - 1}") == TilePlace(32, 2**32 - 1)


def test_no_level_has_tiles_shorter_than_a_tick():
    extent = (5, 5 + 1000)
    assert [level for level in range(MAX_TILE_LEVEL) if TilePlace(level, 0).is_in(extent)] == [
        *range(10)
    ]
    assert TilePlace(0, 0).is_in((3, 3))


def test_a_tile_of_few_events_has_each_of_them():
    data = data_of(100)
    made = tile(data, 1, 1)
    assert made["exact"]
    begin, end = made["span"]
    starts = data.events.start
    wanted = (starts < end) & (data.events.stop > begin)
    assert sorted(bar.start for bar in tile_bars(made)) == sorted(starts[wanted].tolist())
    assert {bar.count for bar in tile_bars(made)} == {1}


def test_merged_bars_of_a_coarse_tile_stand_for_all_events():
    data = data_of(5_000)
    made = tile(data, 0, 0)
    assert not made["exact"]
    bars = tile_bars(made)
    assert len(bars) < sum(bar.count for bar in bars) == len(data.events)
    assert not any(bar.faded for bar in bars)


def test_the_colour_of_a_merged_bar_is_that_of_its_largest_share():
    # Names a and b take turns; b has most of the time of the first half, a of the second.
    number = np.arange(20_000)
    is_a = number % 2 == 0
    is_early = number < len(number) // 2
    frame = pd.DataFrame(
        {
            "track": pd.Categorical(["GPU"] * len(number)),
            "lane": pd.Categorical(["GPU"] * len(number)),
            "name": pd.Categorical(np.where(is_a, "a", "b")),
            "start": 10 * number,
            "end": 10 * number + np.where(is_a != is_early, 6, 2),
        }
    )
    none = {n: empty(n) for n in ("kernels", "iterations", "tracks", "run", "markers")}
    data = TimelineData.of(LaneIndex.of_events(frame), none)
    for theme in ("light", "dark"):
        text = tile_text(data, default_rows(data), theme, TilePlace(0, 0))
        bars = [bar for bar in tile_bars(json.loads(text)) if bar.count > 20]
        assert {bar.name for bar in bars} == {"a", "b"}
        for bar in bars:
            assert bar.name == ("b" if bar.end <= 100_010 else "a")
            assert bar.colour == event_color(bar.name, theme)
            assert bar.most == pytest.approx(75, abs=3)


def test_many_names_and_few_give_the_same_columns(monkeypatch):
    data = data_of(400)
    few = tile(data, 0, 0)
    monkeypatch.setattr(bars, "_MAX_FLAGS", len(data.events.names) - 1)
    assert tile(data, 0, 0) == few


def test_a_tile_is_never_larger_than_its_limit():
    data = data_of(780, name_length=70)
    assert len(tile_text(data, default_rows(data), "light", TilePlace(0, 0))) <= MAX_TILE_BYTES
    # With short names as many bars fit.
    assert tile(data_of(300), 0, 0)["exact"]


def test_tiles_of_one_block_are_made_together():
    for place in (TilePlace(0, 0), TilePlace(2, 3), TilePlace(7, 90)):
        block = place.block
        assert place in block
        assert all(place.block == block for place in block)


def test_a_page_knows_which_rows_tiles_have():
    data = data_of(3)
    rows = data.rows()
    record = TileSource("/timeline/a", rows[:2]).record(data, [rows[2], rows[1]])
    assert record == {"address": "/timeline/a", "shift": 0, "rows": [-1, 1]}
