"""The record of the alerts page."""

from __future__ import annotations

from app.pages.alerts import callbacks, layout
from app.pages.page import Page
from schema.roles import Role

ALERTS_PAGE = Page(
    name="alerts",
    path="/alerts",
    title="Alerts",
    layout=layout.layout,
    register=callbacks.register,
    navigation="Alerts",
    role=Role.ADMIN,
    has_state=False,
    is_slow=False,
    # A test sends messages, which may take long.
    exceptions=("alerts-body",),
    in_server=("alerts-body",),
)
