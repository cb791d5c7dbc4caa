"""The graph of a state as a picture, a node of it, and its text."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from analysis.program.layout import Places, places_of
from analysis.program.picture import AROUND, MOST_SHOWN, WHOLE, Folding, GraphPicture, build_picture
from analysis.program.stable_places import MOST_NODES, neighbours, stable_places
from analysis.program.state import State
from analysis.program.text_form import difference, lines_of
from app.views.controls import find_box
from app.views.option import Option
from app.views.program.lists import MATCH, NEEDS
from app.views.program.place import default_node, graph_of, node_of, place_of
from app.views.program.state import ProgramState, at_context, at_node, fold_toggled
from app.views.program.view import ProgramPlot, ProgramWords
from app.views.view import Link, Panel, Part, Width, custom, whole
from components.graph import empty_figure, nothing
from components.numbers import count_text, integer
from components.program.graph_lines import graph_lines
from components.program.graph_picture import Lit, graph_picture
from components.program.node_card import LinkTypes, Origin, node_card
from services.program.data import CompilerData

NODE, FOLD, CONTEXT = "program-node", "program-fold", "program-context"
EXTENT = Option(
    "extent",
    "what of the graph is drawn",
    {
        "fitting": f"all up to {integer(MOST_SHOWN)} nodes",
        AROUND: "around the change or node",
        WHOLE: "whole graph",
    },
)
CONSTANTS = Option("constants", "constants", {"labels": "constants in labels", "shown": "constants as nodes"})
MOVEMENT = Option("movement", "movement", {"shown": "movement shown", "passed": "movement passed over"})
FORM = Option("form", "text of the graph", {"match": "what the match changed", "graph": "whole graph"})


def graph_panel(data: CompilerData, state: ProgramState, theme: str) -> Panel:
    """Draw the graph on display."""
    graph = graph_of(data, state)
    if graph is None or graph.error or not graph.order:
        why = graph.error if graph is not None and graph.error else "The capture has no graph of this step."
        return Panel(empty_figure(why, theme), why)
    chosen, found = node_of(graph, state), found_nodes(graph, state.find)
    picture = build_picture(graph, _folding(state), EXTENT.of(state), _focus(graph, chosen))
    if not picture.nodes:
        return Panel(nothing(theme), "Everything is folded away.")
    places = _places(data, state, graph, picture)
    lit = Lit(chosen, found)
    drawn = graph_picture(graph, picture, places, lit, theme, view=(state.layers, state.rows))
    return Panel(drawn, _answer(graph, picture, state, found), _left_out(graph, picture))


def _places(data: CompilerData, state: ProgramState, graph: State, picture: GraphPicture) -> Places:
    """Return places for a picture, those that it shares with neighbouring states where the graph is small enough."""
    place = place_of(data, state)
    if place is None or picture.around or len(picture.nodes) > MOST_NODES:
        return places_of(picture.nodes, picture.edges)
    states = (data.program.state(place.context, place.step, match) for match in neighbours(place.match, place.matches))
    drawn = [(other, build_picture(other, _folding(state), WHOLE, ())) for other in states if not other.error]
    return stable_places(drawn, graph, picture)


def _folding(state: ProgramState) -> Folding:
    return Folding(CONSTANTS.of(state) == "labels", MOVEMENT.of(state) == "passed", frozenset(state.folded))


def _focus(graph: State, chosen: int | None) -> Collection[int]:
    """Return what a part of the graph is around: the selected node, else what the match made or rebuilt."""
    if chosen is not None:
        return [chosen]
    made = graph.change.added & graph.change.changed
    return made or graph.change.changed or graph.change.added


def _answer(graph: State, picture: GraphPicture, state: ProgramState, found: Collection[int]) -> str:
    said = f"{count_text(len(picture.nodes), 'node')}, {count_text(len(picture.edges), 'edge')}."
    if state.find:
        said += f" {count_text(len(found), 'node')} found."
    folded = integer(len(graph.order) - picture.total)
    return f"{said} {folded} of {integer(len(graph.order))} are in labels or folded away."


def _left_out(graph: State, picture: GraphPicture) -> str:
    if not picture.around:
        return ""
    left = picture.total - len(picture.nodes)
    return f"{count_text(left, 'node')} farther away {'is' if left == 1 else 'are'} not drawn: choose the whole graph."


def found_nodes(graph: State, words: str) -> frozenset[int]:
    """Return the nodes whose operation, type, argument or tag has all of the words; none without words."""
    wanted = words.lower().split()
    if not wanted:
        return frozenset()
    nodes = graph.nodes

    def text(node: int) -> str:
        parts = nodes.operations[node], nodes.dtypes[node], nodes.argument_text(node), nodes.tag_text(node)
        return f"{' '.join(parts)} %{graph.names[node]}".lower()

    return frozenset(node for node in graph.order if all(word in text(node) for word in wanted))


def node_clicked(state: ProgramState, data: CompilerData, click: Mapping[str, Any]) -> ProgramState:
    """Select a node of the picture."""
    name = whole(next(iter(custom(click)), None))
    graph = graph_of(data, state)
    known = name is not None and graph is not None and name in graph.names.values()
    return at_node(state, name) if known else state


def node_part(data: CompilerData, state: ProgramState) -> Part:
    """Show the selected node."""
    graph, place = graph_of(data, state), place_of(data, state)
    if graph is None or place is None or graph.error:
        return Part(None, "")
    node = node_of(graph, state) if state.node is not None else default_node(graph)
    if node is None:
        gone = f"Node %{state.node} is not in this state of the graph."
        return Part(html.P(gone, className="ts-panel-hint"), "")
    made, removed = data.program.life(place.context, place.step, place.match, node)
    links = LinkTypes(NODE, FOLD, MATCH, CONTEXT)
    card = node_card(graph, node, Origin(made, removed), links, folded=graph.names[node] in state.folded)
    why = "" if state.node is not None else "Click a node of the graph for another one."
    return Part(card, why)


def text_part(data: CompilerData, state: ProgramState) -> Part:
    """Show the graph as text, or what the match changed in it."""
    graph, place = graph_of(data, state), place_of(data, state)
    if graph is None or place is None or graph.error:
        return Part(None, "")
    if FORM.of(state) == "graph" or place.match == 0:
        lines = lines_of(graph)
        return Part(graph_lines(lines, "graph as text", difference=False), f"{count_text(len(lines), 'line')}.")
    before = data.program.state(place.context, place.step, place.match - 1)
    lines = difference(before, graph)
    said = "The match changed nothing that the result is made of." if not lines else _change_words(lines)
    return Part(graph_lines(lines, "what the match changed", difference=True) if lines else html.Div(), said)


def _change_words(lines: list[str]) -> str:
    new, old = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"{count_text(new, 'line')} new, {integer(old)} gone; nodes keep their numbers when they are rebuilt."


def search(_data: CompilerData, state: ProgramState) -> list[Component]:
    """Lay out the field that nodes are found by."""
    return [find_box("find", state.find, "find operation, argument or text", "program-choice")]


GRAPH = ProgramPlot(
    id="graph",
    title="Graph",
    help="Operands left, the result right. Green behind a node: made by the match; pale: rebuilt above it. Nodes keep "
    "their places over 16 states. Drag moves, the magnifier above the plot zooms, a double click shows all. Click a "
    "node for its text.",
    needs=NEEDS,
    group="graph",
    width=Width.FULL,
    choices=(EXTENT, CONSTANTS, MOVEMENT),
    controls=search,
    draw=graph_panel,
    on_click=node_clicked,
    zooms=("layers", "rows"),
)
NODE_VIEW = ProgramWords(
    id="node",
    title="Node",
    help="Text, operands and users of the selected node, and which matches of the step made and removed it.",
    needs=NEEDS,
    group="details",
    width=Width.HALF,
    make=node_part,
    links=(
        Link(NODE, ("node", "rank", "side"), lambda state, _data, named: at_node(state, int(named["node"]))),
        Link(CONTEXT, ("context",), lambda state, _data, named: at_context(state, int(named["context"]))),
        Link(FOLD, ("node",), lambda state, _data, named: fold_toggled(state, int(named["node"]))),
    ),
)
TEXT = ProgramWords(
    id="text",
    title="Graph as text",
    help="A line per node, operands first: number, operation, type, operands, argument.",
    needs=NEEDS,
    group="details",
    width=Width.HALF,
    choices=(FORM,),
    make=text_part,
)
