"""Connect the callbacks of a run's page to its data and versions."""

from __future__ import annotations

from urllib.parse import urlencode

from dash import Dash

from app.context import AppContext
from app.pages.page import ContentRequest, PageContent
from app.views.binding import Binding
from app.views.registry import RUN
from app.views.state import RunState
from services.run.data import RunData
from services.run.data_cache import RunDataCache
from services.run.same_commit import related_runs
from services.status.run_standing import run_standings
from storage.annotations import Annotations


def run_binding(app: Dash, cache: RunDataCache) -> Binding[RunData, RunState]:
    """Make the binding that connects the callbacks of a run's page to its data and versions."""
    return Binding(
        app,
        RUN,
        lambda run_id, state: cache.with_saved(run_id, state.method, state.overrides),
        lambda run_id, state: content_version(cache, run_id, state),
    )


def content_version(cache: RunDataCache, run_id: str, state: RunState) -> str:
    """Build a text that changes with a run's own data: content, saved placements, method, settings.
    Raises RunNotFound.
    """
    return f"{cache.own_version(run_id)}?{urlencode(state.options())}"


def stored_content(context: AppContext, request: ContentRequest) -> PageContent:
    """Identify the content by the stored run and its saved placements, for its layout also by the
    verdicts of rules, the other runs of its commit and whether it links to Perfetto, for a drawing by
    the other runs of its GEMM or job; the parts for the user by the annotations.

    Raises RunNotFound, also for the prefix of an id, because it may match another run later.
    """
    stored = context.repository.find_run(request.subject)
    catalogue = context.repository.catalogue
    prefixes = {stored.run_id: stored.prefix}
    shown: list[object] = [stored, context.data.own_version(request.subject)]
    if not request.is_layout:
        others = context.data.other_runs(request.subject).strip()
        return PageContent(repr(shown), prefixes, other_runs=others)
    # A layout need not have the newest other runs: the first drawing after it replaces their views.
    standings = run_standings(context.repository, request.subject)
    related = related_runs(catalogue, stored.run)
    annotation = repr(Annotations(catalogue).one(stored))
    has_perfetto = bool(context.settings.perfetto_url)
    return PageContent(repr([*shown, standings, related, has_perfetto]), prefixes, annotation)
