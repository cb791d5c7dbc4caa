"""How callbacks of the page come by the comparison, and what changes whenever it does."""

from __future__ import annotations

from dash import Dash

from app.context import AppContext
from app.pages.compare.question import open_comparison, question, resolve_state
from app.pages.page import ContentRequest
from app.views.binding import Binding
from app.views.comparison.registry import COMPARE, parse
from app.views.comparison.state import CompareState
from services.comparison.data import CompareData


def compare_binding(app: Dash, context: AppContext) -> Binding[CompareData, CompareState]:
    """Return the binding of the page of a comparison."""
    return Binding(
        app,
        COMPARE,
        lambda _subject, state: open_comparison(context.repository, context.comparisons, state)[0],
        lambda _subject, state: content_of(context, state),
    )


def content_of(context: AppContext, state: CompareState) -> str:
    """Return what changes whenever the numbers do: content of the runs, settings, thresholds, and whose are shown."""
    asked, _ = question(context.repository, state)
    shown = state.focus if state.each else ""
    return f"{context.comparisons.version(asked)} {asked.settings} {asked.thresholds} {shown}"


def stored_content(context: AppContext, request: ContentRequest) -> str:
    """Return the runs of a comparison as they are stored, and what is to be known of its baseline."""
    asked, notes = question(context.repository, resolve_state(context.repository, parse(request.query)))
    return repr([notes, *(context.repository.find_run(run) for run in (*asked.base, *asked.new))])
