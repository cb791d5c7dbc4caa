"""View that compares the program of the selected kernel in both runs: source, optimisations,
machine code, graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from dash import dcc, html
from dash.development.base_component import Component

from analysis.comparison.line_pairs import LinePair, pair_lines
from analysis.comparison.program_lines import instruction_lines
from app.views.address.fields import param
from app.views.address.kinds import Text
from app.views.comparison.profile import shown_change
from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareLink, CompareWords
from app.views.text_tables import Table
from app.views.view import Part, ViewSelection, Width
from components.comparison.beside import beside, changes_words
from components.kernels.options_line import options_text
from components.numbers import count_text, shorten
from components.program.graph_stage import DIFFERENCE, graph_stage
from services.comparison.compared_graphs import (
    ComparedGraphs,
    compared_graphs,
    difference_text,
    kernel_sides,
    shown_step,
)
from services.comparison.data import CompareData
from services.comparison.program_sides import ProgramSide, SharedStep, shared_steps
from services.run.capabilities import Capability

_NAME = 50
_LINK = "compare-step-link"
STAGE = "compare-graph-stage"
_NEEDS = frozenset({Capability.NAMED_KERNELS, Capability.KERNELS})


@dataclass(frozen=True)
class ProgramSelection:
    """The selected rewrite step, by name; its graphs are compared."""

    rewrite: str = param(Text(200), "")


PROGRAM_SELECTION: ViewSelection[CompareData, CompareState] = ViewSelection(ProgramSelection)


def program_part(data: CompareData, state: CompareState) -> Part:
    """Lay out the differences of a kernel's programs, the selected kernel or the largest change; a
    single sentence if they are equal or unknown; empty without such a kernel.
    """
    change = shown_change(data.kernels, state.selection.kernel)
    if change is None:
        return Part(None, "")
    base, new = kernel_sides(data, change["base"], change["new"])
    name = shorten(str(change["name"]), _NAME)
    if base is None or new is None:
        lacking = " and ".join(
            side for side, program in (("base", base), ("new", new)) if program is None
        )
        return Part(html.Div(), f"{name} has no known program in {lacking}.")
    texts = _texts(base, new)
    graph = _graph_section(data, state, base, new)
    differing = [what for what, pairs in texts.items() if not all(pair.is_same for pair in pairs)]
    if differing:
        caption = f"{name}: {_enumeration(differing)} differ{'s' if len(differing) == 1 else ''}."
    else:
        equal = _enumeration([what for what, pairs in texts.items() if pairs])
        caption = (
            f"{name} has the same program in both runs{f': {equal} are equal' if equal else ''}."
        )
    sections = [part for what in differing for part in _text_section(what, texts[what])]
    return Part(
        html.Div([_links(base, new), *sections, *graph], className="ts-program-sides"), caption
    )


def _enumeration(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _texts(base: ProgramSide, new: ProgramSide) -> Mapping[str, list[LinePair]]:
    """Map `source`, `optimisations` and `machine code` to the paired lines of both sides."""
    options = [
        [text] if (text := options_text(side.frames["program_options"])) else []
        for side in (base, new)
    ]
    code = [
        instruction_lines(side.frames["disassembly"], side.frames["basic_blocks"])
        for side in (base, new)
    ]
    return {
        "source": pair_lines(base.source.splitlines(), new.source.splitlines()),
        "optimisations": pair_lines(*options),
        "machine code": pair_lines(*code),
    }


_NOUNS = {"source": "line", "optimisations": "line", "machine code": "line"}


def _text_section(what: str, pairs: Sequence[LinePair]) -> list[Component]:
    counts = "" if what == "optimisations" else f" {changes_words(pairs, _NOUNS[what])}"
    heading = html.H3([what[:1].upper() + what[1:], html.Small(counts, className="ts-muted")])
    return [heading, beside(pairs, what)]


def _links(base: ProgramSide, new: ProgramSide) -> html.Div:
    """Lay out links to both programs, with their numbers of blocks and of further programs of the
    kernel.
    """
    links: list[Component | str] = []
    for word, side in (("base", base), ("new", new)):
        number = int(side.program["program"])
        run = quote(side.run_id)
        blocks = len(side.frames["basic_blocks"])
        counted = f" {count_text(len(side.frames['disassembly']), 'instruction')} in {count_text(blocks, 'block')}"
        # The program itself is not among `others`.
        others = f", one of {side.others + 1} programs of this name" if side.others else ""
        links += [
            dcc.Link(
                f"Program in {word}",
                href=f"/run/{run}/program?program={number}",
                className="ts-link",
            ),
            html.Span(f"{counted if blocks else ''}{others}", className="ts-muted"),
        ]
    return html.Div(links, className="ts-program-links ts-node-links")


def _graph_section(
    data: CompareData, state: CompareState, base: ProgramSide, new: ProgramSide
) -> list[Component]:
    """Lay out the graphs of the shared rewrite step that is chosen, or the last, or a sentence if
    they are equal or cannot be read.

    The result is empty if no step is shared.
    """
    shown = shown_step(base, new, state.selected(ProgramSelection).rewrite)
    if shown is None:
        return []
    heading = html.H3(["Graph after ", html.Bdi(shorten(shown.name, _NAME))])
    picks = html.Div(
        [_pick(step, shown) for step in shared_steps(base, new)], className="ts-node-links"
    )
    try:
        graphs = compared_graphs(data, base, new, shown)
    except ValueError as error:
        text = str(error)
        return [heading, picks, html.P(f"{text[:1].upper()}{text[1:]}.", className="ts-panel-hint")]
    if graphs.is_same:
        return [heading, picks, html.P("The graphs are equal.", className="ts-panel-hint")]
    text = f" {changes_words(graphs.pairs, 'node')}"
    head = html.H3([*heading.children, html.Small(text, className="ts-muted")])
    return [head, picks, *_picture(state, graphs), beside(graphs.pairs, "graph")]


def _picture(state: CompareState, graphs: ComparedGraphs) -> list[Component]:
    """Lay out the canvas for the picture of both graphs; empty if a graph is too large to draw."""
    if not graphs.is_drawn:
        return []
    label = "both graphs overlaid: arrow keys move to operands and users, plus and minus zoom, slash searches"
    source = f"/comparison/graph/columns?{state.query()}"
    return [graph_stage(STAGE, label, DIFFERENCE, source=source, state="{}")]


def graph_difference(data: CompareData, state: CompareState) -> str:
    """Return the JSON text from which the browser draws the picture of both graphs of the displayed
    kernel.

    Raises ValueError if that kernel has no pair of graphs.
    """
    change = shown_change(data.kernels, state.selection.kernel) if data.can(*_NEEDS) else None
    base, new = (
        (None, None) if change is None else kernel_sides(data, change["base"], change["new"])
    )
    step = shown_step(base, new, state.selected(ProgramSelection).rewrite) if base and new else None
    if base is None or new is None or step is None:
        raise ValueError("the kernel has no programs that share a rewrite step with a graph")
    return difference_text(compared_graphs(data, base, new, step), step)


def _pick(step: SharedStep, shown: SharedStep) -> html.Button:
    chosen = "ts-link ts-chosen" if step.name == shown.name else "ts-link"
    return html.Button(
        html.Bdi(shorten(step.name, _NAME)),
        id={"type": _LINK, "rewrite": step.name},
        className=chosen,
    )


def _follow(state: CompareState, _data: CompareData, named: Mapping[str, Any]) -> CompareState:
    """Return the state with the rewrite step of a link selected, whose graphs are then compared."""
    return state.with_selected(ProgramSelection(str(named["rewrite"])))


def program_tables(_data: CompareData, _state: CompareState) -> list[Table]:
    """Return an empty list, because the snapshot already contains the lines."""
    return []


PROGRAM = CompareWords(
    id="programs",
    title="The same kernel in both runs",
    help="The program of the selected kernel, else of the kernel that changes a step most: source text, "
    "optimisations and machine code if they differ, and the graph after a rewrite step of both runs: "
    "green and + if only the new run has a node, red and dashed if only the base has it (button went). Lines of a graph are "
    "nodes with the operations of their operands; jumps name blocks, as addresses differ.",
    needs=_NEEDS,
    group="programs",
    width=Width.FULL,
    make=program_part,
    selection=PROGRAM_SELECTION,
    links=(CompareLink(_LINK, ("rewrite",), _follow),),
    tables=program_tables,
)
