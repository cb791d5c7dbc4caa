"""Controls of a comparison whose values are those of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import dash_bootstrap_components as dbc

CHOICE = "compare-choice"
"""Type of the ids of what chooses how a comparison is shown, see `app.views.screen`."""


def select(name: str, options: Sequence[Mapping[str, str]], value: str) -> dbc.Select:
    """Lay out a choice between values of a field of the selection."""
    return dbc.Select(
        id={"type": CHOICE, "name": name}, options=[*options], value=value, size="sm", class_name="ts-select"
    )
