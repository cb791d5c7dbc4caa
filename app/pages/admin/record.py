"""The record of the administration page."""

from __future__ import annotations

from app.pages.admin import callbacks, page
from app.pages.page import Page
from schema.roles import Role

ADMIN_PAGE = Page(
    name="admin",
    path="/admin",
    title="Administration",
    layout=page.layout,
    register=callbacks.register,
    navigation="Administration",
    role=Role.ADMIN,
    has_state=False,
    # These callbacks only start jobs and read their state.
    exceptions=("admin-orphans",),
    # Starts a job, which outlives a render process.
    in_server=("admin-retention-begun",),
)
