"""Layout of the landing page: what broke last night, or how to begin with an empty store."""

from __future__ import annotations

from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.overview.backup_warnings import backup_warnings
from app.pages.landing.first_run import first_run
from app.pages.landing.newest import newest_runs
from app.pages.landing.standings import standing_parts
from app.pages.page import PageRequest
from app.pages.status.state import StatusState, parse
from app.request.user import may
from components.landing.newest import newest_panel
from components.numbers import tame
from schema.roles import Role
from services.store.backups import backup_state
from storage.clock import timestamp
from storage.run_query import EVERY_RUN

BODY, LEFT, MORE = "landing-body", "landing-left", "landing-more"
"""Ids of the content, of the number of missing comparisons, and of the request to continue."""


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page for a request; parameter `rule` of the query chooses the rule."""
    state = StatusState(rule=parse(request.query).rule)
    shown, missing = body(context, state)
    return html.Div(
        [
            dcc.Store(id="landing-rule", data=state.rule),
            dcc.Store(id=LEFT, data=[missing, 0]),
            dcc.Store(id=MORE),
            dcc.Store(id="landing-changed"),
            html.Div(shown, id=BODY, className="ts-landing-body"),
        ],
        className="ts-trends ts-landing",
    )


def body(
    context: AppContext, state: StatusState, within_s: float | None = None
) -> tuple[list[Component], int]:
    """Lay out the sections, the newest runs, and warnings; if the store has no runs, how to begin.
    Return (components, number of missing comparisons).

    No comparison starts after `within_s` seconds (None: 2 s, as on the page of the status).
    """
    listing = context.runs.now()
    if not listing.counts(EVERY_RUN).totals.runs:
        return first_run(), 0
    parts, missing = standing_parts(context, state, within_s)
    newest = newest_panel(newest_runs(listing), timestamp())
    return [*parts, newest, *_backups(context)], missing


def _backups(context: AppContext) -> list[Component]:
    """Lay out what is wrong with the backups, as links to the administration; only for admins."""
    if not may(Role.ADMIN):
        return []
    state = backup_state(context.repository.catalogue, context.settings.backup_plan())
    look = "ts-line ts-caution" if state.to else "ts-line ts-muted"
    return [
        html.P(
            dcc.Link(tame(f"{warning[:1].upper()}{warning[1:]}."), href="/admin#admin-backups"),
            className=look,
        )
        for warning in backup_warnings(state)
    ]
