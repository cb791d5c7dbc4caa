"""How callbacks of a run's page come by the run, and what changes whenever it does."""

from __future__ import annotations

from urllib.parse import urlencode

from dash import Dash

from app.views.binding import Binding
from app.views.registry import RUN
from app.views.state import RunState
from services.runs import RunData, RunDataCache


def run_binding(app: Dash, cache: RunDataCache) -> Binding[RunData, RunState]:
    """Return the binding of the page of a run."""
    return Binding(
        app,
        RUN,
        lambda run_id, state: cache.with_kept(run_id, state.method, state.overrides),
        lambda run_id, state: content_of(cache, run_id, state),
    )


def content_of(cache: RunDataCache, run_id: str, state: RunState) -> str:
    """Return what changes whenever a run's data does: content, kept answers, method, settings."""
    return f"{cache.shown_version(run_id)}?{urlencode(state.options())}"
