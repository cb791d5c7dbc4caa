"""Head of the program page: the run, the displayed step and match, links and exports."""

from __future__ import annotations

from urllib.parse import quote

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.views.drawing import Piece, Properties
from app.views.program.place import shown_place
from app.views.program.state import ProgramState
from components.numbers import integer, shorten
from services.program.data import CompilerData
from services.program.export import GRAPH_FILES

_NAME = 60


def _header(data: CompilerData, state: ProgramState, _theme: str) -> Properties:
    run = data.run.run.iloc[0]
    run_id = quote(data.run.run_id)
    children: list[Component] = [
        dcc.Link("‹ run", href=f"/run/{run_id}", className="ts-back"),
        html.H1(["Programs of ", html.Bdi(shorten(str(run["name"]), _NAME))], className="ts-title"),
        html.Span(str(run["source"]), className="ts-badge", title="source"),
        html.Span(_place(data, state), className="ts-muted"),
        html.Div(_ways_out(data, state), className="ts-actions"),
    ]
    return {"program-header": {"children": children}}


def _place(data: CompilerData, state: ProgramState) -> str:
    place = shown_place(data, state)
    if place is None:
        return "" if data.program.frame("contexts").empty else "no such step"
    name = shorten(data.program.context_name(place.context), _NAME)
    step = shorten(str(data.program.step(place.context, place.step)["name"]), _NAME)
    return f"{name} › {step} › {integer(place.match)} of {integer(place.matches)}"


def _ways_out(data: CompilerData, state: ProgramState) -> list[Component]:
    run_id = quote(data.run.run_id)
    place = shown_place(data, state)
    ways: list[Component] = [
        html.Button(
            "Share", className="ts-button copy-link", title="Copy the address of this view"
        ),
        html.A(
            "Snapshot", href=f"/snapshot/program/{run_id}?{state.query()}", className="ts-button"
        ),
    ]
    if place is None:
        return ways
    query = f"context={place.context}&step={place.step}&match={place.match}"
    links = [
        html.A(fmt.upper(), href=f"/graph/{run_id}.{ending}?{query}", download="")
        for ending, fmt in GRAPH_FILES.items()
    ]
    items = [html.Div([html.Span("this graph"), *links], className="ts-export")]
    return [
        *ways,
        dbc.DropdownMenu(items, label="Export", align_end=True, toggleClassName="ts-button"),
    ]


HEAD = (Piece("header", _header),)
"""Pieces of the head."""
