import numpy as np
import pandas as pd
import pytest

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.memory import axis as memory_axis
from components.memory.banks import banks
from components.memory.live_bytes import live_bytes
from components.memory.memory_map import memory_map
from components.memory.timesteps import timesteps
from schema.frames import complete, empty
from tests.support.memory import amap, block, steps

BANKED = {"capacity": 256, "banks": 4, "bank_bytes": 64}


def long_map(length: int) -> AttemptMap:
    return amap([block("a", 0, length, 0)], length=length)


def test_the_window_is_the_selected_span_cut_to_the_maps() -> None:
    maps = [long_map(10), long_map(4)]
    assert memory_axis.steps_in_view(maps, MemorySelection()) == (0, 10)
    assert memory_axis.steps_in_view(maps, MemorySelection(span=(3, 6))) == (3, 6)
    assert memory_axis.steps_in_view(maps, MemorySelection(span=(-5, 99))) == (0, 10)


def test_a_span_that_lies_outside_shows_everything() -> None:
    assert memory_axis.steps_in_view([long_map(4)], MemorySelection(span=(20, 30))) == (0, 4)


def test_numbers_stand_in_the_middle_of_their_steps() -> None:
    axis = memory_axis.steps_axis((2, 5), "light")
    assert axis["range"] == [2, 5]
    assert axis["tickvals"] == [2.5, 3.5, 4.5]
    assert axis["ticktext"] == ["2", "3", "4"]
    assert axis["minor"]["tickvals"] == [2, 3, 4, 5]


@pytest.mark.parametrize("length", [60, 289, 4000, 1_048_576])
def test_labels_of_long_maps_do_not_touch(length: int) -> None:
    axis = memory_axis.steps_axis((0, length), "light")
    every = np.diff(axis["tickvals"])
    assert 4 <= len(axis["ticktext"]) <= 25
    assert (every == every[0]).all()
    assert len(axis["ticktext"]) * len(axis["ticktext"][-1]) * 7 < memory_axis.PLOT_PX


def test_operators_name_the_steps_where_there_is_room() -> None:
    named = steps(["conv", "<b>%{x}", ""])
    few = amap([block("a", 0, 3, 0)], steps=named)
    names = memory_axis.named_steps([few], (0, 3))
    assert names == {0: "conv", 1: "<b>%{x}"}
    labels = memory_axis.steps_axis((0, 3), "light", names)["ticktext"]
    assert labels[0] == "conv 0"
    assert "<b>" not in labels[1]
    assert labels[2] == "2"
    assert memory_axis.named_steps([few], (0, 500)) == {}
    assert memory_axis.named_steps([long_map(3)], (0, 3)) == {}


def test_names_get_room_below() -> None:
    many = {step: f"convolution{step}" for step in range(20)}
    assert memory_axis.margin(10, many)["b"] > memory_axis.margin(10)["b"]
    assert memory_axis.steps_axis((0, 20), "light", many)["tickangle"] != 0


def test_few_names_stand_side_by_side() -> None:
    few = {0: "conv", 1: "relu"}
    assert memory_axis.margin(10, few) == memory_axis.margin(10)
    assert memory_axis.steps_axis((0, 2), "light", few)["tickangle"] == 0


def test_the_cursor_covers_its_step_when_it_is_in_view() -> None:
    (mark,) = memory_axis.cursor(MemorySelection(step=0), (0, 4), "light")
    assert (mark["x0"], mark["x1"]) == (0, 1)
    assert memory_axis.cursor(MemorySelection(step=4), (0, 4), "light") == []
    assert memory_axis.cursor(MemorySelection(), (0, 4), "light") == []


def test_the_peak_is_marked_in_the_middle_of_its_step() -> None:
    one = amap([block("a", 0, 3, 0), block("b", 1, 2, 64)])
    (line,) = memory_axis.peak(one, (0, 3), "light")
    assert line["x0"] == line["x1"] == 1.5
    assert memory_axis.peak_label(one, (0, 3), "light")[0]["text"] == "peak"
    assert memory_axis.peak(one, (2, 3), "light") == []
    assert memory_axis.peak_label(one, (2, 3), "light") == []


def test_clicked_parts_reads_numbers_and_leaves_out_nulls() -> None:
    names = ("attempt", "step", "bank")
    click = {"points": [{"customdata": [3, None, 7]}]}
    assert memory_axis.clicked_parts(click, names) == {"attempt": 3, "bank": 7}
    for nothing in (
        None,
        {},
        {"points": []},
        {"points": [{}]},
        {"points": [{"customdata": "text"}]},
    ):
        assert memory_axis.clicked_parts(nothing, names) == {}


@pytest.mark.slow
@pytest.mark.parametrize("span", [None, (1, 3)])
def test_every_memory_view_has_the_same_x_axis(span: tuple[int, int] | None) -> None:
    cycles = complete(
        "steps",
        {"attempt": [0] * 4, "step": [0, 1, 2, 3], "gdma_cycles": [5] * 4, "layer_cycles": [9] * 4},
    )
    one = amap([block("a", 0, 3, 0), block("b", 1, 4, 64)], steps=cycles, **BANKED)
    chosen = MemorySelection(attempt=0, step=2, span=span)
    figures = [
        memory_map([one], chosen, "light").figure,
        banks([one], chosen, "light"),
        live_bytes([one], chosen, "light"),
        timesteps(one, empty("events"), chosen, "light"),
    ]
    axes = [
        (f.layout.xaxis.range, f.layout.xaxis.domain, f.layout.margin.l, f.layout.margin.r)
        for f in figures
    ]
    assert len(set(axes)) == 1
    assert axes[0][0] == (span or (0, 4))
    for figure in figures:
        assert any(
            shape.type == "rect" and (shape.x0, shape.x1) == (2, 3)
            for shape in figure.layout.shapes
        )


def test_a_touch_bar_covers_its_span() -> None:
    bars = memory_axis.touch(np.array([0.5, 1.5]), np.ones(2), (-10, 20))
    assert bars["base"].tolist() == [-10, -10]
    assert (bars["base"] + bars["y"]).tolist() == [20, 20]
    assert pd.Series(bars["x"]).is_monotonic_increasing
