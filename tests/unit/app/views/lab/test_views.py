"""The views of the lab on samples: nothing fails, answers are said in their own words, the question is an address."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from analysis.allocators.packing import PACKERS
from app.pages.lab.callbacks import fill_fields, solve
from app.pages.lab.form import form
from app.pages.lab.head import HEAD, status_words
from app.pages.lab.snapshot import lab_html
from app.pages.snapshot_file import origin_facts
from app.views.lab.picture import BEFORE, PICTURE, map_panel
from app.views.lab.results import extent_panel, row_picked, shown_row, table_rows
from app.views.lab.slider import capacity_steps, slide_capacity, slider
from app.views.lab.state import LabState
from app.views.lab.words import elsewhere_sentence, result_sentence
from app.views.verdict import verdict
from app.views.view import FAILED
from components.lab.results_grid import row_number
from services.lab.export import placement_json, problem_csv, solution_csv
from services.lab.searches import BusyError
from tests.support.components import words
from tests.support.lab_pages import PROBLEM, SOLVED, answered, drawn, shown
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def placed(laboratory):
    """What the page shows of a solution that best fit placed anew."""
    state = LabState(strategy="best_fit")
    return answered(laboratory, SOLVED, state), state


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    "name", [SOLVED, PROBLEM, "gull-L3-l1_10000-MiniMalloc", "lighthouse_bm1684x_f16"]
)
def test_every_run_is_drawn_before_anything_was_asked_with_the_answers_that_take_no_time(
    laboratory, name
):
    data = shown(laboratory, name, LabState())
    said = drawn(data, LabState())
    assert FAILED not in said.values()
    assert {one.strategy for one in data.placements} == set(PACKERS)
    assert "2 answers" in said["answers"]
    parts = {
        key: value for piece in HEAD for key, value in piece.draw(data, LabState(), "light").items()
    }
    assert "Solve" in words(form(data, LabState(), parts))


@pytest.mark.parametrize(
    "state",
    [
        LabState(attempt=10**9),
        LabState(block=10**9, fixed=((10**9, 0),)),
        LabState(dropped=(10**6,), capacity=0),
        LabState(spilled=(0,), sizes=((0, 2**60),), alignment=1 << 30),
        LabState(fixed=((0, 0), (1, 0)), span=(5, 6), addresses=(3, 4), find="nothing like it"),
    ],
)
def test_questions_that_cannot_be_asked_are_said(laboratory, state):
    data = shown(laboratory, SOLVED, state)
    assert FAILED not in drawn(data, state).values()
    assert status_words(data, state)


@pytest.mark.slow
def test_a_placement_is_drawn_over_the_files_own(placed):
    data, state = placed
    answer = data.placements[0]
    assert data.placement_map(answer).whole("extent") == answer.extent
    figure = map_panel(data, state, "light").figure
    assert any(trace.meta == "before" for trace in figure.data)
    alone = map_panel(data, replace(state, chosen={PICTURE.name: BEFORE}), "light").figure
    assert not any(trace.meta == "before" for trace in alone.data)
    assert tuple(figure.layout.yaxis.range) == tuple(alone.layout.yaxis.range)


def test_the_table_has_the_files_own_every_answer_and_what_was_not_asked(placed):
    data, state = placed
    rows = table_rows(data, state)
    assert rows[0]["extent"] == data.stored_map.whole("extent")
    assert [row["strategy"] for row in rows[1:2]] == ["best_fit"]
    assert "not run yet" in {row["verdict"] for row in rows[2:]}
    assert shown_row(data, state) == row_number(rows[1])
    other = row_picked(state, data, row_number(rows[2]))
    assert other.strategy == rows[2]["strategy"]
    stored = row_picked(state, data, 0)
    assert shown_row(data, stored) == 0
    assert row_picked(state, data, 10**6) == state


def test_a_row_is_the_one_that_was_clicked_when_others_have_come_since(placed):
    data, state = placed
    clicked, last = (table_rows(data, state)[rank] for rank in (-2, -1))
    come = replace(data.placements[0], strategy=last["strategy"], asked_effort=state.effort)
    later = replace(data, placements=(*data.placements, come))
    assert table_rows(later, state)[-2] != clicked
    assert row_picked(state, later, row_number(clicked)).strategy == clicked["strategy"]


@pytest.mark.slow
def test_what_ends_above_the_capacity_is_flagged_everywhere(placed):
    data, state = placed
    (answer,) = (one for one in data.placements if one.strategy == "best_fit")
    tight = replace(
        data, asked=replace(data.asked, capacity=data.problem.static_bytes + answer.extent - 100)
    )
    assert (data.fits(answer), tight.fits(answer)) == (None, False)
    own, row = table_rows(tight, state)[:2]
    assert row["fits"] is False and "above" in row["verdict"] and "fits" not in row["verdict"]
    assert own["fits"] is False and "above" in own["verdict"]
    assert result_sentence(tight, answer).startswith("Does not fit")
    assert json.loads(placement_json(tight, answer))["answer"]["fits"] is False
    figure = map_panel(tight, state, "light").figure
    assert any(shape.name == "above capacity" for shape in figure.layout.shapes)
    wide = replace(
        data, asked=replace(data.asked, capacity=data.problem.static_bytes + answer.extent)
    )
    assert json.loads(placement_json(wide, answer))["answer"]["fits"] is True
    assert not any(
        shape.name == "above capacity"
        for shape in map_panel(wide, state, "light").figure.layout.shapes
    )


@pytest.mark.slow
def test_four_worths_have_four_words(laboratory):
    tight = LabState(strategy="first_fit", capacity=1)
    data = answered(laboratory, SOLVED, tight)
    assert verdict(data.placements[0], fits=None) == "cannot fit"
    below = replace(tight, capacity=int(data.lower_bound))
    missed = answered(laboratory, SOLVED, below)
    assert verdict(missed.placements[0], fits=None).startswith("not found in ")
    found = replace(missed.placements[0], status="feasible", extent=9, bound=8)
    assert verdict(found, fits=None) == "found"
    assert verdict(replace(found, status="optimal"), fits=None) == "proved least"
    assert len(drawn(missed, below)["extent"]) > 0


def test_the_curve_ends_at_the_extent(placed):
    data, state = placed
    trace = extent_panel(data, state, "light").figure.data[0]
    assert trace.y[-1] == data.placements[0].extent


@pytest.mark.slow
def test_what_is_shown_leaves_as_files(placed):
    data, state = placed
    answer = data.placements[0]
    problem, solution = problem_csv(data).splitlines(), solution_csv(data, answer).splitlines()
    assert len(problem) == len(solution)
    assert solution[0].endswith("offset")
    record = json.loads(placement_json(data, answer))
    assert len(record["answer"]["placements"]) == len(data.stored_map.blocks)
    assert record["question"]["run_id"] == data.run.run_id
    with pytest.raises(ValueError, match="solve it first"):
        solution_csv(data, None)
    file = lab_html(data, state)
    assert "best fit" in file
    assert ").." not in file
    assert "views stored" not in file


@pytest.mark.slow
def test_a_file_has_the_order_of_steps_as_the_address_has_it(laboratory):
    state = LabState(order=(0, 1, 3, 2, 4))
    assert "order of steps 0-1,3,2,4" in lab_html(shown(laboratory, "fork", state), state)


@pytest.mark.parametrize("unknown", [None, pd.NA, float("nan"), ""])
def test_facts_of_a_run_are_those_that_are_known(unknown):
    run = pd.Series(
        {"source": "x", "hwid": unknown, "file": "f", "sha256": "", "created_at": "t"},
        dtype="object",
    )
    assert [name for name, _ in origin_facts(run)] == ["source", "file", "created_at"]


@pytest.mark.slow
def test_one_search_at_a_time(laboratory):
    state = LabState(strategy="hill_climb", effort=200_000_000)
    context, names = laboratory
    data = shown(laboratory, PROBLEM, state)
    solve(context, state, data, every=False)
    with pytest.raises(BusyError):
        solve(context, state, data, every=True)
    other = LabState(capacity=70_000)
    beside = shown(laboratory, PROBLEM, other)
    assert (beside.running, beside.elsewhere is not None) == (None, True)
    parts = {
        key: value for piece in HEAD for key, value in piece.draw(beside, other, "light").items()
    }
    assert parts["lab-status"]["children"]
    assert data.run.run_id not in parts["lab-status"]["children"]
    assert (
        parts["lab-cancel"]["hidden"],
        parts["lab-solve"]["disabled"],
        parts["lab-clock"]["disabled"],
    ) == (
        False,
        True,
        False,
    )
    assert "lab-clock" not in HEAD[1].draw(data, state, "light"), (
        "what was drawn before a search ends no clock"
    )
    assert data.run.run_id in elsewhere_sentence(shown(laboratory, SOLVED, other))
    context.lab.searches.cancel("everyone")
    wait_until(lambda: shown(laboratory, PROBLEM, state).running is None)
    assert names


def test_the_slider_has_steps_with_names_and_what_the_page_set_is_no_news(placed):
    data, state = placed
    steps, place = capacity_steps(data), slider(data, state)
    assert steps[-1].capacity is None and place["value"] == place["max"] == len(steps) - 1
    named = {name: step.capacity for step in steps for name in step.names}
    assert named["the bound"] == data.problem.static_bytes + data.lower_bound
    assert named["the file's extent"] == data.problem.static_bytes + data.stored_map.whole("extent")
    others = [step for step in steps if step.names == ("a power of two",)]
    assert others and all(step.capacity & (step.capacity - 1) == 0 for step in others)
    assert steps[0].capacity < named["the bound"], "the first step is where nothing fits"
    assert slide_capacity(state, data, place["value"]) == state
    assert [slide_capacity(state, data, rank).capacity for rank in range(len(steps))] == [
        s.capacity for s in steps
    ]
    between = replace(state, capacity=named["the bound"] + 1)
    assert slide_capacity(between, data, slider(data, between)["value"]) == between
    assert slide_capacity(state, data, "x") == slide_capacity(state, data, "99") == state


def test_a_capacity_is_read_with_its_unit_and_what_is_none_changes_nothing():
    state = LabState(capacity=9)
    for text, capacity in (
        ("100KiB", 102_400),
        (" 1.5 MiB", 1_572_864),
        ("64 kB", 64_000),
        ("", None),
        ("ten", 9),
    ):
        assert fill_fields(state, None, {"capacity": text}).capacity == capacity


@pytest.mark.slow
def test_both_bounds_are_named_if_alignment_or_aliases_make_them_differ(laboratory):
    """The bound of the run's page is the bytes alive at once, that of the search is larger."""
    differing = 0
    for attempt in range(13):
        state = LabState(attempt=attempt)
        data = shown(laboratory, "lighthouse_bm1684x_f16", state)
        named = {name: step.capacity for step in capacity_steps(data) for name in step.names}
        static = data.problem.static_bytes
        alive = data.stored_map.whole("bound")
        if alive == data.lower_bound:
            assert named["the bound"] == static + alive
            continue
        differing += 1
        assert "the bound" not in named
        assert named["the bound with alignment"] == static + data.lower_bound
        assert named["the bytes alive at once"] == static + alive
        assert min(filter(None, named.values())) < static + alive
    assert differing
