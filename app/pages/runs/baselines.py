"""The dialog of baselines: create a baseline from the selected runs, list and delete baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dash_bootstrap_components as dbc
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.dialogs import dialog
from app.pages.runs.changed import now
from app.request.errors import as_sentence
from app.request.user import require
from components.aria import aria
from components.numbers import count_text, tame
from components.runs.baselines import ShownBaseline, baseline_list
from schema.comparison import MAX_RUNS
from schema.digits import is_whole
from schema.plurals import first_names
from schema.roles import Role
from services.baselines.baselines import (
    Described,
    delete_baseline,
    describe_baselines,
    set_baseline,
)
from services.baselines.members import MAX_NAME, BaselineError
from storage.errors import BaselineNotFound, RunDamaged, RunNotFound
from storage.series import names

_DELETE = {"type": "runs-baseline-delete", "name": ALL}
_USUAL_LAST = 10
_MAX_DIGITS = 9
_NAMED = 3
"""Maximum selected runs that are listed by name; further runs are counted."""


def baseline_dialog() -> dbc.Modal:
    """Lay out the dialog that makes a baseline of the selected runs, closed and empty."""
    return dialog(
        "runs-baseline-dialog",
        "Baselines",
        [
            dbc.ModalBody(
                [
                    html.Div(_form(), className="ts-baseline-form"),
                    html.P(id="runs-baseline-error", className="ts-trouble", role="alert"),
                    html.Div(id="runs-baselines"),
                ]
            )
        ],
        size="lg",
    )


def _form() -> list[Component]:
    name = dcc.Input(
        id="runs-baseline-name", type="text", maxLength=MAX_NAME, autoComplete="off", debounce=False
    )
    last = dcc.Input(
        id="runs-baseline-last",
        type="text",
        inputMode="numeric",
        value=str(_USUAL_LAST),
        maxLength=3,
    )
    kind = dbc.RadioItems(id="runs-baseline-kind", options=_kinds({}), value="fixed")
    return [
        html.P(id="runs-baseline-of"),
        html.Label(["Name", name]),
        html.Button("Set", id="runs-baseline-set", className="ts-button", disabled=True),
        html.Div(
            [
                html.Div(kind, role="group", **aria(label="Runs of the baseline")),
                html.Label(["How many", last], className="ts-baseline-last"),
            ],
            className="ts-baseline-kind",
        ),
    ]


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the dialog that makes and deletes baselines."""

    @app.callback(
        Output("runs-baseline-dialog", "is_open"),
        Output("runs-baseline-of", "children"),
        Output("runs-baseline-kind", "options"),
        Output("runs-baseline-kind", "value"),
        Output("runs-baseline-set", "disabled"),
        Output("runs-baselines", "children"),
        Output("runs-baseline-error", "children"),
        Input("runs-baseline", "n_clicks"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    def show(clicks: int | None, picked: dict[str, str] | None) -> tuple[Any, ...]:
        if not clicks:
            return (no_update,) * 7
        runs = picked or {}
        return True, _of(runs), _kinds(runs), "fixed", not runs, _list_baselines(context), ""

    @app.callback(
        Output("runs-baselines", "children", allow_duplicate=True),
        Output("runs-baseline-error", "children", allow_duplicate=True),
        Output("runs-baseline-name", "value"),
        Output("runs-changed", "data", allow_duplicate=True),
        Input("runs-baseline-set", "n_clicks"),
        Input("runs-baseline-name", "n_submit"),
        Input(_DELETE, "n_clicks"),
        State("runs-baseline-name", "value"),
        State("runs-baseline-kind", "value"),
        State("runs-baseline-last", "value"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    def change(
        _set: int | None, _enter: int | None, _deleted: list[int | None], *form: object
    ) -> tuple[Any, ...]:
        # Checked here too, because a browser can send any request, whatever the page showed.
        user = require(Role.EDITOR).name
        pressed = ctx.triggered_id
        if not ctx.triggered[0]["value"]:
            return (no_update,) * 4  # a button that came with the list
        if isinstance(pressed, dict):
            error = _capture_error(
                lambda: delete_baseline(context.repository, str(pressed["name"]), user)
            )
            return _list_baselines(context), error, no_update, now()
        error = _capture_error(
            lambda: set_baseline(context.repository, *_fields_of_form(*form), user=user)
        )
        return (
            (no_update, error, no_update, no_update)
            if error
            else (_list_baselines(context), "", "", now())
        )


def _fields_of_form(
    name: object, kind: object, last: object, picked: object
) -> tuple[str, list[str], int | None]:
    """Return the arguments (name, run ids, `last`) of `set_baseline` from the form; `last` is None
    for a fixed baseline.

    Raises BaselineError if no run is selected or the number is invalid.
    """
    runs = (
        # The store comes from the browser and may have any form.
        [run_id for run_id in picked if isinstance(run_id, str)]
        if isinstance(picked, Mapping)
        else []
    )
    if not runs:
        raise BaselineError("select runs in the list to make a baseline of them")
    count = str(last).strip()
    if kind == "rolling" and not is_whole(count, _MAX_DIGITS):
        raise BaselineError(f"the runs of a rolling baseline must be a number from 1 to {MAX_RUNS}")
    return str(name or "").strip(), runs, int(count) if kind == "rolling" else None


def _capture_error(act: Callable[[], None]) -> str:
    """Call `act` and return its error as a sentence, "" if it succeeded; any other error than
    BaselineError or an error of runs is raised.
    """
    try:
        act()
    except (BaselineError, BaselineNotFound, RunDamaged, RunNotFound) as error:
        return as_sentence(error)
    return ""


def _of(runs: Mapping[str, str]) -> list[Component]:
    if not runs:
        return [
            html.Span("Select runs in the list to make a baseline of them.", className="ts-muted")
        ]
    named = first_names([tame(name) for name in runs.values()], _NAMED)
    return [html.Strong(f"{count_text(len(runs), 'run')} selected: "), html.Span(named)]


def _kinds(runs: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the options of the kind of baseline, fixed and rolling, for the selector; rolling is
    disabled unless exactly a single run is selected, whose key it needs.
    """
    these = "this run" if len(runs) == 1 else "these runs"
    rolling = {
        "label": "the last runs of the same key that are older than the compared run",
        "value": "rolling",
    }
    return [{"label": these, "value": "fixed"}, rolling | {"disabled": len(runs) != 1}]


def _list_baselines(context: AppContext) -> list[Component]:
    described = describe_baselines(context.repository)
    ids = list(dict.fromkeys(run_id for baseline in described for run_id in baseline.runs))
    names_by_run = names(context.repository.catalogue, ids) if ids else {}
    return baseline_list([_shown_baseline(baseline, names_by_run) for baseline in described])


def _shown_baseline(one: Described, known: Mapping[str, str]) -> ShownBaseline:
    kind = "fixed" if one.last is None else f"rolling, the last {one.last}"
    runs = {run_id: known.get(run_id, run_id) for run_id in one.runs}
    return ShownBaseline(one.name, kind, one.key_text, one.changed_at, runs, one.deleted)
