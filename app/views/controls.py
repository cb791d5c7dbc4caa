"""Controls that choose how a run is shown: each is a field of the view state."""

from __future__ import annotations

from collections.abc import Mapping

import dash_bootstrap_components as dbc

CHOICE = "run-choice"
"""Type of the ids of what chooses how a run is shown; its name is a field of the view state."""


def choice(name: str, options: Mapping[str, str], value: str) -> dbc.Select:
    """Lay out a choice between values of a field of the view state, by their labels."""
    values = [{"label": label, "value": option} for option, label in options.items()]
    return dbc.Select(
        id={"type": CHOICE, "name": name}, options=values, value=value, size="sm", class_name=f"ts-select run-{name}"
    )


def find_box(name: str, value: str, placeholder: str) -> dbc.Input:
    """Lay out a field of words to look for."""
    return dbc.Input(
        id={"type": CHOICE, "name": name},
        value=value,
        placeholder=placeholder,
        type="search",
        debounce=True,
        size="sm",
        class_name="ts-find",
    )
