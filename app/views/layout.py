"""The views of a run as a page: rows and stacks in reading order, a frame around each view."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from dash import html
from dash.development.base_component import Component

from app.views.choice import Choice
from app.views.controls import choice, named
from app.views.drawing import Properties, plot_piece, strip_piece, words_piece
from app.views.reads import Watch
from app.views.registry import views_of
from app.views.state import RunState
from app.views.view import Plot, View, Words
from components.aria import aria
from components.graph import graph, summary_id
from services.runs import RunData


def view_groups(data: RunData, watch: Watch, theme: str) -> list[Component]:
    """Lay out the views that a run has: those of one group in rows of their own."""
    return [
        html.Div(_group([*views], data, watch, theme), className="ts-rows")
        for _, views in groupby(views_of(data), lambda view: view.group)
    ]


def view_keys(data: RunData, state: RunState) -> dict[str, str]:
    """Return the keys of the views that have one, by the view's id."""
    return {view.id: view.key(data, state) for view in views_of(data) if isinstance(view, Words) and view.key}


def _group(views: list[View], data: RunData, watch: Watch, theme: str) -> list[Component]:
    """Lay out the views of a group; those of one stack below each other, in one place of the row."""
    children: list[Component] = []
    for (stack, width), stacked in groupby(views, lambda view: (view.stack, view.width)):
        sections: list[Component] = [_section(view, data, watch, theme) for view in stacked]
        children += [html.Div(sections, className=f"ts-stack ts-{width}")] if stack else sections
    return children


def _section(view: View, data: RunData, watch: Watch, theme: str) -> html.Section:
    if isinstance(view, Plot):
        return _plot(view, data, watch, theme)
    if isinstance(view, Words):
        return _words(view, data, watch)
    raise TypeError(f"view {view.id} is neither a plot nor words")


def _plot(view: Plot, data: RunData, watch: Watch, theme: str) -> html.Section:
    shown = plot_piece(view).draw(data, watch.of(view.id), theme)
    # What zooming sets and a double click clears, for the browser.
    zooms: dict[str, Any] = {"data-zooms": " ".join(view.zooms)} if view.zooms else {}
    return html.Section(
        [
            _head(view, data, watch.state),
            _part(html.P, shown, f"{view.graph_id}-answer", "ts-answer"),
            *([_strip(view.strip, data, watch, theme)] if view.strip else []),
            _graph(view, shown),
            _part(html.P, shown, f"{view.graph_id}-line", "ts-panel-hint ts-line"),
        ],
        className=f"ts-panel ts-{view.width}",
        id=view.id,
        **zooms,
    )


def _strip(strip: Plot, data: RunData, watch: Watch, theme: str) -> html.Figure:
    return _graph(strip, strip_piece(strip).draw(data, watch.of(strip.id), theme))


def _graph(view: Plot, shown: Properties) -> html.Figure:
    summary = shown[summary_id(view.graph_id)]["children"]
    return graph(view.graph_id, shown[view.graph_id]["figure"], summary)


def _part(kind: type[Component], shown: Properties, part_id: str, class_name: str) -> Component:
    return kind(id=part_id, className=class_name, **shown[part_id])


def _words(view: Words, data: RunData, watch: Watch) -> html.Section:
    shown = words_piece(view).draw(data, watch.of(view.id), "")
    section = f"run-{view.id}-section"
    return html.Section(
        [
            _head(view, data, watch.state),
            _part(html.P, shown, f"run-{view.id}-answer", "ts-answer"),
            _part(html.Div, shown, f"run-{view.id}-body", "ts-part-body"),
        ],
        id=section,
        className=f"ts-panel ts-part ts-{view.width}",
        **shown[section],
    )


def _head(view: View, data: RunData, state: RunState) -> html.Div:
    return html.Div(
        [
            html.H2(view.title, className="ts-panel-title"),
            html.Abbr("?", title=view.help, className="ts-help", tabIndex=0, **aria(label=view.help)),
            html.Span(className="ts-grow"),
            *view.controls(data, state),
            *(_select(one, state) for one in view.choices),
        ],
        className="ts-panel-head",
    )


def _select(one: Choice, state: RunState) -> html.Label:
    return named(one.label, choice(one.name, one.options, one.of(state)))
