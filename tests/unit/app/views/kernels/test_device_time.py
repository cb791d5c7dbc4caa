"""Views of the time of devices: shares of windows, exact times, steps that a click selects."""

import re

import pytest

from app.views.kernels.device_time import (
    DEVICE_TABLE,
    DEVICE_TIME,
    bar_clicked,
    device_tables,
    window_clicked,
)
from app.views.kernels.idle import GAPS, IDLE
from app.views.registry import RUN
from app.views.state import RunState
from components.kernels.device_rows import window_labels
from tests.support.figures import plain
from tests.support.kineto_trace import call, kernel, step, trace_data, two_steps
from tests.support.numbers_in_text import has_numbers
from tests.support.view_texts import view_texts

BLANK = RunState()


def grid_of(part):
    return part.body.children[0] if isinstance(part.body.children, list) else part.body.children


def test_bars_are_the_shares_of_the_frame(data):
    figure = plain(DEVICE_TIME.draw(data, BLANK, "light").figure)
    times = data.profile.device_times
    shares = {trace["name"]: trace["x"] for trace in figure["data"]}
    assert shares["compute"] == pytest.approx((times["compute"] / times["total"]).tolist())
    assert shares["idle"] == pytest.approx((times["idle"] / times["total"]).tolist())
    for row in range(len(times)):
        assert sum(values[row] for values in shares.values()) == pytest.approx(1)


def test_the_grid_has_every_window_with_whole_nanoseconds(data):
    rows = grid_of(DEVICE_TABLE.make(data, BLANK)).rowData
    times = data.profile.device_times
    assert [row["label"] for row in rows] == [
        "2 counted steps",
        "all executions",
        "ProfilerStep#1",
        "ProfilerStep#2",
    ]
    for name in ("total", "compute", "communication_exposed", "idle"):
        assert [row[name] for row in rows] == times[name].tolist()
    assert rows[0]["busy_share"] == pytest.approx(0.4)


def test_a_click_selects_a_step_and_a_second_one_clears_it(data):
    chosen = window_clicked(BLANK, data, 3)
    step = data.profile.device_times.iloc[3]
    assert chosen.selection.window == (step["start"], step["end"])
    assert bar_clicked(BLANK, data, {"points": [{"customdata": [3]}]}) == chosen
    (options,) = DEVICE_TABLE.grid.marks(data, chosen)
    assert options["rowClassRules"]["ts-row-shown"] == "params.node.id == '3'"
    assert window_clicked(chosen, data, 3) == BLANK


def test_a_window_that_is_no_step_shows_the_whole_run(data):
    chosen = window_clicked(BLANK, data, 3)
    assert window_clicked(chosen, data, 0) == BLANK
    assert window_clicked(chosen, data, 99) == chosen
    assert bar_clicked(chosen, data, None) == chosen


@pytest.mark.slow
def test_a_trace_without_steps_says_so_where_the_shares_are(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, [kernel("a", 0, 10), kernel("b", 30, 10)])
    caption = DEVICE_TIME.draw(data, BLANK, "light").caption
    assert has_numbers(caption, "50 %", "50 %")
    assert "no step markers" in caption


@pytest.mark.slow
def test_steps_that_do_not_count_name_the_reason(settings, tmp_path):
    lengths = (900, 100, 100, 100)
    begins = (0, 900, 1000, 1100)
    entries = [step(rank, begins[rank], length) for rank, length in enumerate(lengths)]
    entries += [call(begin, rank + 1) for rank, begin in enumerate(begins)]
    entries += [kernel("k", begin + 5, 20, rank + 1) for rank, begin in enumerate(begins)]
    data = trace_data(settings.repository(), tmp_path, entries)
    assert window_labels(data.profile.device_times)[2:4] == [
        "ProfilerStep#0 (warm-up)",
        "ProfilerStep#1",
    ]


@pytest.mark.slow
def test_several_devices_have_their_name_in_every_row(settings, tmp_path):
    entries = [kernel("a", 0, 10), kernel("b", 5, 10, device=1)]
    data = trace_data(settings.repository(), tmp_path, entries)
    (table,) = device_tables(data, BLANK)
    assert [row[0].partition(" · ")[0] for row in table.rows] == ["GPU 0", "GPU 1"]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    ("category", "word"), [("mtia_ccp_events", "MTIA"), ("hpu_op", "HPU"), ("kernel", "GPU")]
)
def test_every_view_of_devices_has_the_word_of_their_maker(settings, tmp_path, category, word):
    entries = [
        kernel("a", at, 10, device=device, cat=category)
        for device in (0, 1)
        for at in (5 * device, 100)
    ]
    data = trace_data(settings.repository(), tmp_path, entries)
    views = [DEVICE_TIME, DEVICE_TABLE, IDLE, GAPS]
    texts = [
        f"{shown.text} {shown.headings}"
        for view in views
        for shown in view_texts(view, data, BLANK)
    ]
    named = {name for text in texts for name in re.findall(r"\b[A-Z]{3,4} [01]\b", text)}
    assert named == {f"{word} 0", f"{word} 1"}


@pytest.mark.slow
def test_a_trace_without_a_device_has_none_of_the_views(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, [kernel("a", 0, 10)])
    ids = {"devicetime", "devicetable", "idle", "gaps"}
    assert ids <= {view.id for view in RUN.available_views(data)}
    host = trace_data(settings.repository(), tmp_path / "host", [two_steps()[0]])
    assert ids.isdisjoint(view.id for view in RUN.available_views(host))
