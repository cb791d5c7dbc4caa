from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.figure import Figure
from components.memory.axis import parse_step_click
from components.memory.timesteps import timesteps
from schema.frames import complete, empty
from tests.support.memory import amap, block

NOTHING = MemorySelection()
HOSTILE = "</script><b>%{x} & $"


def with_cycles(gdma: list[int | None], layer: list[int | None], **more: Any) -> AttemptMap:
    count = len(gdma)
    columns = {
        "attempt": [0] * count,
        "step": list(range(count)),
        "gdma_cycles": gdma,
        "layer_cycles": layer,
    }
    steps = complete("steps", pd.DataFrame(columns | more, dtype=object))
    return amap([block("a", 0, count, 0)], steps=steps)


def events(rows: list[tuple[str, str, int, int]]) -> pd.DataFrame:
    lanes, names, starts, ends = zip(*rows, strict=True)
    return complete(
        "events",
        {
            "track": ["attempt 0"] * len(rows),
            "lane": lanes,
            "name": names,
            "start": starts,
            "end": ends,
        },
    )


def drawn(figure: Figure) -> dict[str, dict[float, float]]:
    return {
        trace.name: dict(zip(trace.x, trace.y, strict=True)) for trace in figure.data if trace.name
    }


def hover(figure: Figure) -> list[str]:
    return list(next(trace.hovertext for trace in figure.data if trace.hovertext is not None))


def test_computation_goes_up_and_transfers_down() -> None:
    figure = timesteps(with_cycles([10, 90], [50, 20]), empty("events"), NOTHING, "light")
    assert drawn(figure) == {
        "compute-bound: layer is longer": {0.5: 50},
        "the shorter layer": {1.5: 20},
        "DMA-bound: gdma is longer": {1.5: -90},
        "the shorter gdma": {0.5: -10},
    }
    low, high = figure.layout.yaxis.range
    assert low < -90
    assert high > 50
    assert all(not text.startswith(("-", "−")) for text in figure.layout.yaxis.ticktext)


def test_what_binds_a_step_has_colour_pattern_and_a_place_in_the_legend() -> None:
    figure = timesteps(with_cycles([10, 90], [50, 20]), empty("events"), NOTHING, "light")
    marks = {trace.name: trace for trace in figure.data if trace.name}
    compute, dma = marks["compute-bound: layer is longer"], marks["DMA-bound: gdma is longer"]
    assert compute.marker.color != dma.marker.color
    assert (compute.marker.pattern.shape, dma.marker.pattern.shape) == ("", "/")
    assert [trace.showlegend for trace in marks.values()] == [True, False, True, False]


def test_the_slack_of_the_log_decides() -> None:
    figure = timesteps(with_cycles([10], [50], slack=[-3]), empty("events"), NOTHING, "light")
    assert "DMA-bound: gdma is longer" in drawn(figure)
    assert "slack -3" in hover(figure)[0]


def test_the_hover_names_the_tensors_of_the_step() -> None:
    one = with_cycles([30, 5], [50, 20], begin=[0, 50])
    rows = [
        ("gdma", "small", 0, 10),
        ("gdma", "large", 10, 30),
        ("layer", "conv", 0, 50),
        ("gdma", "late", 50, 55),
    ]
    first, second = hover(timesteps(one, events(rows), NOTHING, "light"))
    assert first.index("large") < first.index("small")
    assert "conv" in first
    assert "late" not in first
    assert "late" in second


def test_many_tensors_are_counted() -> None:
    one = with_cycles([100], [5], begin=[0])
    text = hover(
        timesteps(one, events([("gdma", f"w{i}", i, i + 1) for i in range(20)]), NOTHING, "light")
    )[0]
    assert text.count("w") == 8
    assert "and 12 more" in text


@pytest.mark.parametrize("span", [None, (1, 3)])
def test_only_the_window_is_drawn(span: tuple[int, int] | None) -> None:
    selection = MemorySelection(span=span)
    figure = timesteps(with_cycles([1, 2, 3, 4], [9, 9, 9, 9]), empty("events"), selection, "light")
    shown = drawn(figure)["compute-bound: layer is longer"]
    assert list(shown) == ([1.5, 2.5] if span else [0.5, 1.5, 2.5, 3.5])


def test_a_step_without_one_of_the_two_counts_as_none() -> None:
    figure = timesteps(with_cycles([None, 7], [9, None]), empty("events"), NOTHING, "light")
    assert drawn(figure)["the shorter gdma"] == {0.5: 0}


def test_thousands_of_steps_show_the_longest_and_say_so() -> None:
    count = 2500
    figure = timesteps(
        with_cycles(list(range(count)), [0] * count), empty("events"), NOTHING, "light"
    )
    shown = drawn(figure)["DMA-bound: gdma is longer"]
    assert len(shown) <= 2000
    assert min(shown.values()) == -(count - 1)
    assert "500 shorter" in " ".join(note.text for note in figure.layout.annotations)


@pytest.mark.parametrize("one", [amap([block("a", 0, 2, 0)]), with_cycles([None], [None])])
def test_no_cycles_are_said_in_a_sentence(one: AttemptMap) -> None:
    figure = timesteps(one, empty("events"), NOTHING, "light")
    assert len(figure.data) == 0
    assert figure.layout.annotations[0].text.endswith(".")


def test_steps_without_cost_do_no_harm() -> None:
    figure = timesteps(
        with_cycles([0, 0], [0, 0], begin=[0, 0]), events([("gdma", "w", 0, 0)]), NOTHING, "light"
    )
    assert len(hover(figure)) == 2


def test_a_click_tells_the_step() -> None:
    figure = timesteps(with_cycles([1, 2], [9, 9]), empty("events"), NOTHING, "light")
    custom = next(trace.customdata for trace in figure.data if trace.customdata is not None)
    click = {"points": [{"customdata": list(custom[1])}]}
    assert parse_step_click(click) == {"attempt": 0, "step": 1}
    assert parse_step_click(None) == {}


def test_hover_and_click_find_a_step_wherever_the_pointer_is() -> None:
    figure = timesteps(with_cycles([1, 2], [9, 9]), empty("events"), NOTHING, "light")
    bars = figure.data[-1]
    low, high = figure.layout.yaxis.range
    assert np.asarray(bars.base).tolist() == [low, low]
    assert bars.base[0] + bars.y[0] == pytest.approx(high)


def test_hostile_tensor_names_reach_no_markup_and_no_template() -> None:
    one = with_cycles([10], [5], begin=[0])
    text = timesteps(one, events([("gdma", HOSTILE, 0, 10)]), NOTHING, "dark").to_json()
    assert "</script" not in text
    assert "%{x} &" not in text
