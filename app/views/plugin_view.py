"""Wrap a view of another package, so that its errors affect only its own place on the page."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dash.development.base_component import Component
from plotly.utils import PlotlyJSONEncoder

from app.request.time_limit import TimeLimitError, limit_part
from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import FAILED, LIMIT_S, ContentView, Panel, Part, Plot, Step, View
from components.figure import Figure
from data_loaders.plugin_boundary import PluginBoundary
from services.run.data import RunData

GivesTables = Callable[[RunData, RunState], list[Table]]
_LOG = logging.getLogger(__name__)


def wrap_view(view: View, sources: tuple[str, ...]) -> View:
    """Return a copy of the view that is limited to runs of `sources` (of any source if empty) and
    contains its own errors.
    """
    safe: dict[str, Any] = {
        "only": lambda data: not sources or str(data.run["source"].iloc[0]) in sources,
        "controls": _controls(view),
        "listing": _listing(view),
    }
    if isinstance(view, Plot):
        safe |= {"draw": _draw(view), "tables": _tables(view, lambda _data, _state: [])}
        safe |= {} if view.on_click is None else {"on_click": _click(view.on_click)}
    if isinstance(view, ContentView):
        safe |= {
            "make": _make(view),
            "tables": _tables(view, _caption_table(view)),
            "key": None,
            "moved": None,
        }
    return replace(view, **safe)


def _draw(view: Plot) -> Callable[[RunData, RunState, str], Panel]:
    def draw(data: RunData, state: RunState, theme: str) -> Panel:
        with PluginBoundary():
            panel = view.draw(data, state, theme)
            if not isinstance(panel, Panel) or not isinstance(panel.figure, Figure):
                raise TypeError("a plot must return a Panel with a figure")
            _check_texts(panel.caption, panel.line)
            # A figure that cannot be serialised must fail here, where the error costs only this
            # view.
            panel.figure.to_json()
            return panel

    return draw


def _make(view: ContentView) -> Callable[[RunData, RunState], Part]:
    def make(data: RunData, state: RunState) -> Part:
        with PluginBoundary():
            part = view.make(data, state)
            if not isinstance(part, Part):
                raise TypeError("a text view must return a Part")
            _check_texts(part.caption)
            json.dumps(
                part.body, cls=PlotlyJSONEncoder
            )  # a body that is not JSON would cost the whole page
            return part

    return make


def _caption_table(view: ContentView) -> GivesTables:
    """Return a function (data, state) that makes a table without rows, with the caption of a
    content view, for snapshots.
    """
    make = _make(view)
    return lambda data, state: [Table(view.title, make(data, state).caption, [], [])]


def _tables(view: View, otherwise: GivesTables) -> GivesTables:
    """Return a function (data, state) that makes the view's tables for a snapshot.

    If the view has no tables, the function calls `otherwise`; if it fails, it returns a table with
    a message.
    """

    def tables(data: RunData, state: RunState) -> list[Table]:
        try:
            with limit_part(LIMIT_S), PluginBoundary():
                own = [*view.tables(data, state)]
                if not all(isinstance(table, Table) for table in own):
                    raise TypeError("tables must be made by plain_table")
                return own or otherwise(data, state)
        except (Exception, TimeLimitError):
            _LOG.exception("tables of view %s of %s", view.id, data.label)
            return [Table(view.title, FAILED, [], [])]

    return tables


def _controls(view: View) -> Callable[[RunData, RunState], list[Component]]:
    def controls(data: RunData, state: RunState) -> list[Component]:
        try:
            with limit_part(LIMIT_S), PluginBoundary():
                # A generator raises its errors when it is consumed, so it has to be consumed here.
                components = [*view.controls(data, state)]
                json.dumps(components, cls=PlotlyJSONEncoder)
                return components
        except (Exception, TimeLimitError):
            _LOG.exception("controls of view %s of %s", view.id, data.label)
            return []

    return controls


def _listing(view: View) -> Callable[[RunData, RunState], str]:
    def listing(data: RunData, state: RunState) -> str:
        try:
            with limit_part(LIMIT_S), PluginBoundary():
                return str(view.listing(data, state))
        except (Exception, TimeLimitError):
            _LOG.exception("text of view %s of %s", view.id, data.label)
            return ""

    return listing


def _click(click: Step) -> Step:
    def clicked(state: RunState, data: RunData, given: Mapping[str, Any]) -> RunState:
        try:
            with limit_part(LIMIT_S), PluginBoundary():
                after = click(state, data, given)
                return after if isinstance(after, RunState) else state
        except (Exception, TimeLimitError):
            _LOG.exception("a click on a view of %s", data.label)
            return state

    return clicked


def _check_texts(*texts: object) -> None:
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a view must return text")
