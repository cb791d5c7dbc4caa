"""Head of the comparison page: runs, links and exports, selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.pages.chips import selection_chips
from app.views.comparison.registry import COMPARE
from app.views.comparison.selection_words import selection_words
from app.views.comparison.state import CompareState, clear_part
from app.views.comparison.tables import table_names
from app.views.drawing import Piece, Properties
from components.numbers import count_text, shorten
from components.runs.list_address import list_address
from components.runs.run_facts import file_fact, origin_facts, shape_facts
from services.comparison.compared_runs import ComparedRun
from services.comparison.data import CompareData
from services.run.export import WRITERS

_NAMED = 2
_MAX_NAME = 44


def _header(data: CompareData, state: CompareState, _theme: str) -> Properties:
    base = [html.Span("base", className="ts-muted"), *_names(data.base, state.baseline)]
    new = [html.Span("new", className="ts-muted"), *_names(data.new, "")]
    children = [
        dcc.Link("‹ runs", href=list_address(), className="ts-back"),
        html.H1("Comparison", className="visually-hidden"),
        html.Span(base, className="ts-side ts-side-base"),
        html.Span("→", className="ts-muted"),
        html.Span(new, className="ts-side ts-side-new"),
        html.Span(data.result.source, className="ts-badge", title="source"),
        html.Div(_ways_out(data, state), className="ts-actions"),
    ]
    return {"compare-header": {"children": children}}


def _ways_out(data: CompareData, state: CompareState) -> list[Component]:
    exports = _exports(data, state)
    return [
        *_grouping(state),
        *_swap(state),
        html.Button(
            "Share", className="ts-button copy-link", title="Copy the address of this view"
        ),
        html.A(
            "Snapshot",
            href=f"/snapshot/compare?{state.query()}",
            id="compare-snapshot",
            className="ts-button",
        ),
        dbc.DropdownMenu(
            exports,
            id="compare-export",
            label="Export",
            align_end=True,
            toggleClassName="ts-button",
        ),
    ]


def _names(runs: Sequence[ComparedRun], baseline: str) -> list[Component]:
    """Lay out the first _NAMED (2) runs of a side as links to their pages, after the name of its
    baseline if there is any; further runs are only counted.
    """
    links = [_link(run, several=len(runs) > 1) for run in runs[:_NAMED]]
    lead: list[Component] = (
        [html.Span(f"baseline {shorten(baseline, _MAX_NAME)}:")] if baseline else []
    )
    left = len(runs) - len(links)
    return [*lead, *links, *([html.Span(f"and {count_text(left, 'more run')}")] if left else [])]


def _link(run: ComparedRun, *, several: bool) -> Component:
    name = str(run.stored.run["name"])
    run_id = run.stored.run_id
    settings = " ".join(f"{key}={text}" for key, text in run.settings.items())
    label = (
        shorten(name, _MAX_NAME)
        + (f" ({settings})" if settings else "")
        + (f" {run_id[:6]}" if several else "")
    )
    columns = run.stored.run
    facts = " · ".join([*origin_facts(columns), *shape_facts(columns), file_fact(columns)])
    title = f"{shorten(name, 300)} · {run_id}"
    link = dcc.Link(label, href=f"/run/{quote(run_id)}", className="ts-mono", title=title)
    return html.Span(
        [link, html.Span(facts, className="ts-run-origin ts-muted", title=facts)],
        className="ts-side-run",
    )


def _grouping(state: CompareState) -> list[Component]:
    """Lay out the button that compares several new runs as a group, or separately; empty with a
    single new run or several base runs.
    """
    if len(state.new) < 2 or len(state.base) > 1:
        return []
    label = "Side by side" if state.together else "As a group"
    help_text = (
        "Each against the base"
        if state.together
        else "Compare group means (3 or more runs per side)"
    )
    query = clear_part(replace(state, together=not state.together), "all").query()
    return [html.A(label, href=f"/compare?{query}", className="ts-button", title=help_text)]


def _swap(state: CompareState) -> list[Component]:
    """Lay out the button that swaps both sides; empty if the base is a baseline or runs are side by
    side.
    """
    if state.baseline or state.each:
        return []
    # Selected blocks and kernels are identified in the new run, so they are invalid after the swap.
    chosen = replace(state.selection, block=None, kernel="")
    turned = replace(
        state, base=state.new, new=state.base, settings=state.settings[::-1], selection=chosen
    )
    href = f"/compare?{turned.query()}"
    return [html.A("Swap", href=href, className="ts-button", title="Make the new run the base")]


def _exports(data: CompareData, state: CompareState) -> list[Component]:
    query = state.query()
    whole = html.A("JSON", href=f"/comparison/all.json?{query}", download="")
    items = [html.Div([html.Span("the complete result"), whole], className="ts-export")]
    for name in table_names(data):
        links = [
            html.A(fmt.upper(), href=f"/comparison/{name}.{fmt}?{query}", download="")
            for fmt in WRITERS
        ]
        items.append(html.Div([html.Span(name), *links], className="ts-export"))
    return [*items]


def _selection(data: CompareData, state: CompareState, _theme: str) -> Properties:
    chips = selection_chips(COMPARE, selection_words(data, state))
    shown: list[Component] = chips or [html.Span("all data of both sides", className="ts-muted")]
    return {
        "compare-selection": {"children": [html.Span("selection", className="ts-muted"), *shown]}
    }


HEAD = (Piece("header", _header), Piece("selection", _selection))
"""Pieces of the head."""
