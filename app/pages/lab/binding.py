"""How callbacks of the page come by a run and the answers of the lab, and who asks."""

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
"""The store that is given another value whenever the page has something new to draw for the view that it has."""

TURN = "lab-turn"
"""The store that has another value whenever the page asks how the search stands: one answer is waited for at a time."""
LIVE = "lab-live"
"""The store of what changes while a search runs, with what the page asked when it was drawn."""


def search_owner() -> str:
    """Return who has one search at a time: the user, the browser of who does not sign in."""
    user = current_user()
    if user.way in ("none", "anonymous") and has_request_context():
        return f"{user.name} {visitor()}"
    return user.key


def open_lab(context: AppContext, run_id: str, state: LabState) -> LabData:
    """Return what the page shows of a run for who asks; raises RunNotFound."""
    data = context.lab.get(run_id, state.lab_problem, state.attempt, search_owner())
    return context.lab.answer_at_once(data, state.seed, state.effort)


def lab_version(context: AppContext, run_id: str, state: LabState) -> str:
    """Return what changes whenever the run, or an answer to the question, does."""
    return context.lab.version(run_id, state.lab_problem, state.attempt)


def lab_binding(app: Dash, context: AppContext) -> LabBinding:
    """Return the binding of the page of the lab."""
    return Binding(
        app,
        LAB,
        lambda run_id, state: open_lab(context, run_id, state),
        lambda run_id, state: lab_version(context, run_id, state),
    )
