"""Sentences, plot and table of a bisection, for every state of its plan."""

import json
from dataclasses import replace

import pytest

from analysis.bisection.plan import Plan
from analysis.bisection.result import Bisection, MeasuredCommit
from analysis.bisection.sides import compare_sides
from analysis.comparison.series import SeriesKey
from components.bisection.plot import bisection_figure, plot_summary
from components.bisection.table import MAX_ROWS, commits_table
from components.bisection.words import bisection_lines, bisection_sentence, next_commands
from schema.metrics import METRICS
from tests.support.bisected_store import COMMITS, CULPRIT
from tests.support.bisections import RATE
from tests.support.numbers_in_text import has_numbers

KEY = SeriesKey(**dict.fromkeys(SeriesKey._fields) | {"source": "aie", "hwid": "npu1", "tags": ""})
MEASURED = [
    MeasuredCommit(0, COMMITS[0], [100.0, 101.0]),
    MeasuredCommit(18, COMMITS[18], [], failed=1),
    MeasuredCommit(19, COMMITS[19], [], is_skipped=True),
    MeasuredCommit(CULPRIT, COMMITS[CULPRIT], [90.0]),
    MeasuredCommit(32, COMMITS[32], [90.5, 89.5]),
]
STATES = ("measure", "proved", "range", "gradual", "level", "better", "undecided", "unmeasurable")


def bisection_of(state="proved", first=CULPRIT, position=None, measured=MEASURED, **given):
    plan = Plan(state, first, CULPRIT, 0.987, 0.99, 0.012, position)
    sides = compare_sides([100.0, 101.0, 100.5], [90.0, 90.5, 89.5], RATE)
    metric = METRICS["gmacs_mean"]
    made = Bisection("0123456789ab", KEY, metric, COMMITS, measured, plan, sides)
    return replace(made, **given)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_state_has_a_sentence_and_a_plot(state, theme):
    bisection = bisection_of(state, 18, 20 if state == "measure" else None)
    sentence = bisection_sentence(bisection)
    assert sentence.endswith(".")
    assert sentence in [*bisection_lines(bisection)]
    assert sentence in plot_summary(bisection)
    figure = bisection_figure(bisection, theme)
    runs = [trace for trace in figure.data if trace.mode == "markers"]
    assert sum(len(trace.x) for trace in runs) == bisection.runs


def test_runs_with_impossible_numbers_say_why_they_give_no_result():
    measured = [*MEASURED, MeasuredCommit(20, COMMITS[20], [], failed=3, impossible=2)]
    lines = [*bisection_lines(bisection_of(measured=measured))]
    (line,) = [line for line in lines if "which no hardware reaches" in line]
    assert line.startswith("2 runs are left out")
    assert "+ 1 failed + 2 impossible" in str(
        commits_table(bisection_of(measured=measured), is_editor=True)
    )
    assert not any("left out" in line for line in bisection_lines(bisection_of()))


def test_a_culprit_has_its_size_and_probability():
    sentence = bisection_sentence(bisection_of())
    assert COMMITS[CULPRIT][:8] in sentence
    assert has_numbers(sentence, "101 GMAC/s", "90.0 GMAC/s", "−10.4 %", "98.7 %")
    assert "above" in bisection_sentence(
        bisection_of(plan=Plan("proved", CULPRIT, CULPRIT, 1.0, 1.0, 0.01))
    )


def test_the_next_commit_has_the_number_of_commits_that_are_left():
    bisection = bisection_of("measure", 18, 20)
    sentence = bisection_sentence(bisection)
    assert COMMITS[20][:8] in sentence
    assert has_numbers(sentence, "4", "32")
    assert all(COMMITS[20] in command for command in next_commands(bisection))
    again = bisection_of("measure", 18, CULPRIT)
    assert "again" in bisection_sentence(again)


def test_a_commit_with_signs_of_a_shell_is_in_no_command():
    hostile = [*COMMITS[:20], "$(reboot)", *COMMITS[21:]]
    bisection = bisection_of("measure", 18, 20, commits=hostile)
    assert next_commands(bisection) == []


def test_only_editors_may_take_back_a_skip():
    for is_editor in (True, False):
        text = json.dumps(
            commits_table(bisection_of(), is_editor=is_editor).to_plotly_json(), default=str
        )
        assert ("bisection-return" in text) == is_editor


def test_the_table_has_the_commits_nearest_to_the_step():
    many = [MeasuredCommit(at, f"c{at}", [100.0 if at < 700 else 90.0]) for at in range(1000)]
    plan = Plan("proved", 700, 700, 0.99, 1.0, 0.01)
    bisection = bisection_of(measured=many, commits=[f"c{at}" for at in range(1000)], plan=plan)
    table = commits_table(bisection, is_editor=False)
    rows = table.children[0].children.children[1].children
    assert len(rows) == MAX_ROWS
    assert "800" in table.children[1].children


def test_without_runs_there_is_no_plot():
    assert not bisection_figure(bisection_of("measure", 1, 0, measured=[]), "light").has_traces
