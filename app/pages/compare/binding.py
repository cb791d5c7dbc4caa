"""Connect the callbacks of the comparison page to its data and versions."""

from __future__ import annotations

from dash import Dash

from app.context import AppContext
from app.pages.compare.question import open_comparison, question, resolve_state
from app.pages.page import ContentRequest, PageContent
from app.views.binding import Binding
from app.views.comparison.registry import COMPARE, parse
from app.views.comparison.state import CompareState
from services.comparison.data import CompareData


def compare_binding(app: Dash, context: AppContext) -> Binding[CompareData, CompareState]:
    """Make the binding that connects the callbacks of the comparison page to its data and versions."""
    return Binding(
        app,
        COMPARE,
        lambda _data_id, state: open_comparison(context.repository, context.comparisons, state)[0],
        lambda _data_id, state: content_version(context, state),
    )


def content_version(context: AppContext, state: CompareState) -> str:
    """Build a text that changes with the numbers of the comparison: content of the runs, settings,
    thresholds, displayed run.

    Raises as `question` does, and RunNotFound.
    """
    compared, _ = question(context.repository, state)
    shown = state.focus if state.each else ""
    return (
        f"{context.comparisons.version(compared)} {compared.settings} {compared.thresholds} {shown}"
    )


def stored_content(context: AppContext, request: ContentRequest) -> PageContent:
    """Identify the content by the stored runs of the requested comparison and the notes about its
    baseline.

    Raises as `resolve_state` and `question` do.
    """
    compared, notes = question(
        context.repository, resolve_state(context.repository, parse(request.query))
    )
    stored = [context.repository.find_run(run) for run in (*compared.base, *compared.new)]
    return PageContent(repr([notes, *stored]), {run.run_id: run.prefix for run in stored})
