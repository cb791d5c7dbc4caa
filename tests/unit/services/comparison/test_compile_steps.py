"""Compile times of two runs: the numbers of each run's own page, their changes, and the order."""

from dataclasses import replace

import pandas as pd
import pytest

from analysis.comparison.compile_steps import compare_compile_times
from analysis.program.compile_time import compile_time, ranges_by_name
from app.views.comparison.compile_time import COMPILE_TIME, compile_frame, compile_part
from app.views.comparison.registry import VIEWS
from app.views.comparison.state import CompareState
from components.comparison.compile_table import MAX_ROWS, compile_change_sentence, compile_tables
from schema.frames import empty
from services.run.compile_time import find_compile_time
from tests.support.components import every, words
from tests.support.numbers_in_text import numbers_in

COMPARED = "sample training"


def times_of(durations):
    """Build the compile time of steps, name -> ns, a context each."""
    frames = {
        name: empty(name)
        for name in ("rewrite_steps", "rewrite_matches", "contexts", "tracks", "events")
    }
    own = pd.Series(durations, dtype="int64")
    steps = pd.DataFrame({"name": [*durations], "duration": [*durations.values()]})
    return replace(compile_time(frames), elapsed=int(own.sum()), own=own, steps=steps)


@pytest.mark.slow
def test_the_numbers_are_those_of_the_page_of_each_run(pairs):
    changes, runs = pairs.data(COMPARED).compile_changes
    assert runs == tuple(side[0] for side in pairs.runs(COMPARED))
    for side, run_id in zip(("base", "new"), runs, strict=True):
        times = find_compile_time(pairs.repository, run_id)
        own = {change.name: getattr(change, side) for change in changes.steps}
        assert {name: time for name, time in own.items() if time is not None} == dict(times.own)
        totals = times.steps.set_index("name")["duration"].to_dict()
        total = {change.name: getattr(change, f"{side}_total") for change in changes.steps}
        assert {name: time for name, time in total.items() if time is not None} == totals
        ranges = ranges_by_name(times.ranges).set_index("name")["own"].to_dict()
        range_times = {change.name: getattr(change, side) for change in changes.ranges}
        assert {name: time for name, time in range_times.items() if time is not None} == ranges
        assert changes.elapsed[side == "new"] == times.elapsed == sum(times.own)


@pytest.mark.slow
def test_changes_sum_to_that_of_the_compile_and_the_largest_is_first(pairs):
    changes, _ = pairs.data(COMPARED).compile_changes
    sizes = [abs(change.change) for change in changes.steps]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0
    base, new = changes.elapsed
    assert sum(change.change for change in changes.steps) == new - base


def test_a_step_of_one_run_counts_as_0_in_the_other():
    changes = compare_compile_times(times_of({"a": 10, "gone": 3}), times_of({"a": 11, "b": 5}))
    rows = [(change.name, change.base, change.new, change.change) for change in changes.steps]
    assert rows == [("b", None, 5, 5), ("gone", 3, None, -3), ("a", 10, 11, 1)]


@pytest.mark.slow
def test_the_sentence_has_both_times_and_the_step_that_changed_most():
    changes = compare_compile_times(
        times_of({"a": 1000, "b": 1000}), times_of({"a": 990, "b": 4000})
    )
    sentence = compile_change_sentence(changes)
    assert numbers_in(sentence)[:2] == ["2.00 µs", "4.99 µs"]
    assert "b itself" in sentence
    same = compile_change_sentence(compare_compile_times(*[times_of({"a": 1000})] * 2))
    assert numbers_in(same)[:2] == ["1.00 µs", "1.00 µs"]
    unknown = compile_change_sentence(compare_compile_times(*[times_of({"a": 0})] * 2))
    assert numbers_in(unknown) == []


def test_a_table_has_a_limited_number_of_rows_and_counts_the_others():
    names = {f"step {rank}": rank for rank in range(MAX_ROWS + 7)}
    tables = compile_tables(compare_compile_times(times_of({}), times_of(names)))
    (body,) = every(tables, "Tbody")
    assert len(body.children) == MAX_ROWS
    assert "7 more steps" in words(tables)


def test_the_page_and_the_export_have_the_changes(pairs):
    data = pairs.data(COMPARED)
    changes, runs = data.compile_changes
    part = compile_part(data, CompareState())
    links = [link.href for link in every(part.body, "Link")]
    assert links == [f"/run/{run}/program#compile-steps" for run in runs]
    frame = compile_frame(data)
    assert len(frame) == len(changes.steps) + len(changes.ranges)
    assert (frame["new"].fillna(0) - frame["base"].fillna(0)).tolist() == frame["change"].tolist()


@pytest.mark.parametrize("pair", ["aie slow", "torch slow", "compile larger"])
def test_runs_without_rewrites_have_no_compile_times(pairs, pair):
    data = pairs.data(pair)
    assert COMPILE_TIME in VIEWS
    assert data.compile_changes is None
    assert not data.can(*COMPILE_TIME.needs)
