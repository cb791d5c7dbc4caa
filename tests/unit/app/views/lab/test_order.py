from dataclasses import replace

import pytest

from app.views.lab.order import STORED_ORDER, move_step, order_part, order_rows, step_picked
from app.views.lab.picture import apply_action
from app.views.lab.state import LabState
from app.views.view import FAILED
from tests.support.components import every
from tests.support.lab_pages import answered, drawn, shown
from tests.support.numbers_in_text import has_numbers


class TestOrder:
    @pytest.fixture
    def fork(self, laboratory):
        return shown(laboratory, "fork", LabState())

    def test_steps_are_listed_where_they_run_with_where_they_may(self, fork):
        rows = order_rows(fork)
        assert [row["step"] for row in rows] == [0, 1, 2, 3, 4]
        assert [row["may"] for row in rows] == ["0", "1–2", "1–3", "2–3", "4"]
        assert [row["alive"] for row in rows] == [16, 108, 148, 144, 48]

    @pytest.mark.slow
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

    @pytest.mark.slow
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

    @pytest.mark.quick_every(3)
    @pytest.mark.parametrize(
        "name", ["lighthouse_bm1684x_f16", "gull-L3-l1_10000-MiniMalloc", "jit_two_layers"]
    )
    def test_nothing_is_listed_where_no_step_may_move(self, laboratory, name):
        assert drawn(shown(laboratory, name, LabState()), LabState())["order"].strip() == ""

    @pytest.mark.parametrize("name", ["lighthouse_bm1684x_f16", "jit_two_layers"])
    def test_steps_keep_their_order_where_not_all_that_orders_them_is_known(self, laboratory, name):
        assert "cannot be reordered" in shown(laboratory, name, LabState(order=(1, 0))).refusal
