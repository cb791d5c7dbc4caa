"""Callbacks of the lab outside its views: fields of the problem, solving, polling, cancelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from analysis.allocators.compiler import can_compile
from analysis.allocators.listed import KEEP_MOST, LISTED
from app.context import AppContext
from app.pages.lab import keeping
from app.pages.lab.binding import LIVE, TOLD, TURN, LabBinding, lab_binding, search_owner
from app.pages.lab.form import NUMBERS, values
from app.pages.lab.head import CLOCK, HEAD, STATUS
from app.views.drawing import Properties, plot_piece
from app.views.lab.registry import CHOICES, LAB
from app.views.lab.results import EXTENT
from app.views.lab.slider import SLIDER, slide_capacity
from app.views.lab.state import LabState, clear_selection
from app.views.page_callbacks import PageCallbacks, bytes_text, choice_shown, with_fields
from services.lab.data import LabData
from services.lab.searches import BusyError


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the lab: views, fields, slider, searches and saved placements."""
    binding = lab_binding(app, context)
    PageCallbacks(binding, HEAD, clear_selection, field_text, fill_fields).register()
    _register_slider(binding)
    _register_solving(binding, context)
    _register_watching(binding)
    keeping.register(binding, context)


def field_text(_data: LabData, state: LabState, name: str) -> str:
    """Return the text that the field `name` of the problem shows for a view state, such as "" for
    no capacity.
    """
    own = values(state)
    return own[name] if name in own else choice_shown(state, CHOICES, name)


def fill_fields(state: LabState, _data: LabData, given: Mapping[str, str]) -> LabState:
    """Return the state after fields changed (`given`: name -> text); invalid values leave it as it
    is.

    Another attempt clears the selection and the changes, because blocks and steps are numbered per
    attempt. A change of the problem clears the shown placement of the front.
    """
    wanted = {name: _clean_number(name, value) for name, value in given.items()}
    if (capacity := bytes_text(wanted.pop("capacity", None))) is not None:
        wanted["capacity"] = capacity
    after = with_fields(LAB, state, wanted)
    # Placements of least disturbance belong to the previous problem.
    if wanted.keys() - {"find", *CHOICES}:
        after = replace(after, moved=None)
    if after.attempt == state.attempt:
        return after
    return replace(clear_selection(after), fixed=(), dropped=(), sizes=(), spilled=(), order=())


def _clean_number(name: str, value: str) -> str:
    return "".join(value.split()) if name in NUMBERS else value


def _register_slider(binding: LabBinding) -> None:
    @binding.steps(Input(SLIDER, "value"))
    def move_slider(state: LabState, data: LabData, value: object) -> LabState:
        after = slide_capacity(state, data, value)
        return after if after == state else replace(after, moved=None)

    @binding.steps(Input("lab-solve", "n_clicks"), Input("lab-all", "n_clicks"))
    def show_result(state: LabState, _data: LabData, *_clicks: int | None) -> LabState:
        """Return the state without the picked placement of least disturbance, so that the result of
        the strategy is shown.
        """
        return replace(state, moved=None)


def _register_solving(binding: LabBinding, context: AppContext) -> None:
    @binding.app.callback(
        Output("lab-status", "children", allow_duplicate=True),
        Output("lab-solve", "disabled", allow_duplicate=True),
        Output("lab-all", "disabled", allow_duplicate=True),
        Output("lab-keep-most", "disabled", allow_duplicate=True),
        Output("lab-cancel", "hidden", allow_duplicate=True),
        Output(CLOCK, "disabled", allow_duplicate=True),
        Input("lab-solve", "n_clicks"),
        Input("lab-all", "n_clicks"),
        Input("lab-keep-most", "n_clicks"),
        Input("lab-cancel", "n_clicks"),
        State(LAB.view, "data"),
        State(LAB.subject, "data"),
        prevent_initial_call=True,
    )
    def act(*given: Any) -> tuple[Any, ...]:
        *_, query, run_id = given
        if not ctx.triggered or not ctx.triggered[0]["value"]:
            raise PreventUpdate
        if ctx.triggered_id == "lab-cancel":
            context.lab.searches.cancel(search_owner())
            return "Stopping.", *(no_update,) * 5
        state, data = binding.open_page(query, run_id)
        try:
            if ctx.triggered_id == "lab-keep-most":
                context.lab.searches.start(
                    search_owner(), [data.task(KEEP_MOST, state.seed, state.effort)]
                )
            else:
                solve(context, state, data, every=ctx.triggered_id == "lab-all")
        except BusyError as error:
            return (
                f"The search did not start: {error}.",
                *(no_update,) * 3,
                not data.busy,
                not data.busy,
            )
        except ValueError as error:
            return f"The search did not start: {error}.", *(no_update,) * 5
        return "Starting.", True, True, True, False, False


def solve(context: AppContext, state: LabState, data: LabData, *, every: bool) -> None:
    """Start a search with the selected strategy, or with every strategy that can run here, and
    return immediately.

    Raises BusyError if another search prevents it, ValueError if the problem is invalid.
    """
    # Strategies that prove their result are compiled, so they need a compiler.
    possible = [name for name in data.strategies if can_compile() or not LISTED[name].proves]
    names = possible if every else [state.strategy]
    tasks = [data.task(name, state.seed, state.effort) for name in names]
    context.lab.searches.start(search_owner(), tasks)


def _register_watching(binding: LabBinding) -> None:
    states = (State(LAB.view, "data"), State("lab-solve", "n_clicks"), State("lab-all", "n_clicks"))

    binding.app.clientside_callback(
        ClientsideFunction("tilescope", "nextTurn"),
        Output(TURN, "data"),
        Input(CLOCK, "n_intervals"),
        prevent_initial_call=True,
    )

    # A separate store: if drawings of the page used the same store, a response would be lost when
    # two arrive together.
    @binding.app.callback(
        Output(LIVE, "data"),
        Output(TOLD, "data"),
        Input(TURN, "data"),
        State(TOLD, "data"),
        State(LAB.subject, "data"),
        State("theme", "data"),
        *states,
        prevent_initial_call=True,
    )
    def watch(
        _turn: int, told: object, run_id: str, theme: str | None, *states: Any
    ) -> tuple[Any, ...]:
        """Return the properties that show the progress of the search, and a text that changes with
        a new result (unchanged: no update).
        """
        state, data = binding.open_page(states[0], run_id)
        # The version is read last: this may be the last poll, and a result that arrived meanwhile
        # has to be drawn.
        answered = binding.version(run_id, state)
        changes = live(data, state, theme or "light") | {CLOCK: {"disabled": not data.busy}}
        return {"asked": states, "changes": changes}, no_update if answered == told else answered

    binding.app.clientside_callback(
        ClientsideFunction("tilescope", "changeIfAsked"),
        Output(LIVE, "modified_timestamp"),
        Input(LIVE, "data"),
        *states,
        prevent_initial_call=True,
    )

    # In the browser, because the view state may have changed since the request.
    binding.app.clientside_callback(
        ClientsideFunction("tilescope", "drawAgain"),
        Output(LAB.view, "data", allow_duplicate=True),
        Input(TOLD, "data"),
        State(LAB.view, "data"),
        prevent_initial_call=True,
    )


def live(data: LabData, state: LabState, theme: str) -> Properties:
    """Compute the properties that change while a search runs, component id -> properties: the
    status and the plot of extents.
    """
    pieces = (STATUS, plot_piece(LAB, EXTENT))
    return {
        name: props for piece in pieces for name, props in piece.draw(data, state, theme).items()
    }
