"""The menu on a run's page with other runs to compare it with."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import dash_bootstrap_components as dbc

from app.views.state import RunState

_ALIKE = ("source", "hwid", "M", "K", "N")
"""Columns that the runs offered in the list have in common with this run."""


def compare_items(run: Mapping[str, object], run_id: str, state: RunState) -> list[dbc.DropdownMenuItem]:
    """Lay out the menu: previous run, baseline, the run with stored settings, any other run.

    The settings of the view apply to this run.
    """
    settings = [(f"new.{key}", value) for key, value in state.overrides.items()]
    new = [("new", run_id), *settings]
    items = [
        _item("with the previous run of its kind", [*new, ("against", "previous")]),
        _item("with its baseline", [*new, ("against", "baseline")]),
    ]
    if settings:
        items.append(_item("with itself, without these settings", [("base", run_id), *new]))
    alike = [(key, str(run[key])) for key in _ALIKE if str(run.get(key)) not in ("", "None", "nan", "<NA>")]
    other = dbc.DropdownMenuItem("with another: select both in the list", href=f"/?{urlencode(alike)}")
    return [*items, other]


def _item(label: str, query: list[tuple[str, str]]) -> dbc.DropdownMenuItem:
    return dbc.DropdownMenuItem(label, href=f"/compare?{urlencode(query)}")
