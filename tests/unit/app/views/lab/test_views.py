"""The views of the lab on samples: nothing fails, answers are said in their own words, the question is an address."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.allocators.packing import PACKERS
from app.pages.lab.binding import open_lab
from app.pages.lab.callbacks import fill_fields, solve
from app.pages.lab.form import form
from app.pages.lab.head import HEAD, status_words
from app.pages.lab.snapshot import lab_html
from app.pages.snapshot_file import origin_facts
from app.views.lab.order import STORED_ORDER, move_step, order_part, order_rows, step_picked
from app.views.lab.picture import BEFORE, PICTURE, apply_action, map_panel
from app.views.lab.registry import LAB
from app.views.lab.results import extent_panel, results_tables, row_picked, shown_row, table_rows
from app.views.lab.slider import capacity_steps, slide_capacity, slider
from app.views.lab.state import LabState
from app.views.lab.words import conflicts_sentence, elsewhere_sentence, result_sentence
from app.views.verdict import verdict
from app.views.view import FAILED, Plot
from components.lab.results_grid import row_number
from services.lab.export import placement_json, problem_csv, solution_csv
from services.lab.searches import BusyError
from tests.support.components import every, words
from tests.support.numbers_in_text import has_numbers, numbers_in
from tests.support.waiting import wait_until

SOLVED = "harbour.81920.solved"
PROBLEM = "harbour.81920"
LONG = 60.0


def shown(laboratory, name, state):
    context, names = laboratory
    return open_lab(context, names[name], state)


def answered(laboratory, name, state):
    """Return what the page shows once a strategy has answered."""
    context, _ = laboratory
    solve(context, state, shown(laboratory, name, state), every=False)
    data = wait_until(lambda: (data := shown(laboratory, name, state)).running is None and data)
    assert not data.failure
    return data


def curves(data, state):
    """Return the figure of extents over time."""
    return extent_panel(data, state, "light").figure


def drawn(data, state):
    """Return what every view shows, in words."""
    said = {}
    for view in LAB.available_views(data):
        if isinstance(view, Plot):
            panel = view.draw(data, state, "dark")
            panel.figure.plotly.to_plotly_json()
            said[view.id] = panel.caption
        else:
            made = view.make(data, state)
            said[view.id] = f"{made.caption} {words(made.body) if made.body is not None else ''}"
    return said


@pytest.fixture(scope="module")
def placed(laboratory):
    """What the page shows of a solution that best fit placed anew."""
    state = LabState(strategy="best_fit")
    return answered(laboratory, SOLVED, state), state


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
    assert "not asked yet" in {row["verdict"] for row in rows[2:]}
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


class TestBanks:
    STATE = LabState(strategy="bank_aware", effort=5_000)
    COMPILE = "lighthouse_bm1684x_f16"

    def test_conflicts_before_and_after_are_in_table_sentence_file_and_snapshot(self, laboratory):
        data = answered(laboratory, self.COMPILE, self.STATE)
        stored, found, *others = table_rows(data, self.STATE)
        assert (found["strategy"], found["conflicts"]) == ("bank_aware", 0)
        assert stored["conflicts"] == data.conflicts_stored > 0
        assert all("conflicts" not in row for row in others if row.get("extent") is None)
        assert numbers_in(conflicts_sentence(data, data.placements[0])) == ["1"]
        assert conflicts_sentence(data, data.placements[0]) in status_words(data, self.STATE)
        (table,) = results_tables(data, self.STATE)
        assert "bank conflicts" in {label for _, label in table.labels}
        record = json.loads(placement_json(data, data.placements[0]))["answer"]
        assert (
            record["bank_conflicts"],
            record["bank_conflicts_stored"],
            record["bank_conflicts_bound"],
        ) == (0, 1, 0)
        assert "bank conflicts" in lab_html(data, self.STATE)

    def test_conflicts_that_are_left_are_said_with_what_is_known_of_them(self, laboratory):
        data = answered(laboratory, self.COMPILE, replace(self.STATE, strategy="first_fit"))
        asked = ("first_fit", self.STATE.effort)
        (answer,) = (one for one in data.placements if (one.strategy, one.asked_effort) == asked)
        found = str(data.conflicts(answer))
        assert has_numbers(conflicts_sentence(data, answer), found, "1")
        alone = replace(data, placements=(answer,))
        assert has_numbers(conflicts_sentence(alone, answer), found, "1")
        assert conflicts_sentence(alone, answer) != conflicts_sentence(data, answer)
        low = replace(answer, address=np.zeros_like(answer.address), extent=10**9)
        assert "256 KiB" in numbers_in(conflicts_sentence(data, low))
        allowed = replace(
            data.stored_map, attempt={**data.stored_map.attempt, "allow_bank_conflict": 1}
        )
        vars(data).update(conflicts_bound=2)
        said = conflicts_sentence(data, answer)
        assert has_numbers(said, found, "1", "2")
        vars(data).update(stored_map=allowed)
        assert conflicts_sentence(data, answer).startswith(said)
        assert conflicts_sentence(data, answer) != said

    def test_an_attempt_that_failed_is_no_placement_to_compare_with(self, laboratory):
        state = LabState(attempt=3, strategy="first_fit")
        data = answered(laboratory, self.COMPILE, state)
        stored = table_rows(data, state)[0]
        assert (stored["verdict"], stored["gap"]) == ("10 failed", None)
        assert data.conflicts(data.placements[0]) == 0
        assert numbers_in(conflicts_sentence(data, data.placements[0]))[0] == "1"
        assert not any(
            line.type == "line" and line.line.dash == "dot"
            for line in curves(data, state).layout.shapes
        )
        assert "10" in numbers_in(map_panel(data, state, "light").caption)

    def test_it_is_offered_where_banks_are_known_alone(self, laboratory):
        for name, offered in ((self.COMPILE, True), (PROBLEM, False)):
            data = shown(laboratory, name, LabState())
            parts = {
                key: value
                for piece in HEAD
                for key, value in piece.draw(data, LabState(), "light").items()
            }
            assert ("bank_aware" in data.strategies) == offered
            assert ("bank_aware" in str(form(data, LabState(), parts))) == offered
            assert (
                "bank_aware" in {row["strategy"] for row in table_rows(data, LabState())}
            ) == offered
        assert data.task("bank_aware", 0, 100).problem is data.problem
        assert "conflicts" not in {name for name, _ in results_tables(data, self.STATE)[0].labels}


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


class TestOrder:
    @pytest.fixture
    def fork(self, laboratory):
        return shown(laboratory, "fork", LabState())

    def test_steps_are_listed_where_they_run_with_where_they_may(self, fork):
        rows = order_rows(fork)
        assert [row["step"] for row in rows] == [0, 1, 2, 3, 4]
        assert [row["may"] for row in rows] == ["0", "1–2", "1–3", "2–3", "4"]
        assert [row["alive"] for row in rows] == [16, 108, 148, 144, 48]

    def test_a_step_moves_within_what_it_needs_and_the_question_with_it(self, laboratory, fork):
        state = step_picked(LabState(), fork, 2)
        assert state.step == 2 and step_picked(state, fork, 2) == LabState()
        after = move_step(state, fork, {"to": "later"})
        assert after.query() == "order=0-1,3,2,4&step=2"
        posed = shown(laboratory, "fork", after)
        assert (
            FAILED not in drawn(posed, after).values()
            and "another position" in drawn(posed, after)["order"]
        )
        assert posed.changed_map.steps["name"].tolist() == [
            "split",
            "left",
            "shrink",
            "right",
            "join",
        ]
        assert move_step(after, posed, {"to": "later"}) == after
        assert move_step(after, posed, {"to": "first"}).order == (0, 2, 1, 3, 4)
        for named in ({"to": "stored"}, {"to": "earlier"}):
            assert move_step(after, posed, named) == state
        assert apply_action(after, posed, {"do": "reset", "block": 0, "value": 0}) == state

    def test_the_order_with_fewest_bytes_at_once_has_the_shrinking_branch_first(
        self, laboratory, fork
    ):
        state = move_step(LabState(), fork, {"to": "least"})
        assert state.order == (0, 1, 3, 2, 4)
        data = answered(laboratory, "fork", replace(state, strategy="first_fit"))
        assert data.alive().max() == data.placements[0].bound == 112
        assert data.placement_map(data.placements[0]) is not None

    def test_an_order_against_the_dependencies_is_refused_in_words(self, laboratory):
        state = LabState(order=(1, 0, 2, 3, 4))
        data = shown(laboratory, "fork", state)
        assert has_numbers(data.refusal, "1", "0")
        assert FAILED not in drawn(data, state).values()

    @pytest.mark.parametrize(
        "state",
        [
            LabState(order=(1, 0)),
            LabState(order=(1, 0, 2, 3, 4, 5)),
            LabState(order=(0, 1, 3, 2, 4), dropped=(10**6,)),
        ],
    )
    def test_of_a_refused_question_only_the_order_of_the_file_can_be_had(self, laboratory, state):
        state = replace(state, step=2)
        data = shown(laboratory, "fork", state)
        part = order_part(data, state)
        assert part.caption == data.refusal != ""
        assert [one.id["to"] for one in every(part.body, "Button")] == [STORED_ORDER]
        assert [row["position"] for row in order_rows(data)] == [0, 1, 2, 3, 4]
        assert all(
            move_step(state, data, {"to": to}) == state
            for to in ("least", "earlier", "later", "first", "last")
        )
        assert move_step(state, data, {"to": STORED_ORDER}).order == ()

    @pytest.mark.parametrize(
        "name", ["lighthouse_bm1684x_f16", "gull-L3-l1_10000-MiniMalloc", "jit_two_layers"]
    )
    def test_nothing_is_listed_where_no_step_may_move(self, laboratory, name):
        assert drawn(shown(laboratory, name, LabState()), LabState())["order"].strip() == ""

    @pytest.mark.parametrize("name", ["lighthouse_bm1684x_f16", "jit_two_layers"])
    def test_steps_keep_their_order_where_not_all_that_orders_them_is_known(self, laboratory, name):
        assert "cannot be reordered" in shown(laboratory, name, LabState(order=(1, 0))).refusal


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
