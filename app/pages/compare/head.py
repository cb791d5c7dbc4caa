"""What heads the page of a comparison: the runs, ways out, what is selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.views.comparison.state import Chosen, CompareState
from app.views.comparison.tables import tables_of
from app.views.drawing import Piece, Properties
from components.numbers import counted, integer, shorten
from services.capabilities import Capability
from services.compared_runs import ComparedRun
from services.comparisons import CompareData
from services.export import WRITERS

_NAMED = 2
_LONGEST = 44
CLEAR = "compare-clear"
"""Type of the ids of what clears a part of the selection."""


def _header(data: CompareData, state: CompareState, _theme: str) -> Properties:
    base = [html.Span("base", className="ts-muted"), *_names(data.base, state.baseline)]
    new = [html.Span("new", className="ts-muted"), *_names(data.new, "")]
    children = [
        dcc.Link("‹ runs", href="/", className="ts-back"),
        html.H1("Comparison", className="visually-hidden"),
        html.Span(base, className="ts-side ts-side-base"),
        html.Span("→", className="ts-muted"),
        html.Span(new, className="ts-side ts-side-new"),
        html.Span(data.answer.source, className="ts-badge", title="source"),
        html.Div(_ways_out(data, state), className="ts-actions"),
    ]
    return {"compare-header": {"children": children}}


def _ways_out(data: CompareData, state: CompareState) -> list[Component]:
    exports = _exports(data, state)
    return [
        *_grouping(state),
        *_swap(state),
        html.Button("Share", className="ts-button copy-link", title="Copy the address of this view"),
        html.A("Snapshot", href=f"/snapshot/compare?{state.query()}", id="compare-snapshot", className="ts-button"),
        dbc.DropdownMenu(exports, id="compare-export", label="Export", align_end=True, toggleClassName="ts-button"),
    ]


def _names(runs: Sequence[ComparedRun], baseline: str) -> list[Component]:
    """Return the runs of a side, each a link to its page; many are counted."""
    links = [_link(run, several=len(runs) > 1) for run in runs[:_NAMED]]
    lead: list[Component] = [html.Span(f"baseline {shorten(baseline, _LONGEST)}:")] if baseline else []
    left = len(runs) - len(links)
    return [*lead, *links, *([html.Span(f"and {counted(left, 'more run')}")] if left else [])]


def _link(run: ComparedRun, *, several: bool) -> Component:
    name, run_id = str(run.stored.run["name"]), run.stored.run_id
    given = " ".join(f"{key}={text}" for key, text in run.settings.items())
    label = shorten(name, _LONGEST) + (f" ({given})" if given else "") + (f" {run_id[:6]}" if several else "")
    date = str(run.stored.run.get("taken_at") or run.stored.run["created_at"])[:16].replace("T", " ")
    told = f"{shorten(name, 300)} · {run_id} · {date}"
    return dcc.Link(label, href=f"/run/{quote(run_id)}", className="ts-mono", title=told)


def _grouping(state: CompareState) -> list[Component]:
    """Return what makes a group of several new runs, or sets them side by side."""
    if len(state.new) < 2 or len(state.base) > 1:
        return []
    label = "Side by side" if state.together else "As a group"
    told = "Each against the base" if state.together else "By the means of their runs, from 3 a side"
    query = replace(state, together=not state.together, selection=Chosen()).query()
    return [html.A(label, href=f"/compare?{query}", className="ts-button", title=told)]


def _swap(state: CompareState) -> list[Component]:
    """Return what turns the question round, where that is a question."""
    if state.baseline or state.each:
        return []
    # changed blocks and kernels go by the new run, so that the other question has others
    chosen = replace(state.selection, block=None, kernel="")
    turned = replace(state, base=state.new, new=state.base, settings=state.settings[::-1], selection=chosen)
    return [html.A("Swap", href=f"/compare?{turned.query()}", className="ts-button", title="Make the new run the base")]


def _exports(data: CompareData, state: CompareState) -> list[Component]:
    query = state.query()
    whole = html.A("JSON", href=f"/comparison/all.json?{query}", download="")
    items = [html.Div([html.Span("the whole answer"), whole], className="ts-export")]
    for name in tables_of(data):
        links = [html.A(fmt.upper(), href=f"/comparison/{name}.{fmt}?{query}", download="") for fmt in WRITERS]
        items.append(html.Div([html.Span(name), *links], className="ts-export"))
    return [*items]


def _selection(data: CompareData, state: CompareState, _theme: str) -> Properties:
    words = selection_words(data, state)
    chips: list[Component] = [
        html.Button([text, " ×"], id={"type": CLEAR, "part": part}, className="ts-chip", title="Clear (Esc: all)")
        for part, text in words.items()
    ]
    if len(chips) > 1:
        chips.append(html.Button("clear", id={"type": CLEAR, "part": "all"}, className="ts-chip"))
    shown: list[Component] = chips or [html.Span("all of both sides", className="ts-muted")]
    return {"compare-selection": {"children": [html.Span("selection", className="ts-muted"), *shown]}}


def selection_words(data: CompareData, state: CompareState) -> dict[str, str]:
    """Return what is selected in words, by part of the selection."""
    chosen = state.selection
    words = {
        "track": f"tile {shorten(chosen.track, 30)}" if chosen.track else "",
        "iteration": _part(data, chosen.iteration),
        "kernel": f"kernel {shorten(chosen.kernel, 40)}" if chosen.kernel else "",
        "attempt": f"attempt or level {shorten(chosen.attempt, 30)}" if chosen.attempt else "",
        "block": _block(data, chosen.block),
        "window": f"{integer(chosen.window[0])} – {integer(chosen.window[1])}" if chosen.window else "",
    }
    return {part: text for part, text in words.items() if text}


def _part(data: CompareData, number: int | None) -> str:
    """Return what of both runs is aligned: an iteration, of profiles a marker."""
    return "" if number is None else f"{'iteration' if data.can(Capability.ITERATIONS) else 'marker'} {number}"


def _block(data: CompareData, row: int | None) -> str:
    if row is None or not data.can(Capability.ADDRESSES) or row >= len(data.blocks):
        return ""
    named = data.blocks.iloc[row]
    return f"block {shorten(str(named['name_new'] or named['name_base']), 40)}"


HEAD = (Piece("header", _header), Piece("selection", _selection))
"""What heads the page."""
