"""Callbacks of the administration page."""

from __future__ import annotations

from dash import Dash

from app.context import AppContext
from app.pages.admin import orphans, retention


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the parts with buttons."""
    orphans.register(app, context)
    retention.register(app, context)
