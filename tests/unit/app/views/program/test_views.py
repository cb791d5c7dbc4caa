"""The views of programs on real captures of three generations: nothing fails, places are kept within what there is."""

import json
import re
from dataclasses import replace

import pytest

from app.pages.program.snapshot import program_html
from app.views.drawing import view_pieces, words_piece
from app.views.drawn_pieces import changes
from app.views.page_callbacks import with_fields
from app.views.program.graph import (
    CONSTANTS,
    EXTENT,
    FORM,
    MOVEMENT,
    columns_address,
    found_nodes,
    state_json,
)
from app.views.program.lists import (
    MATCHED,
    SLIDER,
    context_listed,
    match_clicked,
    move_match,
    step_listed,
)
from app.views.program.place import shown_graph, shown_place
from app.views.program.registry import PROGRAM, parse
from app.views.program.state import ProgramState, at_match, at_node, clear_part, fold_toggled
from app.views.shown import Shown
from app.views.view import FAILED, Plot
from services.program.data import CompilerData, ProgramData
from tests.support.components import words

GRAPHS = (
    *("contexts", "rewrite_steps", "rewrite_matches", "graph_nodes", "graph_edges"),
    *("programs", "machine_code", "disassembly", "basic_blocks", "block_edges"),
)


def busiest(data):
    """Return the state of the step with the most matches, after the middle one."""
    steps = data.program.frame("rewrite_steps")
    row = steps.loc[steps["matches"].idxmax()]
    return ProgramState(
        context=int(row["context"]), step=int(row["step"]), match=int(row["matches"]) // 2
    )


def drawn_by(view, data, state):
    """Return what a view shows: a panel or a part."""
    return view.draw(data, state, "dark") if isinstance(view, Plot) else view.make(data, state)


def drawn(data, state):
    """Return what every view shows of a state, in words."""
    said = {}
    for view in PROGRAM.available_views(data):
        made = drawn_by(view, data, state)
        if isinstance(view, Plot):
            made.figure.plotly.to_plotly_json()
            said[view.id] = made.caption
        else:
            said[view.id] = f"{made.caption} {words(made.body) if made.body is not None else ''}"
    return said


@pytest.mark.quick_every(3)
def test_names_of_a_capture_are_tamed_and_shortened_in_every_answer(program):
    name = f"<img src=x>\u202e{'A' * 5_000}"
    frames = {frame: program.program.frame(frame) for frame in GRAPHS}
    frames["contexts"] = frames["contexts"].assign(name=name)
    frames["rewrite_steps"] = frames["rewrite_steps"].assign(name=name)
    frames["machine_code"] = frames["machine_code"].assign(architecture=name)
    data = CompilerData(program.run, ProgramData(frames))
    for view in PROGRAM.available_views(data):
        answer = drawn_by(view, data, busiest(program)).caption
        assert "\u202e" not in answer
        assert len(answer) < 500, view.id


@pytest.mark.quick_every(3)
def test_every_view_is_drawn_at_the_beginning_and_amid_a_step(program):
    for state in (ProgramState(), busiest(program)):
        said = drawn(program, state)
        assert FAILED not in said.values()
        assert set(said) >= {"contexts", "steps", "match", "graph", "node", "text"}


@pytest.mark.quick_every(5)
@pytest.mark.parametrize(
    "choice", [EXTENT, CONSTANTS, MOVEMENT, FORM], ids=lambda choice: choice.name
)
def test_every_choice_is_drawn(program, choice):
    state = busiest(program)
    for value in [*choice.options][1:]:
        assert FAILED not in drawn(program, replace(state, chosen={choice.name: value})).values()


@pytest.mark.quick_every(3)
def test_constants_are_nodes_where_they_are_asked_for(program):
    state = busiest(program)
    shown = replace(state, chosen={CONSTANTS.name: "shown"})
    assert drawn(program, shown)["graph"] != drawn(program, state)["graph"]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "state",
    [
        ProgramState(context=10**9),
        ProgramState(context=0, step=10**9),
        ProgramState(match=10**9),
        ProgramState(node=10**9),
        ProgramState(program=10**9),
        ProgramState(folded=(1, 2, 10**9), find="nothing like it"),
    ],
)
def test_places_that_are_not_there_are_said(program, state):
    assert FAILED not in drawn(program, state).values()


def test_a_match_beyond_the_last_is_the_last(program):
    place = shown_place(program, replace(busiest(program), match=10**9))
    assert place.match == place.matches


def test_lists_lead_to_context_step_and_match(program):
    state = context_listed(ProgramState(), program, 1)
    assert state.context == 1
    assert step_listed(state, program, 0) == ProgramState(context=1, step=0)
    assert context_listed(state, program, 10**6) == state
    assert step_listed(state, program, 10**6) == state
    assert match_clicked(state, program, {"points": [{"customdata": [3]}]}).match == 3
    assert match_clicked(state, program, {"points": [{"customdata": ["x"]}]}) == state


@pytest.mark.quick_every(3)
def test_a_selected_node_is_told_and_its_card_is_made(program):
    state = busiest(program)
    graph = shown_graph(program, state)
    chosen = at_node(state, graph.names[graph.root])
    assert json.loads(state_json(chosen, graph))["node"] == chosen.node
    assert at_node(chosen, chosen.node).node is None
    assert graph.nodes.operations[graph.root] in drawn(program, chosen)["node"]


def test_what_is_folded_is_told(program):
    state = busiest(program)
    graph = shown_graph(program, state)
    root = graph.names[graph.root]
    folded = fold_toggled(state, root)
    assert json.loads(state_json(folded, graph))["folded"] == [root]
    assert fold_toggled(folded, root) == state
    full = replace(state, folded=tuple(range(1000, 1050)))
    assert fold_toggled(full, 1) == full


def test_the_picture_is_read_from_an_address_of_its_state(program):
    state = busiest(program)
    place = shown_place(program, state)
    address = columns_address(program, state)
    assert f"context={place.context}&step={place.step}&match={place.match}" in address
    assert columns_address(program, replace(state, find="mul", folded=(3,))) == address
    around = replace(state, node=3, chosen={"extent": "around"})
    assert "around=3" in columns_address(program, around)


def test_nodes_are_found_by_operation_type_and_argument(program):
    graph = shown_graph(program, busiest(program))
    operation = graph.nodes.operations[graph.root]
    assert graph.root in found_nodes(graph, operation.lower())
    assert not found_nodes(graph, "no such word")
    assert not found_nodes(graph, "  ")


def test_keys_go_on_and_back_within_the_step(program):
    state = busiest(program)
    after = PROGRAM.press_key(state, program, ".")
    assert after.match == state.match + 1
    assert PROGRAM.press_key(after, program, ",") == state
    assert PROGRAM.press_key(at_match(state, 0), program, ",").match == 0


@pytest.mark.quick_every(3)
def test_buttons_lead_to_the_ends_of_the_step_and_the_slider_follows(program):
    state = busiest(program)
    matches = shown_place(program, state).matches
    places = ("first", "previous", "next", "last", "nowhere")
    reached = [move_match(state, program, place).match for place in places]
    assert reached == [0, state.match - 1, state.match + 1, matches, state.match]
    pieces = list(view_pieces(PROGRAM, program))
    _, shown = changes(iter(pieces), program, state, Shown("content", "light"))
    changed, _ = changes(iter(pieces), program, at_match(state, matches), shown)
    assert "program-match-body" not in changed  # what is drawn anew loses the pointer that drags it
    assert changed[SLIDER] == {"value": matches}
    assert changed["program-match-said"]["children"].startswith("after match")
    assert changed[json.dumps({"type": "program-move", "place": "last"})] == {"disabled": True}


def test_what_cannot_move_costs_no_other_view(program):
    failing = words_piece(PROGRAM, replace(MATCHED, moved=lambda _data, _state: {"nothing": 1 / 0}))
    state = busiest(program)
    _, shown = changes(iter([failing]), program, state, Shown("content", "light"))
    changed, _ = changes(iter([failing]), program, at_match(state, 0), shown)
    assert changed == {"program-match-answer": {"children": [FAILED]}}


def test_half_a_pair_of_surrogates_is_looked_for_without_harm():
    assert with_fields(PROGRAM, ProgramState(context=1), {"find": "mul \ud83d"}) == ProgramState(
        1, find="mul ?"
    )


def test_a_selection_is_cleared():
    assert clear_part(ProgramState(node=3, find="mul", folded=(2,))) == ProgramState()


def test_a_query_holds_the_state_and_passes_over_what_is_none():
    state = ProgramState(3, 4, 5, 6, 7, 8, "mul float", (1, 9), (2,), chosen={"movement": "passed"})
    assert parse(state.query()) == state
    assert parse("context=-1&step=x&match=1e9&node=&folded=a,2&movement=no") == ProgramState(
        folded=(2,)
    )


@pytest.mark.quick_every(3)
def test_a_snapshot_has_the_graph_and_where_it_stands(program):
    state = busiest(program)
    text = program_html(program, state)
    columns = json.loads(re.search(r'id="graph-data-graph">(.*?)</script>', text, re.DOTALL)[1])
    assert columns["change"].count(3) == len(columns["names"]) - len(
        shown_graph(program, state).shown_nodes
    )
    assert "GraphView" in text
    assert f"match {state.match} of" in text
