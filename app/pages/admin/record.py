"""The record of the administration page."""

from __future__ import annotations

from dash import Dash

from app.context import AppContext
from app.pages.admin import orphans, page, retention
from app.pages.page import Page
from schema.roles import Role


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the parts of the administration page that have buttons."""
    orphans.register(app, context)
    retention.register(app, context)


ADMIN_PAGE = Page(
    name="admin",
    path="/admin",
    title="Administration",
    layout=page.layout,
    register=register,
    navigation="Administration",
    role=Role.ADMIN,
    has_state=False,
    # These callbacks only start jobs and read their state.
    exceptions=("admin-orphans",),
    # Starts a job, which outlives a render process.
    in_server=("admin-retention-begun",),
)
