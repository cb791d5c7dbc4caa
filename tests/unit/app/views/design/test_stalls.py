"""Tables of a capture with a design: stalls by core, and predicted beside measured cycles."""

import pytest

from app.views.design.plan import PLAN, plan_tables
from app.views.design.stalls import core_clicked, pair_clicked, stalls_part, stalls_tables
from app.views.state import RunState
from services.run.design_stalls import stalls_mapping
from services.run.predict import predict_mapping
from tests.support.components import every
from tests.support.numbers_in_text import first_value

FIRST, SECOND = "core 2,0", "core 3,0"


def rows_of(capture, state):
    (table,) = stalls_tables(capture, state)
    names = [label for label, _ in table.labels]
    return {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}


@pytest.mark.slow
def test_the_rows_are_the_joins_of_the_command(capture):
    rows = rows_of(capture, RunState())
    mapping = stalls_mapping(capture.design.frames, capture.design.stored)
    memory = {stall["tile"]: stall for stall in mapping["memory_stalls"]}[FIRST]
    assert first_value(rows[FIRST]["memory stall"]) == memory["cycles"]
    assert rows[FIRST]["bank"] == f"{memory['banks'][0]} of {FIRST}"
    for move in memory["moves"]:
        assert move["buffer"] in rows[FIRST]["move"]
        assert f"{move['address']:#x}" in rows[FIRST]["move"]
    lock = {stall["tile"]: stall for stall in mapping["lock_stalls"]}[SECOND]
    assert first_value(rows[SECOND]["lock stall"]) == lock["cycles"]
    assert lock["waits"][0]["lock"] in rows[SECOND]["lock"]
    assert rows[SECOND]["released by"] == ", ".join(lock["waits"][0]["released_by"])
    assert rows[SECOND]["late"] == f"{lock['culprit']['tile']}, {lock['culprit']['what']}"


def test_short_waits_blame_no_tile(capture):
    late = rows_of(capture, RunState())[FIRST]["late"]
    assert late.startswith("none: ")
    assert 0 < first_value(late) < 5


def test_a_window_counts_its_own_cycles(capture):
    whole = rows_of(capture, RunState())
    part = rows_of(capture, RunState().selecting(window=(0, 5_000)))
    for core, name in ((FIRST, "memory stall"), (SECOND, "lock stall")):
        assert 0 < first_value(part[core][name]) < first_value(whole[core][name])


def test_a_stall_that_was_not_traced_is_unknown(capture, monkeypatch):
    blind = capture.design.stall_cycles
    monkeypatch.setattr(
        type(capture.design),
        "stall_cycles",
        lambda self, core, event, window=None: (
            None if core == SECOND else blind(core, event, window)
        ),
    )
    row = rows_of(capture, RunState())[SECOND]
    assert row["memory stall"] == row["lock stall"] == "not traced"
    assert row["lock"] == "unknown"


def test_a_click_selects_the_core(capture):
    chosen = core_clicked(RunState(), capture, {"tile": SECOND})
    assert chosen.selection.track == SECOND
    assert core_clicked(RunState(), capture, {"tile": "core 9,9"}) == RunState()
    assert stalls_part(capture, chosen).body is not None


def test_the_plan_has_the_terms_of_the_command(capture):
    (table,) = plan_tables(capture, RunState())
    terms = predict_mapping([capture])["runs"][0]["terms"]
    assert [row[0] for row in table.rows] == [term["term"] for term in terms]
    for row, term in zip(table.rows, terms, strict=True):
        assert first_value(row[1]) == term["predicted"]
        assert abs(first_value(row[3]) - term["measured"]) <= 0.5
        assert abs(first_value(row[5]) - 100 * term["residual"]) < 0.06


def test_a_run_without_a_prediction_has_no_such_view(capture, plan):
    assert PLAN.shown_for(capture)
    assert not PLAN.shown_for(plan)


def test_a_pair_of_buffers_selects_the_tile_whose_memory_has_both(capture):
    buttons = every(stalls_part(capture, RunState()).body, "Button")
    pairs = [button for button in buttons if button.id["type"] == "design-pair-link"]
    shown = capture.design.memory(FIRST).stalls
    traced = [pair for pair in shown.pairs if shown.is_traced(pair)]
    own = [button for button in pairs if button.id["core"] == FIRST]
    assert 0 < len(own) <= len(traced)
    assert own[0].id["tile"] == traced[0].memory
    assert traced[0].first in own[0].children
    assert traced[0].second in own[0].children
    # Each button has an id of its own, whatever rows have the same pair.
    assert len({str(button.id) for button in buttons}) == len(buttons)
    state = pair_clicked(RunState(), capture, own[0].id)
    assert state.selection.track == traced[0].memory
    assert pair_clicked(state, capture, own[0].id).selection.track is None
    assert pair_clicked(RunState(), capture, {"tile": "core 9,9"}) == RunState()
