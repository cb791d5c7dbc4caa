import json
from typing import Any

import numpy as np
import pytest

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.figure import Figure
from components.memory.banks import banks, parse_click
from components.theme import palette
from tests.support.memory import amap, block, constant, failed

NOTHING = MemorySelection()
BANKED = {"capacity": 256, "banks": 4, "bank_bytes": 64}
HOSTILE = "</script><b>%{x} & $"


def heat(figure: Figure) -> list[Any]:
    return [trace for trace in figure.data if trace.type == "heatmap"]


def two_blocks() -> AttemptMap:
    return amap([block("a", 0, 2, 0, 64), block("b", 1, 4, 96, 64)], **BANKED)


def long_map() -> AttemptMap:
    rows = [block(f"a{i}", i, i + 1, 0, 16) for i in range(5000)]
    return amap([*rows, block("b", 4321, 4322, 64, 32)], **BANKED)


def level(name: str, number: int, rows: list[dict[str, Any]], **more: Any) -> AttemptMap:
    named = [row | {"attempt": number, "level": name} for row in rows]
    return amap(named, **({"attempt": number, "level": name, "capacity": 100, "length": 3} | more))


def test_a_cell_is_the_share_of_the_bank_that_is_in_use() -> None:
    (cells,) = heat(banks([two_blocks()], NOTHING, "light"))
    assert np.asarray(cells.z).tolist() == [
        [100, 100, 0, 0],
        [0, 50, 50, 50],
        [0, 50, 50, 50],
        [0, 0, 0, 0],
    ]
    assert tuple(cells.x) == (0, 1, 2, 3, 4)
    assert (cells.zmin, cells.zmax) == (0, 100)


def test_totals_are_on_the_edges() -> None:
    figure = banks([two_blocks()], NOTHING, "light")
    total = next(trace for trace in figure.data if trace.yaxis == "y2")
    assert np.asarray(total.y).tolist() == [25, 50, 25, 25]
    peak, mean = [trace for trace in figure.data if trace.xaxis == "x2"]
    assert np.asarray(peak.x).tolist() == [100, 50, 50, 0]
    assert np.asarray(mean.x).tolist() == [50, 37.5, 37.5, 0]
    assert figure.layout.xaxis2.domain[0] > figure.layout.xaxis.domain[1]


def test_shared_bytes_fill_a_bank_once() -> None:
    rows = [block("a", 0, 2, 0, 64), block("b", 0, 2, 0, 64, status="shared", alias_of=0)]
    (cells,) = heat(banks([amap(rows, **BANKED)], NOTHING, "light"))
    assert np.asarray(cells.z).max() == 100


def test_levels_are_rows_in_per_cent_of_their_capacity_with_their_constants() -> None:
    maps = [
        level("L2", 0, [block("a", 0, 2, 0, 25)]),
        level("L1", 1, [constant("c", 0, 50)], static_bytes=50),
    ]
    figure = banks(maps, NOTHING, "light")
    first, second = heat(figure)
    assert np.asarray(first.z).tolist() == [[25, 25, 0]]
    assert np.asarray(second.z).tolist() == [[50, 50, 50]]
    assert first.y[0] > second.y[0]
    assert figure.layout.yaxis.ticktext == ("L2", "L1")
    assert "yaxis2" not in figure.layout


def test_what_is_more_than_full_is_red() -> None:
    figure = banks(
        [level("L1", 0, [block("a", 0, 2, 0, 150)]), level("L2", 1, [])], NOTHING, "light"
    )
    over = heat(figure)[1]
    assert np.asarray(over.z)[0][:2].tolist() == [150, 150]
    assert np.isnan(np.asarray(over.z)[0][2])
    assert over.colorscale[0][1] == palette("light").trouble


def test_one_memory_without_banks_is_one_row() -> None:
    figure = banks([amap([block("a", 0, 2, 0, 64)], capacity=128)], NOTHING, "light")
    assert figure.layout.yaxis.ticktext == ("memory",)
    assert np.asarray(heat(figure)[0].z).tolist() == [[50, 50]]


@pytest.mark.parametrize(
    "maps",
    [
        [],
        [amap([])],
        [amap([block("a", 0, 2, 0)])],
        [amap([failed("f", 0, 2)], **BANKED)],
        [amap([block("a", 0, 2, 0)], banks=4)],
    ],
)
def test_nothing_to_draw_is_said_in_a_sentence(maps: list[AttemptMap]) -> None:
    figure = banks(maps, NOTHING, "light")
    assert len(figure.data) == 0
    assert figure.layout.annotations[0].text.endswith(".")


@pytest.mark.slow
def test_too_many_steps_become_columns_of_the_highest_and_say_so() -> None:
    (cells,) = heat(banks([long_map()], NOTHING, "light"))
    values = np.asarray(cells.z)
    assert values.shape[1] <= 2000
    assert values[1].max() == 50
    column = int(values[1].argmax())
    assert "step 4321 (of " in cells.customdata[1][column]


def test_a_window_is_shown_step_by_step() -> None:
    (cells,) = heat(banks([long_map()], MemorySelection(span=(4320, 4325)), "light"))
    assert np.asarray(cells.z)[1].tolist() == [0, 50, 0, 0, 0]


@pytest.mark.parametrize("many", [1, 8, 64])
def test_any_number_of_banks_fits(many: int) -> None:
    one = amap([block("a", 0, 2, 0, 64 * many)], capacity=64 * many, banks=many, bank_bytes=64)
    figure = banks([one], NOTHING, "light")
    assert figure.layout.height < 520
    assert 1 <= len(figure.layout.yaxis.ticktext) <= 32


def test_the_selected_bank_and_step_are_outlined() -> None:
    figure = banks([two_blocks()], MemorySelection(attempt=0, bank=1, step=2), "light")
    frames = [(s.x0, s.x1, s.y0, s.y1) for s in figure.layout.shapes if s.type == "rect"]
    assert (0, 1, 0.5, 1.5) in frames
    assert (2, 3, 0, 1) in frames


def test_the_selected_level_is_outlined() -> None:
    maps = [level("L2", 0, [block("a", 0, 2, 0, 25)]), level("L1", 1, [block("a", 0, 2, 0, 25)])]
    frames = [
        s
        for s in banks(maps, MemorySelection(attempt=1), "light").layout.shapes
        if s.xref == "x domain"
    ]
    assert [(s.y0, s.y1) for s in frames] == [(-1.5, -0.5)]


def test_a_cell_tells_step_and_bank_when_clicked() -> None:
    (cells,) = heat(banks([two_blocks()], NOTHING, "light"))
    point = {"points": [{"customdata": cells.customdata[2][3]}]}
    assert parse_click(point) == {"step": 3, "bank": 2}


def test_a_cell_of_columns_tells_the_step_of_the_highest() -> None:
    assert parse_click({"points": [{"customdata": "step 4321 (of 4320 – 4322) · bank 11"}]}) == {
        "step": 4321,
        "bank": 11,
    }


@pytest.mark.parametrize("name", ["L1", "bank 3", "step 9 · bank 3", HOSTILE])
def test_a_cell_of_a_level_tells_its_attempt(name: str) -> None:
    maps = [level("L2", 4, [block("a", 0, 2, 0, 25)]), level(name, 5, [block("a", 0, 2, 0, 25)])]
    cells = heat(banks(maps, NOTHING, "light"))[1]
    assert parse_click({"points": [{"customdata": cells.customdata[0][1]}]}) == {
        "attempt": 5,
        "step": 1,
    }


def test_totals_tell_the_step_or_the_bank() -> None:
    figure = json.loads(banks([two_blocks()], NOTHING, "light").to_json())
    points = [
        trace["customdata"][1]
        for trace in figure["data"]
        if trace["type"] == "bar" and "customdata" in trace
    ]
    assert sorted(
        (parse_click({"points": [{"customdata": point}]}) for point in points), key=str
    ) == [{"attempt": 0, "bank": 1}, {"attempt": 0, "bank": 1}, {"attempt": 0, "step": 1}]


@pytest.mark.parametrize(
    "click", [None, {}, {"points": [{}]}, {"points": [{"customdata": "nonsense"}]}]
)
def test_a_click_beside_cells_selects_nothing(click: dict[str, Any] | None) -> None:
    assert parse_click(click) == {}


def test_hostile_level_names_reach_no_markup_and_no_template() -> None:
    maps = [level(HOSTILE, 0, [block("a", 0, 2, 0, 25)]), level("L1", 1, [block("a", 0, 2, 0, 25)])]
    text = banks(maps, NOTHING, "dark").to_json()
    assert "</script" not in text
    assert "%{x} &" not in text
