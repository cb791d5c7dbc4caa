"""Counters of a timeline as an option of its page and as a table."""

from dataclasses import replace

import pytest

from analysis.timeline.counters import CALLS
from app.config.settings import Settings
from app.views.layout import PageViews
from app.views.reads import ReadWatch
from app.views.registry import RUN, parse
from app.views.timeline.counters import COUNTERS, COUNTERS_IN_VIEW
from components.timeline.counter_table import HEADS
from tests.support.components import every
from tests.support.kineto_trace import trace_data, two_steps
from tests.support.numbers_in_text import first_value, numbers_in
from tests.support.timeline_bars import record_of

US = 1_000
HIDDEN = "counters=hidden"


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    return trace_data(Settings(data=folder / "data").repository(), folder, two_steps())


def draw(data, query):
    return RUN.find_plot(data, "timeline").draw(data, parse(query), "light")


def rows_of(data, query):
    (table,) = COUNTERS_IN_VIEW.tables(data, parse(query))
    assert [label for label, _ in table.labels] == [*HEADS]
    return table.rows


def test_counters_are_drawn_unless_the_address_hides_them(trace):
    shown = draw(trace, "")
    hidden = draw(trace, HIDDEN)
    names = [lane["name"] for lane in record_of(shown.figure)["counters"]]
    assert [row[0] for row in rows_of(trace, "")] == names
    assert len(names) == 2
    assert record_of(hidden.figure)["counters"] == []
    heights = [view.figure.to_plotly_json()["layout"]["height"] for view in (shown, hidden)]
    assert heights[0] > heights[1]
    assert CALLS in shown.line
    assert CALLS not in hidden.line
    lanes = [record_of(view.figure)["rows"]["track"] for view in (shown, hidden)]
    assert lanes[0] == lanes[1]
    assert parse(HIDDEN).query() == HIDDEN


def test_the_table_has_the_values_of_the_window(trace):
    whole = rows_of(trace, "")
    # A launch at 110 µs of each step begins to run at 200 µs; the run ends after 2 ms.
    mean = 2 * 90 / (2_000 - 110)
    assert [first_value(cell) for cell in whole[0][2:]] == pytest.approx(
        [1, 0, mean, 1, 0], rel=0.01
    )
    inside = rows_of(trace, f"window={120 * US}-{190 * US}")
    assert [first_value(cell) for cell in inside[0][2:]] == [1, 1, 1, 1, 1]
    before = rows_of(trace, f"window=0-{100 * US}")
    assert len(set(before[0][2:])) == 1
    assert not numbers_in(before[0][2])


def options_of(data):
    groups = PageViews(RUN, data, ReadWatch(parse("")), "light").groups()
    return {select.id["name"] for select in every(groups, "Select")}


@pytest.mark.slow
def test_the_page_has_the_table_and_the_option_only_with_counters(trace):
    assert COUNTERS_IN_VIEW in RUN.available_views(trace)
    assert COUNTERS.name in options_of(trace)
    quiet = replace(trace, timeline=replace(trace.timeline, find_counters=tuple))
    assert COUNTERS_IN_VIEW not in RUN.available_views(quiet)
    assert options_of(quiet) == options_of(trace) - {COUNTERS.name}
