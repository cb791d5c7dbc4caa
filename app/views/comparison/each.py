"""View of several new runs side by side, each compared with the base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from dash import html
from dash.development.base_component import Component

from app.views.comparison.state import CompareState, clear_part
from app.views.comparison.view import CompareLink, CompareWords
from app.views.text_tables import Table, plain_table
from app.views.view import Part, Width
from components.comparison.runs_table import ComparedRun, runs_table
from components.numbers import shorten
from services.comparison.data import CompareData

_SHOW = "compare-show"
"""Type in the ids of the buttons that show a run's details."""


def each_part(data: CompareData, state: CompareState) -> Part:
    """Lay out a table of the new runs, each compared with the base; empty unless the address
    requests that runs are compared separately. A click on a run shows its details.
    """
    if not data.each:
        return Part(None, "")
    shown = data.new[0].stored.run_id
    runs = {
        run: ComparedRun(
            _chooser(run, result.new[0]["name"], _to_base(state, run)),
            result.verdict,
            result.rows,
            result.setup,
        )
        for run, result in data.each.items()
    }
    caption = f"Details below are those of {shorten(str(data.new[0].stored.run['name']))}."
    return Part(html.Div(runs_table(runs, shown), className="ts-scroll"), caption)


def _chooser(run: str, name: str, others: list[Component]) -> Component:
    label = f"{shorten(name)} {run[:6]}"
    show = html.Button(
        label, id={"type": _SHOW, "run": run}, className="ts-link", title="Show its details"
    )
    return html.Span([show, *others], className="ts-chooser-row")


def _to_base(state: CompareState, run: str) -> list[Component]:
    """Lay out the link that moves a run to the base, so that both sides become groups.

    The result is empty if the base is a baseline.
    """
    if state.baseline:
        return []
    new = tuple(other for other in state.new if other != run)
    moved = replace(state, base=(*state.base, run), new=new, shown="")
    # The selection may not exist in the new comparison.
    href = f"/compare?{clear_part(moved, 'all').query()}"
    return [html.A("to base", href=href, className="ts-muted", title="Make it a run of the base")]


def each_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the verdicts of the runs, a row each; empty unless runs are shown side
    by side.
    """
    if not data.each:
        return []
    rows = [
        {
            "run": answer.new[0]["name"],
            "id": run,
            "verdict": answer.verdict,
            "reasons": "; ".join(answer.reasons),
        }
        for run, answer in data.each.items()
    ]
    return [plain_table("runs side by side", pd.DataFrame(rows))]


def run_chosen(state: CompareState, _data: CompareData, named: Mapping[str, Any]) -> CompareState:
    """Return the state with the details of a run shown and the selection cleared, which may not
    exist in this run.
    """
    return clear_part(replace(state, shown=str(named["run"])), "all")


EACH = CompareWords(
    id="each",
    title="Side by side",
    help="Each run against the base, by the metrics that decide the verdict. Click a run for its details.",
    width=Width.FULL,
    make=each_part,
    links=(CompareLink(_SHOW, ("run",), run_chosen),),
    tables=each_tables,
)
