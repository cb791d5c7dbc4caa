"""The callbacks of the operator's page."""

from __future__ import annotations

from dash import Dash

from app.context import AppContext
from app.pages.admin import orphans, retention


def register(app: Dash, context: AppContext) -> None:
    """Add the callbacks of the parts that do something."""
    orphans.register(app, context)
    retention.register(app, context)
