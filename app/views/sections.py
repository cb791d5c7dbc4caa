"""The frame around each plot of a run's page: title, help, controls, answer in words, line beneath."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.views.view import Panel, PanelSpec, Part
from components.aria import aria
from components.graph import graph


def panel_section(
    spec: PanelSpec, panel: Panel, controls: Sequence[Component] = (), above: Sequence[Component] = ()
) -> html.Section:
    """Lay out a drawn panel; `above` stands between its answer and its plot."""
    bar = html.Div(
        [
            html.H2(spec.title, className="ts-panel-title"),
            html.Abbr("?", title=spec.help, className="ts-help", tabIndex=0, **aria(label=spec.help)),
            html.Span(className="ts-grow"),
            *controls,
        ],
        className="ts-panel-head",
    )
    return html.Section(
        [
            bar,
            html.P(panel.answer, id=f"{spec.graph_id}-answer", className="ts-answer"),
            *above,
            graph(spec.graph_id, panel.figure, panel.answer),
            html.P(panel.line, id=f"{spec.graph_id}-line", className="ts-panel-hint ts-line"),
        ],
        className=f"ts-panel ts-{spec.id}",
        id=spec.id,
    )


def part_section(name: str, title: str, help_text: str, made: Part, controls: Sequence[Component] = ()) -> html.Section:
    """Lay out a part that is words or a grid; hidden where it has nothing to show."""
    return html.Section(
        [
            html.Div(
                [
                    html.H2(title, className="ts-panel-title", title=help_text),
                    html.Span(className="ts-grow"),
                    *controls,
                ],
                className="ts-panel-head",
            ),
            html.P(made.answer, id=f"run-{name}-answer", className="ts-answer"),
            html.Div(made.body, id=f"run-{name}-body"),
        ],
        id=f"run-{name}-section",
        className="ts-panel ts-part",
        hidden=made.body is None,
    )
