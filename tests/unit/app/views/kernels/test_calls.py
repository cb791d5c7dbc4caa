"""Flame graph of the host's calls: the thread and window that it shows, and what a click selects."""

import pytest

from app.views.kernels.calls import CALLS, call_clicked
from app.views.state import RunState
from tests.support.figures import plain
from tests.support.kineto_trace import kernel, trace_data
from tests.support.numbers_in_text import has_numbers

BLANK = RunState()


def test_bars_are_the_calls_of_the_selected_window(data):
    whole = CALLS.draw(data, BLANK, "light")
    (bars,) = plain(whole.figure)["data"]
    assert sorted(bars["x"]) == [80_000, 100_000, 400_000]
    assert has_numbers(whole.caption, "400 µs", "2.00 ms")
    step = CALLS.draw(data, BLANK.selecting(window=(0, 1_000_000)), "light")
    assert sorted(plain(step.figure)["data"][0]["x"]) == [40_000, 50_000, 200_000]


def test_a_click_selects_the_kernels_of_a_call(data):
    (bars,) = plain(CALLS.draw(data, BLANK, "light").figure)["data"]
    places = {
        x: {"points": [{"customdata": c}]}
        for x, c in zip(bars["x"], bars["customdata"], strict=True)
    }
    chosen = call_clicked(BLANK, data, places[100_000])
    assert chosen.selection.op == "aten::mm"
    assert call_clicked(chosen, data, places[100_000]) == BLANK
    assert call_clicked(BLANK, data, places[400_000]).selection.python == "train.py(7): forward"
    assert call_clicked(BLANK, data, None) == BLANK


@pytest.mark.slow
def test_a_trace_without_calls_lacks_the_view(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, [kernel("a", 0, 1)])
    assert not CALLS.shown_for(data)
