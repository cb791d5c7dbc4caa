"""Keep the address bar in step with a page's view state, and follow the back and forward buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from dash import ClientsideFunction, Dash, Input, Output, dcc
from dash.development.base_component import Component


def stores(view_id: str, query: str) -> list[Component]:
    """Lay out the two stores of a page's view state: `view_id` has the displayed state,
    `<view_id>-from-url` the state that back and forward request.

    Both hold a query string without `?`. The page writes the first; a callback of the page reads
    the second and updates its controls.
    """
    return [dcc.Store(id=view_id, data=query), dcc.Store(id=f"{view_id}-from-url")]


def register(app: Dash, view_id: str) -> None:
    """Register the browser callback that writes the view state of store `view_id` to the address
    bar.

    Dash's router is bypassed, because it would lay out the page again.
    """
    app.clientside_callback(
        ClientsideFunction("tilescope", "writeHistory"),
        Output(view_id, "modified_timestamp"),
        Input(view_id, "data"),
    )


def query_string(query: Mapping[str, str | Sequence[str]]) -> str:
    """Encode the query that Dash passes to a layout function as a query string without `?`; a list
    becomes a repeated parameter.
    """
    return urlencode(query, doseq=True, errors="replace")
