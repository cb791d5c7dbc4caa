"""Floor plan and stall shares: what the array's tiles show."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.tiles import TILE_METRICS
from analysis.selection import Selection
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData
from components.aie.floorplan import floorplan, left_out
from components.aie.stalls import stalls
from components.aie.valued_tiles import all_alike
from components.figure import Figure
from components.theme import SEQUENTIAL
from components.timeline.overview import overview
from schema.frames import empty
from tests.support.array_frames import tiles

Frames = dict[str, pd.DataFrame]


def test_cells_lie_where_the_tiles_are_and_carry_their_value(frames: Frames) -> None:
    figure = floorplan(tiles(frames), TILE_METRICS["lock_stall"], Selection(), "light")
    valued, _scale, plain = figure.data
    assert valued.customdata[:, 0].tolist() == ["core 2,1", "core 3,1"]
    assert valued.text.tolist() == ["50.0\u202f%", "60.0\u202f%"]
    assert (np.asarray(valued.base, dtype=float) + 0.46).round().tolist() == [2, 3]
    assert plain.text.tolist() == ["memtile", "shim"]
    assert figure.layout.yaxis.ticktext == ("shim 0", "memtile 1", "core 2", "core 3")


def test_cores_that_were_not_traced_are_hatched(frames: Frames) -> None:
    figure = floorplan(tiles(frames), TILE_METRICS["kernels"], Selection(), "light", shape=(2, 2))
    missing = figure.data[-1]
    assert missing.text.tolist() == ["core 2,2", "core 3,2"]
    assert missing.marker.pattern.shape == "x"
    complete = floorplan(tiles(frames), TILE_METRICS["kernels"], Selection(), "light", shape=(2, 1))
    assert not any(
        trace.marker.pattern.shape == "x" for trace in complete.data if trace.type == "bar"
    )


def test_of_a_huge_array_only_what_is_traced_is_drawn(frames: Frames) -> None:
    traced = floorplan(tiles(frames), TILE_METRICS["kernels"], Selection(), "light")
    huge = floorplan(
        tiles(frames), TILE_METRICS["kernels"], Selection(), "light", shape=(10**9, 10**9)
    )
    assert huge.to_json() == traced.to_json()


def test_places_far_apart_give_a_plot_of_bounded_size(frames: Frames) -> None:
    far = tiles(frames).assign(row=lambda t: t["row"].where(t["track"] != "core 3,1", 9999))
    figure = floorplan(far, TILE_METRICS["kernels"], Selection(), "light", shape=(2, 2))
    assert figure.layout.height < 4000
    assert len(figure.layout.yaxis.tickvals) <= 64


def test_more_tiles_than_can_be_drawn_are_counted(frames: Frames) -> None:
    one = tiles(frames)
    place = np.arange(5000)
    core = one.index[one["track"] == "core 2,1"]
    many = one.loc[core.repeat(len(place))].assign(row=place // 100, col=place % 100)
    figure = floorplan(many, TILE_METRICS["kernels"], Selection(), "light")
    assert sum(len(trace.x) for trace in figure.data if trace.type == "bar") == 4096
    assert "4096 of 5000" in left_out(many)
    assert left_out(one) == ""


def test_the_selected_tile_has_an_outline(frames: Frames) -> None:
    figure = floorplan(tiles(frames), TILE_METRICS["kernels"], Selection(track="core 3,1"), "light")
    assert figure.data[0].marker.line.width.tolist() == [0, 3]


def painted(frames: Frames, metric: str, *values: float) -> Figure:
    table = tiles(frames)
    table.loc[table["kind"] == "core", metric] = values
    return floorplan(table, TILE_METRICS[metric], Selection(), "light")


def test_a_small_difference_of_durations_does_not_fill_the_scale(frames: Frames) -> None:
    marker = painted(frames, "median_kernel", 500.0, 515.0).data[1].marker
    assert marker.cmin <= 0.9 * marker.cmax


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        ("median_kernel", (500.0, 505.0)),
        ("gmacs", (40.0, 40.5)),
        ("lock_stall", (0.001, 0.009)),
        ("left_out", (0, 0)),
    ],
)
def test_values_that_are_all_equal_have_one_colour_of_the_middle_and_a_note(
    frames: Frames, metric: str, values: tuple[float, float]
) -> None:
    figure = painted(frames, metric, *values)
    assert figure.data[0].marker.color == SEQUENTIAL[3]
    assert not any(trace.marker.showscale for trace in figure.data)
    assert figure.layout.xaxis.title.text.startswith("all ")


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        ("median_kernel", (500.0, 550.0)),
        ("gmacs", (40.0, 44.0)),
        ("lock_stall", (0.0, 0.03)),
        ("left_out", (0, 1)),
    ],
)
def test_values_that_differ_have_the_scale(
    frames: Frames, metric: str, values: tuple[float, float]
) -> None:
    figure = painted(frames, metric, *values)
    assert len(set(figure.data[0].marker.color)) == 2
    assert figure.data[1].marker.showscale
    assert not figure.layout.xaxis.title.text


@given(
    st.lists(st.floats(0, 1e9), max_size=20),
    st.sampled_from(["ticks", "GMAC/s", "ratio", "kernels"]),
)
def test_equal_means_within_what_is_said(values: list[float], unit: str) -> None:
    if all_alike(np.array(values), unit):
        assert np.ptp(values) <= {"ratio": 0.01, "kernels": 0}.get(unit, 0.02 * max(values))


def test_shares_are_stacked_per_tile_and_a_click_tells_it(frames: Frames) -> None:
    figure = stalls(frames["activity"], Selection(), "light")
    assert [trace.name for trace in figure.data] == ["lock stall", "memory stall", "vector"]
    assert figure.data[0].customdata.tolist() == [
        ["core 2,1", "LOCK_STALL"],
        ["core 3,1", "LOCK_STALL"],
    ]
    assert figure.data[0].x.tolist() == [0.5, 0.6]


def test_many_tiles_show_those_that_stall_most_and_the_selected_one(frames: Frames) -> None:
    row = frames["activity"].iloc[[0]]
    names = [f"core {2 + i % 8},{i // 8}" for i in range(200)]
    many = pd.concat([row] * 200, ignore_index=True).assign(
        track=names, share=np.linspace(0, 1, 200)
    )
    figure = stalls(many, Selection(track="core 2,0"), "light")
    drawn = figure.data[0].customdata[:, 0].tolist()
    assert len(drawn) == 80
    assert {"core 2,0", names[-1]} <= set(drawn)


def test_the_overview_outlines_the_window(frames: Frames) -> None:
    index = LaneIndex.of_events(frames["events"])
    data = TimelineData.of(index, {"markers": empty("markers"), **frames})
    whole = overview(data, Selection(), "light")
    part = overview(data, Selection(window=(1000, 2000)), "light")
    assert [trace.name for trace in whole.data] == ["kernels", "lock stalls"]
    assert len(whole.layout.shapes) == 0
    assert (part.layout.shapes[-1].x0, part.layout.shapes[-1].x1) == (1000, 2000)
    assert max(trace.y.max() for trace in whole.data) <= 1


def test_tiles_of_two_slices_at_one_place_are_two_cells(frames: Frames) -> None:
    table = tiles(frames).assign(slice="dev_a/s")
    both = pd.concat([table, table.assign(track=table["track"] + " #2", slice="dev_b/t")])
    figure = floorplan(
        both.reset_index(drop=True), TILE_METRICS["lock_stall"], Selection(), "light", shape=(2, 2)
    )
    valued, *_ = figure.data
    assert valued.customdata[:, 0].tolist() == [
        "core 2,1",
        "core 3,1",
        "core 2,1 #2",
        "core 3,1 #2",
    ]
    assert len(set(zip(valued.x, valued.base, strict=True))) == 4
    labels = figure.layout.xaxis.ticktext
    assert [label for label in labels if "dev_b/t" in label] == [labels[-1]]
    assert not any(
        trace.marker.pattern.shape == "x" for trace in figure.data if trace.type == "bar"
    )
