"""The column of verdicts against baselines: what is known when the list is made, and the rest afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output

from app.context import AppContext
from components.runs.against import NOTHING, checked_cell, failed_cell, member_cell, pending_cell
from services.standings import Standing

_MOST_IN_VIEW = 100
"""Runs that one request asks about."""


def register(app: Dash, context: AppContext) -> None:
    """Add the callbacks that make what is missing; the browser asks again until nothing is."""

    @app.callback(
        Output("runs-against-told", "data"),
        Input("runs-against-asked", "data"),
        prevent_initial_call=True,
    )
    def tell(asked: object) -> dict[str, dict[str, str]]:
        given = asked if isinstance(asked, list) else []
        ids = [run_id for run_id in given if isinstance(run_id, str)][:_MOST_IN_VIEW]
        found = context.standings.more(context.runs.now(), ids)
        return {run_id: _cell(found.get(run_id)) for run_id in ids}

    app.clientside_callback(
        ClientsideFunction("tilescope", "runsAgainst"),
        Output("runs-against-told", "modified_timestamp"),
        Input("runs-against-told", "data"),
        Input("runs-next", "data"),
        Input("runs-grid", "columnDefs"),
    )


def with_cells(records: Sequence[dict[str, Any]], standings: Mapping[str, Standing]) -> list[dict[str, Any]]:
    """Return the records of the grid with what is known of their runs against baselines."""
    if not standings:
        return list(records)
    return [record | _cell(standings.get(record["run_id"])) for record in records]


def _cell(standing: Standing | None) -> dict[str, str]:
    if standing is None:
        return dict(NOTHING)
    if standing.check is not None:
        return checked_cell(standing.check)
    if standing.known == "member":
        return member_cell(standing.baseline)
    if standing.known == "missing":
        return pending_cell(standing.baseline)
    return failed_cell(standing.baseline, standing.reason)
