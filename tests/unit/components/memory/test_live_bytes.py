import json
from typing import Any

import numpy as np
import pytest

from analysis.memory.alive import alive
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.figure import Figure
from components.memory.axis import parse_step_click
from components.memory.captions import live_caption
from components.memory.listed_blocks import no_bytes_words
from components.memory.live_bytes import MAX_TOUCHED, live_bytes
from components.numbers import size
from tests.support.memory import amap, block, constant, failed
from tests.support.numbers_in_text import has_numbers, numbers_in

NOTHING = MemorySelection()
HOSTILE = "</script><b>%{x} & $"


def curve(figure: Figure, name: str) -> Any:
    return next(
        (trace for trace in figure.data if trace.name and trace.name.startswith(name)), None
    )


def touch(figure: Figure) -> list[Any]:
    return [trace for trace in figure.data if trace.type == "bar"]


def notes(figure: Figure) -> str:
    return " | ".join(note.text for note in figure.layout.annotations)


def gap() -> AttemptMap:
    """The block above a hole: high-water mark and extent exceed what is alive."""
    return amap([block("a", 0, 2, 0, 64), block("b", 1, 4, 128, 64)], capacity=256)


def level(name: str, number: int, rows: list[dict[str, Any]], **more: Any) -> AttemptMap:
    named = [row | {"attempt": number, "level": name} for row in rows]
    return amap(named, **({"attempt": number, "level": name, "capacity": 1024, "length": 4} | more))


def test_live_bytes_step_from_step_to_step() -> None:
    live = curve(live_bytes([gap()], NOTHING, "light"), "live")
    assert tuple(live.x) == (0, 1, 2, 3, 4)
    assert tuple(live.y) == (64, 128, 64, 64, 64)
    assert live.line.shape == "hv"


def test_curves_that_say_nothing_new_are_left_out() -> None:
    figure = live_bytes([gap()], NOTHING, "light")
    assert tuple(curve(figure, "high-water mark").y) == (64, 192, 192, 192, 192)
    assert curve(figure, "requested") is None
    assert curve(figure, "union") is None


def test_failed_blocks_are_requested_but_not_live() -> None:
    figure = live_bytes(
        [amap([block("a", 0, 2, 0, 64), failed("f", 1, 2, 100)], capacity=128)], NOTHING, "light"
    )
    assert tuple(curve(figure, "requested").y) == (64, 164, 164)
    assert curve(figure, "requested").line.dash == "dash"
    assert tuple(curve(figure, "live").y) == (64, 64, 64)


def test_shared_storage_is_live_once() -> None:
    rows = [block("a", 0, 2, 0, 64), block("b", 0, 2, 0, 64, status="shared", alias_of=0)]
    figure = live_bytes([amap(rows)], NOTHING, "light")
    assert tuple(curve(figure, "live").y) == (64, 64, 64)
    assert curve(figure, "union") is None
    assert curve(figure, "requested") is None


def test_lines_are_named_with_their_bytes() -> None:
    figure = live_bytes([gap()], NOTHING, "light")
    lines = {name: tuple(curve(figure, name).y) for name in ("extent", "bound", "capacity")}
    assert lines == {"extent": (192, 192), "bound": (128, 128), "capacity": (256, 256)}
    assert curve(figure, "bound").name == "bound 128\u202fB"
    assert curve(figure, "capacity").line.dash == "dash"


def test_the_room_is_what_constants_leave_of_the_capacity() -> None:
    one = amap([constant("c", 0, 64), block("a", 0, 2, 0, 64)], static_bytes=64, capacity=160)
    assert tuple(curve(live_bytes([one], NOTHING, "light"), "capacity without constants").y) == (
        96,
        96,
    )


def test_a_room_far_above_is_named_and_not_drawn() -> None:
    figure = live_bytes([amap([block("a", 0, 2, 0, 64)], capacity=10**6)], NOTHING, "light")
    assert curve(figure, "capacity").name.endswith("↑")
    assert tuple(curve(figure, "capacity").y) == (None, None)
    assert figure.layout.yaxis.range[1] < 100


def test_the_peak_is_marked_with_its_bytes_and_step() -> None:
    figure = live_bytes([gap()], NOTHING, "light")
    assert has_numbers(notes(figure), "128 B", "1")
    point = next(trace for trace in figure.data if trace.mode == "markers")
    assert (point.x, point.y) == ((1.5,), (128,))
    assert "peak" not in notes(live_bytes([gap()], MemorySelection(span=(2, 4)), "light"))


def test_fragmentation_has_an_axis_of_its_own() -> None:
    figure = live_bytes([gap()], NOTHING, "light")
    thin = curve(figure, "fragmentation")
    assert thin.yaxis == "y2"
    assert (figure.layout.yaxis2.side, figure.layout.yaxis2.overlaying) == ("right", "y")
    assert max(thin.y) <= 1


def test_a_problem_has_no_fragmentation_and_no_extent() -> None:
    figure = live_bytes([amap([block("a", 0, 2, None, 64)], capacity=128)], NOTHING, "light")
    assert curve(figure, "fragmentation") is None
    assert curve(figure, "extent") is None
    assert tuple(curve(figure, "live").y) == (64, 64, 64)


def test_hover_and_click_find_a_step_wherever_the_pointer_is() -> None:
    figure = live_bytes([gap()], NOTHING, "light")
    (bars,) = touch(figure)
    assert np.asarray(bars.x).tolist() == [0.5, 1.5, 2.5, 3.5]
    assert bars.y[0] == figure.layout.yaxis.range[1]
    assert has_numbers(bars.hovertext[1].replace("<br>", " "), "1", "192 B", "128 B")
    assert "2" in numbers_in(bars.hovertext[1])
    custom = json.loads(figure.to_json())["data"][-1]["customdata"]
    assert custom == [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert parse_step_click({"points": [{"customdata": custom[2]}]}) == {"attempt": 0, "step": 2}
    assert parse_step_click(None) == {}


def test_levels_have_plots_of_their_own_on_one_axis() -> None:
    maps = [level("L2", 0, [block("a", 0, 2, 0, 64)]), level("L1", 1, [block("a", 0, 2, 0, 32)])]
    figure = live_bytes(maps, NOTHING, "light")
    assert {trace.yaxis for trace in figure.data} == {"y", "y2"}
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    assert "<b>L2</b> · peak 64" in notes(figure)
    assert "<b>L1</b> · peak 32" in notes(figure)
    assert [trace.name for trace in figure.data if trace.name and trace.showlegend] == ["live"]
    assert curve(figure, "fragmentation") is None


def test_a_level_without_blocks_has_no_plot() -> None:
    maps = [level("L3", 0, []), level("L1", 1, [block("a", 0, 2, 0, 32)])]
    assert {
        trace.yaxis for trace in live_bytes(maps, NOTHING, "light").data if trace.type == "bar"
    } == {"y"}


@pytest.mark.parametrize("maps", [[], [amap([])], [level("L2", 0, []), level("L1", 1, [])]])
def test_nothing_to_draw_is_said_in_a_sentence(maps: list[AttemptMap]) -> None:
    figure = live_bytes(maps, NOTHING, "light")
    assert len(figure.data) == 0
    assert figure.layout.annotations[0].text.endswith(".")


def test_too_many_steps_become_columns_of_the_highest_and_say_so() -> None:
    rows = [block(f"b{i}", i, i + 1, 0, 10 + i % 7) for i in range(5000)]
    figure = live_bytes([amap([*rows, block("top", 4321, 4322, 64, 500)])], NOTHING, "light")
    (bars,) = touch(figure)
    assert len(bars.x) <= 2000
    assert max(curve(figure, "live").y) > 500
    assert any("step 4321 (of " in text for text in bars.hovertext)


def test_the_largest_numbers_there_are_do_no_harm() -> None:
    figure = live_bytes(
        [amap([block("a", 0, 2, 0, 2**61), block("b", 0, 2, 2**61, 2**61)], capacity=2**62)],
        NOTHING,
        "light",
    )
    assert len(figure.layout.yaxis.ticktext) < 20


def test_hostile_level_names_reach_no_markup_and_no_template() -> None:
    maps = [level(HOSTILE, 0, [block("a", 0, 2, 0, 64)]), level("L1", 1, [block("a", 0, 2, 0, 32)])]
    text = live_bytes(maps, NOTHING, "dark").to_json()
    assert "</script" not in text
    assert "%{x} &" not in text


def test_a_long_map_has_few_bars_to_touch_and_its_exact_peak() -> None:
    rows = [block(f"b{step}", step, step + 1, 0, 64 + step % 7) for step in range(5000)]
    rows[3210] = block("tall", 3210, 3211, 0, 977)
    figure = live_bytes([amap(rows)], NOTHING, "light")
    (bars,) = touch(figure)
    assert len(bars.x) == MAX_TOUCHED
    assert max(np.asarray(curve(figure, "live").y)) == 977
    touched = [text for text in bars.hovertext if f"live {size(977)}" in text]
    assert len(touched) == 1
    assert [step for _, step in bars.customdata if step == 3210] == [3210]


@pytest.mark.parametrize("address", [0, None])
def test_blocks_of_zero_bytes_are_alive_in_the_plot_as_in_the_table(address: int | None) -> None:
    empty, other = amap([block("a", 0, 2, address, 0)]), amap([])
    assert len(alive(empty, 0)) == 1
    sentences = [
        live_bytes([one], NOTHING, "light").layout.annotations[0].text for one in (empty, other)
    ]
    assert sentences == [no_bytes_words([empty]), no_bytes_words([other])]
    assert "0 bytes" in sentences[0] and sentences[1].startswith("No block")
    assert live_caption([empty], NOTHING) == sentences[0]
