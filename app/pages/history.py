"""The address bar follows a page's view state and the back button leads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from dash import ClientsideFunction, Dash, Input, Output, dcc
from dash.development.base_component import Component


def stores(view_id: str, query: str) -> list[Component]:
    """Return the stores of a page's view state: what it shows and what back and forward ask for.

    Both hold a query string without `?`. The page writes `view_id`; a callback of the page reads
    `<view_id>-from-url` and brings its controls in line.
    """
    return [dcc.Store(id=view_id, data=query), dcc.Store(id=f"{view_id}-from-url")]


def register(app: Dash, view_id: str) -> None:
    """Write the store to the address bar without Dash's router building the page anew."""
    app.clientside_callback(
        ClientsideFunction("tilescope", "writeHistory"),
        Output(view_id, "modified_timestamp"),
        Input(view_id, "data"),
    )


def query_string(query: Mapping[str, str | Sequence[str]]) -> str:
    """Return the query string of what Dash hands to a layout function: values, or lists of repeated ones."""
    return urlencode(query, doseq=True, errors="replace")
