"""The page for unknown addresses."""

from __future__ import annotations

from dash import dcc, html

from app.context import AppContext
from app.pages.page import Page, PageRequest
from components.runs.list_address import list_address


def layout(_context: AppContext, _request: PageRequest) -> html.Section:
    """Lay out the page for unknown addresses: a message and a link to the list of runs."""
    return html.Section(
        [html.H1("There is no page at this address."), dcc.Link("All runs", href=list_address())],
        className="ts-panel ts-empty",
    )


# Dash uses the page with this name for every address that no other page matches.
NOT_FOUND_PAGE = Page(
    name="not_found_404", path="/404", title="Not found", layout=layout, has_state=False
)
