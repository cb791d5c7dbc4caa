"""The page for addresses that lead nowhere."""

from __future__ import annotations

from dash import dcc, html


def layout() -> html.Section:
    """Lay out a sentence and the way back."""
    return html.Section(
        [html.H1("There is nothing at this address."), dcc.Link("All runs", href="/")], className="ts-panel ts-empty"
    )
