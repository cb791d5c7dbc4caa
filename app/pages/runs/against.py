"""The column of verdicts against baselines: cached verdicts at once, missing verdicts by later
requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output

from app.context import AppContext
from components.runs.against import NOTHING, checked_cell, failed_cell, member_cell, pending_cell
from services.gate.baseline_status import BaselineStatus

_MAX_IN_VIEW = 100
"""Maximum runs per request."""


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks that compute missing verdicts; the browser polls until no verdict is
    missing.
    """

    @app.callback(
        Output("runs-against-told", "data"),
        Input("runs-against-asked", "data"),
        prevent_initial_call=True,
    )
    def tell(asked: object) -> dict[str, dict[str, str]]:
        listed = asked if isinstance(asked, list) else []
        # The browser sends the list, so its content is checked.
        ids = [run_id for run_id in listed if isinstance(run_id, str)][:_MAX_IN_VIEW]
        statuses = context.baseline_statuses.more(context.runs.now(), ids)
        return {run_id: _cell(statuses.get(run_id)) for run_id in ids}

    app.clientside_callback(
        ClientsideFunction("tilescope", "runsAgainst"),
        Output("runs-against-told", "modified_timestamp"),
        Input("runs-against-told", "data"),
        Input("runs-next", "data"),
        Input("runs-grid", "columnDefs"),
    )


def with_cells(
    records: Sequence[dict[str, Any]], statuses: Mapping[str, BaselineStatus]
) -> list[dict[str, Any]]:
    """Return the records of the grid with their cells of the verdict column; unchanged records if
    no run has a status.
    """
    if not statuses:
        return list(records)
    return [record | _cell(statuses.get(record["run_id"])) for record in records]


def _cell(status: BaselineStatus | None) -> dict[str, str]:
    if status is None:
        return dict(NOTHING)
    if status.check is not None:
        return checked_cell(status.check)
    if status.known == "member":
        return member_cell(status.baseline)
    if status.known == "missing":
        return pending_cell(status.baseline)
    return failed_cell(status.baseline, status.reason)
