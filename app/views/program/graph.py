"""Views of the graph of a state: a picture, the selected node, and the graph as text."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

from dash import html

from analysis.program.picture import Folding
from analysis.program.state import State
from analysis.program.text_form import difference, lines_of
from app.views.option import Option
from app.views.program.lists import MATCH, NEEDS
from app.views.program.place import default_node, selected_node, shown_graph, shown_place
from app.views.program.state import ProgramState, at_context, at_node, fold_toggled
from app.views.program.view import ProgramWords
from app.views.view import Link, Part, Width
from components.numbers import count_text, integer
from components.program.graph_lines import graph_lines
from components.program.graph_stage import graph_stage
from components.program.node_card import LinkTypes, Origin, node_card
from services.program.columns import Wanted
from services.program.data import CompilerData

NODE, FOLD, CONTEXT = "program-node", "program-fold", "program-context"
STAGE = "program-graph-stage"
AROUND = "around"
EXTENT = Option(
    "extent",
    "drawn part of the graph",
    {"whole": "whole graph", AROUND: "around the change or node"},
)
CONSTANTS = Option(
    "constants", "constants", {"labels": "constants in labels", "shown": "constants as nodes"}
)
MOVEMENT = Option("movement", "movement", {"shown": "movement shown", "passed": "movement skipped"})
FORM = Option(
    "form", "text of the graph", {"match": "changes of the match", "graph": "whole graph"}
)


def graph_part(data: CompilerData, state: ProgramState) -> Part:
    """Lay out the canvas for the displayed graph; the browser requests its data.

    A sentence if there is no graph, or it is invalid or empty.
    """
    graph = shown_graph(data, state)
    if graph is None or graph.error or not graph.order:
        why = (
            graph.error
            if graph is not None and graph.error
            else "The capture has no graph of this step."
        )
        return Part(html.P(why, className="ts-panel-hint"), "")
    label = "graph of the compiler: arrow keys move to operands and users, plus and minus zoom, slash searches"
    return Part(
        graph_stage(STAGE, label, **_picture_source(data, state, graph)), _caption(graph, state)
    )


def _caption(graph: State, state: ProgramState) -> str:
    hidden = len(graph.hidden_nodes) if CONSTANTS.of(state) == "labels" else 0
    labels = f", {integer(hidden)} of them in labels" if hidden else ""
    caption = f"{count_text(len(graph.order), 'node')}{labels}."
    return (
        f"{caption} {count_text(len(found_nodes(graph, state.find)), 'node')} found."
        if state.find
        else caption
    )


def graph_key(data: CompilerData, state: ProgramState) -> str:
    """Return a text that changes when the picture appears or disappears: "graph", or "none" without
    a picture.
    """
    graph = shown_graph(data, state)
    return "none" if graph is None or graph.error or not graph.order else "graph"


def graph_moved(data: CompilerData, state: ProgramState) -> dict[str, dict[str, Any]]:
    """Return the properties that change while the picture stays: data source, selection, matches,
    folding; empty without a picture.
    """
    graph = shown_graph(data, state)
    if graph is None or graph.error or not graph.order:
        return {}
    return {
        STAGE: {f"data-{name}": text for name, text in _picture_source(data, state, graph).items()}
    }


def _picture_source(data: CompilerData, state: ProgramState, graph: State) -> dict[str, str]:
    return {"source": columns_address(data, state), "state": state_json(state, graph)}


def state_json(state: ProgramState, graph: State) -> str:
    """Return the JSON with the selected, searched, found, folded and opened nodes, for the picture:
    `node`, `find`, `found`, `folded`, `opened`.
    """
    matches = sorted(graph.names[node] for node in found_nodes(graph, state.find))
    fields = {
        "node": state.node,
        "find": state.find,
        "found": matches,
        "folded": state.folded,
        "opened": state.opened,
    }
    return json.dumps(fields, separators=(",", ":"))


def wanted_part(state: ProgramState) -> Wanted:
    """Return the part of the displayed graph that is drawn, from the options: folding, and whether
    only the surroundings of a node.
    """
    folding = Folding(CONSTANTS.of(state) == "labels", MOVEMENT.of(state) == "passed")
    around = EXTENT.of(state) == AROUND
    return Wanted(folding, around, state.node if around else None)


def columns_address(data: CompilerData, state: ProgramState) -> str:
    """Return the address from which the browser requests the data of the displayed graph; "" if no
    graph is displayed.
    """
    place = shown_place(data, state)
    if place is None:
        return ""
    wanted = wanted_part(state)
    query: dict[str, object] = {"context": place.context, "step": place.step, "match": place.match}
    query |= {"constants": "shown"} if not wanted.folding.constants else {}
    query |= {"movement": "passed"} if wanted.folding.movement else {}
    if wanted.around:
        query["around"] = "" if wanted.node is None else wanted.node
    return f"/graph/{quote(data.run.run_id)}/columns?{urlencode(query)}"


def found_nodes(graph: State, words: str) -> frozenset[int]:
    """Return the nodes that contain all words in operation, type, argument, tag or name; lower and
    upper case are equal.

    The result is empty if there are no words.
    """
    wanted = words.lower().split()
    if not wanted:
        return frozenset()
    nodes = graph.nodes

    def text(node: int) -> str:
        parts = (
            nodes.operations[node],
            nodes.dtypes[node],
            nodes.argument_text(node),
            nodes.tag_text(node),
        )
        return f"{' '.join(parts)} %{graph.names[node]}".lower()

    return frozenset(node for node in graph.order if all(word in text(node) for word in wanted))


def node_part(data: CompilerData, state: ProgramState) -> Part:
    """Lay out the selected node of the displayed graph, or a default node if no node is selected; a
    sentence if the graph does not have it.

    Empty if no graph is displayed.
    """
    graph = shown_graph(data, state)
    place = shown_place(data, state)
    if graph is None or place is None or graph.error:
        return Part(None, "")
    node = selected_node(graph, state) if state.node is not None else default_node(graph)
    if node is None:
        gone = f"Node %{state.node} is not in this state of the graph."
        return Part(html.P(gone, className="ts-panel-hint"), "")
    added, removed = data.program.life(place.context, place.step, place.match, node)
    links = LinkTypes(NODE, FOLD, MATCH, CONTEXT)
    card = node_card(
        graph, node, Origin(added, removed), links, folded=graph.names[node] in state.folded
    )
    why = "" if state.node is not None else "Click another node of the graph to select it."
    return Part(card, why)


def text_part(data: CompilerData, state: ProgramState) -> Part:
    """Lay out the displayed graph as text, or the lines that the match changed, as option FORM
    selects; empty if no graph is displayed.
    """
    graph = shown_graph(data, state)
    place = shown_place(data, state)
    if graph is None or place is None or graph.error:
        return Part(None, "")
    # Match 0 is the state before the first match, which has no change to show.
    if FORM.of(state) == "graph" or place.match == 0:
        lines = lines_of(graph)
        return Part(
            graph_lines(lines, "graph as text", difference=False),
            f"{count_text(len(lines), 'line')}.",
        )
    before = data.program.state(place.context, place.step, place.match - 1)
    lines = difference(before, graph)
    caption = (
        "The match did not change any node of the result." if not lines else _change_words(lines)
    )
    return Part(
        graph_lines(lines, "changes of the match", difference=True) if lines else html.Div(),
        caption,
    )


def _change_words(lines: list[str]) -> str:
    new, old = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"{count_text(new, 'line')} new, {integer(old)} gone; nodes keep their numbers when they are rebuilt."


GRAPH = ProgramWords(
    id="graph",
    title="Graph",
    help="Operands are on the left, their users on the right. The wheel zooms, dragging moves, a click "
    "highlights operands and users, a double click folds the operands that only this node uses, a "
    "double click on the background shows all. Thick green: made by the match; dashed green: "
    "rebuilt above it. Nodes keep their places over 16 states.",
    needs=NEEDS,
    group="graph",
    width=Width.WIDE,
    stack="picture",
    choices=(EXTENT, CONSTANTS, MOVEMENT),
    make=graph_part,
    key=graph_key,
    moved=graph_moved,
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
        Link(
            NODE,
            ("node", "rank", "side"),
            lambda state, _data, named: at_node(state, int(named["node"])),
        ),
        Link(
            CONTEXT,
            ("context",),
            lambda state, _data, named: at_context(state, int(named["context"])),
        ),
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
