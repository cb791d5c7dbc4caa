"""Views of why devices wait: idle time by reason, gaps that a click shows in the timeline."""

import pytest

from app.views.kernels.idle import GAPS, IDLE, gap_clicked, idle_tables
from app.views.state import RunState
from components.kernels.idle_bars import shown_reasons
from tests.support.figures import plain
from tests.support.kineto_trace import call, kernel, operator, trace_data

BLANK = RunState()


def test_bars_are_the_reasons_of_the_counted_steps_longest_first(data):
    bars = plain(IDLE.draw(data, BLANK, "light").figure)["data"][0]
    times = data.profile.idle_times
    expected = sorted((time for time in times["counted"] if time), reverse=True)
    assert bars["x"] == expected
    assert sum(bars["x"]) == data.profile.breakdown.busiest.main_split.idle


@pytest.mark.slow
def test_without_steps_the_reasons_are_those_of_the_window(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, [kernel("a", 0, 10), kernel("b", 30, 10)])
    rows = shown_reasons(data.profile.idle_times)
    assert rows[["reason", "time"]].values.tolist() == [["unknown", 20_000]]
    assert "launch of some executions is unknown" in IDLE.draw(data, BLANK, "light").caption


def test_a_click_shows_the_gap_and_the_execution_that_ends_it(data):
    gap = data.profile.idle_gaps.iloc[0]
    chosen = gap_clicked(BLANK, data, 0)
    begin, end = chosen.selection.window
    assert begin < gap["start"]
    assert gap["end"] < end
    ending = data.profile.kernels.iloc[chosen.selection.kernel]
    assert (ending["start"], ending["name"]) == (gap["end"], "gemm")
    (options,) = GAPS.grid.marks(data, chosen)
    assert options["rowClassRules"]["ts-row-shown"] == "params.node.id == '0'"
    assert gap_clicked(chosen, data, 0) == BLANK
    assert gap_clicked(BLANK, data, 5) == BLANK


@pytest.mark.slow
def test_gaps_of_all_devices_are_listed_longest_first(settings, tmp_path):
    entries = [
        operator("aten::mm", 0, 500),
        *(call(10 * rank, rank + 1) for rank in range(4)),
        kernel("a", 100, 10, 1),
        kernel("b", 130, 10, 2),
        kernel("c", 100, 10, 3, device=1),
        kernel("d", 170, 10, 4, device=1),
    ]
    data = trace_data(settings.repository(), tmp_path, entries)
    rows = GAPS.make(data, BLANK).body.children.rowData
    assert [(row["duration"], row["device"], row["next"]) for row in rows] == [
        (60_000, "GPU 1", "d"),
        (20_000, "GPU 0", "b"),
    ]
    reasons, gaps = idle_tables(data, BLANK)
    assert len(reasons.rows) == 2
    assert len(gaps.rows) == len(rows)
