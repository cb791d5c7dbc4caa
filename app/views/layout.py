"""Lay out the views of a page in reading order: rows, stacks, and a frame around each view."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic

from dash import html
from dash.development.base_component import Component

from app.views.controls import choice, name_control
from app.views.drawing import Properties, plot_piece, strip_piece, words_piece
from app.views.option import Option
from app.views.page_data import Data, State
from app.views.reads import ReadWatch
from app.views.view import ContentView, Plot, View
from app.views.view_page import ViewPage
from components.aria import aria
from components.graph import graph, summary_id


@dataclass(frozen=True)
class PageViews(Generic[Data, State]):
    """The views of a page for given page data, view state and theme."""

    screen: ViewPage[Data, State]
    data: Data
    watch: ReadWatch[State]
    theme: str

    def groups(self) -> list[Component]:
        """Lay out the views that the page data supports: a component per group of views, which
        begins a new row.
        """
        return [
            self._rows([*views])
            for _, views in groupby(self.screen.available_views(self.data), lambda view: view.group)
        ]

    def _rows(self, views: list[View[Data, State]]) -> Component:
        rows = html.Div(self._group(views), className="ts-rows")
        fold = views[0].fold
        return html.Details([html.Summary(fold), rows], className="ts-fold") if fold else rows

    def keys(self) -> dict[str, str]:
        """Return view id -> key, for the content views and strips that have a key (see `Piece.key`)."""
        views = [*self.screen.available_views(self.data)]
        keys = {view.id: view.key for view in views if isinstance(view, ContentView)}
        strips = [view.strip for view in views if isinstance(view, Plot) and view.strip]
        keys |= {strip.id: strip.key for strip in strips}
        return {name: key(self.data, self.watch.state) for name, key in keys.items() if key}

    def other_runs(self) -> dict[str, str]:
        """Return view id -> version of the other runs that the view shows, for views that do."""
        views = self.screen.available_views(self.data)
        return {view.id: view.other_runs(self.data) for view in views if view.other_runs}

    def _group(self, views: list[View[Data, State]]) -> list[Component]:
        """Lay out the views of a group; views of the same stack share a cell of the row."""
        children: list[Component] = []
        for (stack, width), stacked in groupby(views, lambda view: (view.stack, view.width)):
            sections: list[Component] = [self._section(view) for view in stacked]
            children += (
                [html.Div(sections, className=f"ts-stack ts-{width}")] if stack else sections
            )
        return children

    def _section(self, view: View[Data, State]) -> html.Section:
        if isinstance(view, Plot):
            return self._plot(view)
        if isinstance(view, ContentView):
            return self._words(view)
        raise TypeError(f"view {view.id} is neither a plot nor words")

    def _plot(self, view: Plot[Data, State]) -> html.Section:
        graph_id = self.screen.id(view.id)
        shown = plot_piece(self.screen, view).draw(self.data, self.watch.of(view.id), self.theme)
        # The browser reads which ranges zooming sets and a double click clears.
        zooms: dict[str, Any] = {"data-zooms": " ".join(view.zooms)} if view.zooms else {}
        return html.Section(
            [
                self._head(view),
                _part(html.P, shown, f"{graph_id}-answer", "ts-answer"),
                *([self._strip(view.strip)] if view.strip else []),
                _graph(graph_id, shown),
                _part(html.P, shown, f"{graph_id}-line", "ts-panel-hint ts-line"),
            ],
            className=f"ts-panel ts-{view.width}",
            **_address(view),
            **shown[view.id],
            **zooms,
        )

    def _strip(self, strip: Plot[Data, State]) -> html.Figure:
        shown = strip_piece(self.screen, strip).draw(self.data, self.watch.of(strip.id), self.theme)
        return _graph(self.screen.id(strip.id), shown)

    def _words(self, view: ContentView[Data, State]) -> html.Section:
        section = self.screen.id(view.id)
        shown = words_piece(self.screen, view).draw(self.data, self.watch.of(view.id), "")
        return html.Section(
            [
                self._head(view),
                _part(html.P, shown, f"{section}-answer", "ts-answer"),
                _part(html.Div, shown, f"{section}-body", "ts-part-body"),
            ],
            className=f"ts-panel ts-part ts-{view.width}",
            **_address(view),
            **shown[view.id],
        )

    def _head(self, view: View[Data, State]) -> html.Div:
        return html.Div(
            [
                html.H2(view.title, className="ts-panel-title"),
                html.Abbr(
                    "?", title=view.help, className="ts-help", tabIndex=0, **aria(label=view.help)
                ),
                html.Span(className="ts-grow"),
                *view.controls(self.data, self.watch.state),
                *(self._select(option) for option in view.choices if option.offered(self.data)),
            ],
            className="ts-panel-head",
        )

    def _select(self, one: Option) -> html.Label:
        state = self.watch.state
        return name_control(
            one.label, choice(one.name, one.options, one.of(state), self.screen.choice)
        )


def _address(view: View[Data, State]) -> dict[str, Any]:
    """Return the attributes by which links and other programs find the card of a view."""
    return {"id": view.id, "data-view": view.id}


def _graph(graph_id: str, shown: Properties) -> html.Figure:
    return graph(graph_id, shown[graph_id]["figure"], shown[summary_id(graph_id)]["children"])


def _part(kind: type[Component], shown: Properties, part_id: str, class_name: str) -> Component:
    return kind(id=part_id, className=class_name, **shown[part_id])
