"""Lay out dialogs."""

from __future__ import annotations

import dash_bootstrap_components as dbc
from dash.development.base_component import Component


def dialog(
    dialog_id: str, title: str, parts: list[Component], size: str | None = None
) -> dbc.Modal:
    """Lay out a closed dialog, labelled by its title for screen readers."""
    named = f"{dialog_id}-title"
    head = dbc.ModalHeader(dbc.ModalTitle(title, id=named))
    return dbc.Modal(
        [head, *parts],
        id=dialog_id,
        is_open=False,
        fade=False,
        labelledby=named,
        size=size,
        scrollable=True,
    )
