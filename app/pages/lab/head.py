"""Head of the lab: the run, links and exports, status of the search."""

from __future__ import annotations

from urllib.parse import quote

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from analysis.allocators.compiler import NO_COMPILER, can_compile, is_prepared
from analysis.allocators.listed import LISTED, Listed
from app.pages.lab.keeping import KEEPING
from app.views.drawing import Piece, Properties
from app.views.lab.slider import SAID, SLIDER, slider, slider_words
from app.views.lab.state import LabState
from app.views.lab.view import picked_placement
from app.views.lab.words import elsewhere_sentence, result_sentence, running_sentence
from components.numbers import shorten
from services.lab.data import LabData

CLOCK = "lab-clock"
"""Id of the clock that polls a search."""
_NAME = 60
_PREPARED = (
    "The search is being compiled, up to a minute after a server's first start; a "
    "search that you start now waits for it, simple strategies do not."
)


def _header(data: LabData, state: LabState, _theme: str) -> Properties:
    run = data.run.run.iloc[0]
    run_id = quote(data.run.run_id)
    attempt = "" if state.attempt is None else f"?attempt={state.attempt}"
    children: list[Component] = [
        dcc.Link("‹ run", href=f"/run/{run_id}{attempt}", className="ts-back"),
        html.H1(["Lab: ", html.Bdi(shorten(str(run["name"]), _NAME))], className="ts-title"),
        html.Span(str(run["source"]), className="ts-badge", title="source"),
        html.Span("" if data.stored_map is None else data.stored_map.label, className="ts-muted"),
        html.Div(_ways_out(data, state), className="ts-actions"),
    ]
    return {"lab-header": {"children": children}}


def _ways_out(data: LabData, state: LabState) -> list[Component]:
    run_id = quote(data.run.run_id)
    query = state.query()
    names = {"problem.csv": "problem as MiniMalloc CSV"}
    if data.placement_map(picked_placement(data, state)) is not None:
        names["solution.csv"] = "solution as MiniMalloc CSV"
    if picked_placement(data, state) is not None:
        names["answer.json"] = "result as JSON"
    links = [
        html.A(text, href=f"/lab/{run_id}/{name}?{query}", download="")
        for name, text in names.items()
    ]
    items = [html.Div(link, className="ts-export") for link in links]
    return [
        html.Button(
            "Share", className="ts-button copy-link", title="Copy the address of this view"
        ),
        html.A("Snapshot", href=f"/snapshot/lab/{run_id}?{query}", className="ts-button"),
        dbc.DropdownMenu(items, label="Export", align_end=True, toggleClassName="ts-button"),
    ]


def _status(data: LabData, state: LabState, _theme: str) -> Properties:
    drawn: Properties = {
        "lab-status": {
            "children": f"{status_words(data, state)} {elsewhere_sentence(data)}".strip()
        },
        "lab-cancel": {"hidden": not data.busy},
        "lab-solve": {"disabled": data.busy or bool(data.refusal)},
        "lab-all": {"disabled": data.busy or bool(data.refusal)},
        "lab-keep-most": {"disabled": data.busy or not data.can_keep_most},
    }
    # The clock is only started here: a drawing from before the search would stop the clock that the
    # search has just started.
    return drawn | {CLOCK: {"disabled": False}} if data.busy else drawn


def status_words(data: LabData, state: LabState) -> str:
    """Describe the progress or the result of the search in a sentence: running, invalid problem,
    result, or the reason why there is no result.
    """
    if data.running is not None:
        return running_sentence(data.running)
    if data.refusal:
        return f"This problem cannot be solved: {data.refusal}."
    placement = picked_placement(data, state)
    if placement is not None:
        return f"{result_sentence(data, placement)} {placement.note}".strip()
    return _unsolved_reason(data, LISTED[state.strategy])


def _unsolved_reason(data: LabData, strategy: Listed) -> str:
    """Return a sentence with the reason why the strategy has no placement of the problem: no
    compiler, a search without result, or not solved yet.
    """
    if strategy.proves and not can_compile():
        return f"{NO_COMPILER[0].upper()}{NO_COMPILER[1:]}."
    if data.failure:
        return f"Nothing found: {data.failure}."
    if strategy.proves and not is_prepared():
        return f"Not solved yet. {_PREPARED}"
    return "Not solved yet: press Solve."


def _slider(data: LabData, state: LabState, _theme: str) -> Properties:
    return {SLIDER: slider(data, state), SAID: {"children": slider_words(data, state)}}


STATUS = Piece("status", _status)
HEAD = (Piece("header", _header), STATUS, Piece("slider", _slider), KEEPING)
"""Pieces of the head."""
