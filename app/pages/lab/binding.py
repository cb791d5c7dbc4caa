"""Connect the callbacks of the lab to its data and versions, and identify the owner of a search."""

from __future__ import annotations

from dash import Dash
from flask import has_request_context

from app.context import AppContext
from app.request.user import current_user
from app.request.visitors import visitor
from app.views.binding import Binding
from app.views.lab.registry import LAB
from app.views.lab.state import LabState
from services.lab.data import LabData

LabBinding = Binding[LabData, LabState]
TOLD = "lab-told"
"""Store whose value changes if the page has to draw its views again, such as after a new result."""

TURN = "lab-turn"
"""Store whose value changes with each poll of a search.

The next poll waits for the previous response.
"""
LIVE = "lab-live"
"""Store of the properties that change while a search runs, with the request that they answer."""


def search_owner() -> str:
    """Return the key under which a single search may run: that of the user, without sign-in that of
    the browser session.
    """
    user = current_user()
    if user.way in ("none", "anonymous") and has_request_context():
        return f"{user.name} {visitor()}"
    return user.key


def open_lab(context: AppContext, run_id: str, state: LabState) -> LabData:
    """Return the lab's data of a run for the current user, with the placements that take no time;
    raises RunNotFound.
    """
    data = context.lab.get(run_id, state.lab_problem, state.attempt, search_owner())
    return context.lab.add_instant_placements(data, state.seed, state.effort)


def lab_version(context: AppContext, run_id: str, state: LabState) -> str:
    """Build a text that changes whenever the run or a result for the problem does; raises
    RunNotFound.
    """
    return context.lab.version(run_id, state.lab_problem, state.attempt)


def lab_binding(app: Dash, context: AppContext) -> LabBinding:
    """Make the binding that connects the callbacks of the lab to its data and versions."""
    return Binding(
        app,
        LAB,
        lambda run_id, state: open_lab(context, run_id, state),
        lambda run_id, state: lab_version(context, run_id, state),
    )
