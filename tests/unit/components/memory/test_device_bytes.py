import json

import numpy as np
import pytest

from analysis.memory.selection import MemorySelection
from components.memory.axis import parse_step_click
from components.memory.device_bytes import MAX_DEVICES, device_bytes, drawn_curves
from tests.support.devices import buffer, curves
from tests.support.numbers_in_text import numbers_in

NOTHING = MemorySelection()
LENGTH = 1_000_000
HOSTILE = "<img src=x onerror=alert(1)>%{x}$x"


def several(count, length=LENGTH):
    rows = [buffer(f"buffer {n}", 10 * n, length, 100 * (n + 1), attempt=n) for n in range(count)]
    return curves(rows, length, [f"NULL:{n}" for n in range(count)])


def titles(figure):
    return [note.text for note in figure.layout.annotations]


def test_one_device_has_one_curve_with_its_peak():
    found = curves([buffer("a", 100, 300, 64), buffer("b", 200, 400, 64)], 1000)
    figure = device_bytes(found, (0, 1000), NOTHING, "light")
    line = figure.data[0]
    assert list(zip(line.x, line.y, strict=True)) == [
        (0, 0),
        (100, 64),
        (200, 128),
        (300, 64),
        (400, 0),
        (1000, 0),
    ]
    assert (list(figure.data[1].x), list(figure.data[1].y)) == ([200], [128])
    assert len(titles(figure)) == 1


def test_several_devices_have_their_sum_above_them():
    figure = device_bytes(several(3), (0, LENGTH), MemorySelection(attempt=1), "light")
    assert [title.split("</b>")[0] for title in titles(figure)] == [
        "<b>sum over devices",
        "<b>NULL:0",
        "<b>NULL:1",
        "<b>NULL:2",
    ]
    assert "(shown)" in titles(figure)[2]
    assert max(figure.data[0].y) == 600


def test_of_many_devices_the_most_used_are_drawn_and_the_others_summed():
    drawn = drawn_curves(several(40), "light")
    assert len(drawn) == MAX_DEVICES + 2
    assert [one.number for one in drawn[1:-1]] == [34, 35, 36, 37, 38, 39]
    assert (drawn[-1].label, drawn[-1].number) == ("34 other devices", None)
    assert drawn[-1].curve.peak == sum(100 * (n + 1) for n in range(34))


def test_one_device_more_than_is_drawn_is_drawn_too():
    assert [one.number for one in drawn_curves(several(MAX_DEVICES + 1), "light")][1:] == list(
        range(7)
    )


def test_a_window_shows_what_holds_in_it():
    found = curves([buffer("a", 100, 300, 64), buffer("b", 200, 400, 64)], 1000)
    figure = device_bytes(found, (250, 350), NOTHING, "light")
    assert list(zip(figure.data[0].x, figure.data[0].y, strict=True)) == [
        (250, 128),
        (300, 64),
        (350, 64),
    ]
    assert len(figure.data[1].x) == 0
    assert "at most 128" in titles(figure)[0]
    assert list(figure.layout.xaxis.range) == [250, 350]


@pytest.mark.slow
def test_very_many_changes_are_drawn_by_their_highest():
    rows = [buffer(f"buffer {n}", 10 * n, 10 * n + 5, 8) for n in range(10_000)]
    rows[5_000] = buffer("large", 50_000, 50_005, 800)
    figure = device_bytes(curves(rows, 100_000), (0, 100_000), NOTHING, "light")
    assert len(figure.data[0].y) <= 2_001
    assert max(figure.data[0].y) == 800


def test_a_click_names_device_and_time():
    figure = device_bytes(several(2), (0, LENGTH), NOTHING, "light")
    of_sum, of_first = (figure.data[3 * plot + 2].customdata[0] for plot in range(2))
    click = {"points": [{"customdata": list(of_first)}]}
    assert parse_step_click(click) == {"attempt": 0, "step": int(of_first[1])}
    assert parse_step_click({"points": [{"customdata": list(of_sum)}]}) == {"step": int(of_sum[1])}


def test_the_cursor_is_a_mark_over_the_whole_height():
    figure = device_bytes(several(2), (0, LENGTH), MemorySelection(step=500), "light")
    assert [shape.x0 for shape in figure.layout.shapes] == [500]


def test_a_run_without_buffers_says_so():
    figure = device_bytes(curves([], 1000, ()), (0, 1000), NOTHING, "light")
    assert figure.layout.annotations[0].text == "No device has a buffer."


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_names_reach_no_markup_and_no_template(theme):
    found = curves([buffer(HOSTILE, 0, 10, 8)], 10, [HOSTILE])
    text = device_bytes(found, (0, 10), NOTHING, theme).to_json()
    assert "<img" not in text.replace("\\u003c", "<")
    assert "%{x}" not in json.dumps(json.loads(text)["data"])


def test_hovers_are_in_bytes_and_in_time_that_fits():
    figure = device_bytes(
        curves([buffer("a", 0, 2_000_000, 2048)], 4_000_000), (0, 4_000_000), NOTHING, "light"
    )
    hover = figure.data[2].hovertext[0]
    assert hover.startswith("CPU ")
    assert numbers_in(hover) == ["5 µs", "2.00 KiB", "1"]
    assert np.all(np.diff(figure.data[2].x) > 0)
