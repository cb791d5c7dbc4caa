"""Menu of the saved filters of the list of runs: a link each, and a button to delete it."""

from __future__ import annotations

from collections.abc import Sequence

from dash import dcc, html
from dash.development.base_component import Component

from components.aria import aria
from components.numbers import shorten, tame
from components.runs.list_address import list_address
from storage.saved_texts import SavedView


def view_list(
    views: Sequence[SavedView], user: str, *, editor: bool, admin: bool
) -> list[Component]:
    """Build a list with a link per saved filter, and a delete button for filters that the user may
    delete.

    Editors can delete their own, admins all. A paragraph if there are no saved filters.
    """
    if not views:
        return [html.P("No view is saved yet.", className="ts-muted")]
    return [
        html.Ul(
            [_row(view, deletes=admin or (editor and view.created_by == user)) for view in views]
        )
    ]


def _row(view: SavedView, *, deletes: bool) -> html.Li:
    name = tame(view.name)
    tooltip = f"{name}: saved by {tame(view.created_by)}, {view.created_at[:10]}"
    link = dcc.Link(shorten(name, 40), href=list_address(view.query), title=tooltip)
    button = html.Button(
        html.Span("×", **aria(hidden="true")),
        id={"type": "runs-view-delete", "name": view.view_id},
        className="ts-chip-remove",
        title="Delete this view",
        **aria(label=f"Delete view {name}"),
    )
    return html.Li([link, button] if deletes else link)
