"""What the panels and parts of a run's page are, and how a failing panel is kept from the others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import plotly.graph_objects as go
from dash.development.base_component import Component

from app.views.state import RunState
from components.graph import empty_figure
from services.runs import RunData

_LOG = logging.getLogger(__name__)
_FAILED_PX = 160


@dataclass(frozen=True)
class Panel:
    """One panel: its figure, its answer in words, and a line about what the figure leaves out."""

    figure: go.Figure
    answer: str
    line: str = ""


@dataclass(frozen=True)
class Part:
    """A part of the page that is words or a grid, and its answer; nothing to show: no body."""

    body: Component | None
    answer: str


@dataclass(frozen=True)
class PanelSpec:
    """A panel's place on the page: id, title, what it explains, how it is drawn, and which runs have it."""

    id: str
    title: str
    help: str
    draw: Callable[[RunData, RunState, str], Panel]
    shown: Callable[[RunData], bool]

    @property
    def graph_id(self) -> str:
        """Return the id of its graph."""
        return f"run-{self.id}"


def drawn(spec: PanelSpec, data: RunData, state: RunState, theme: str) -> Panel:
    """Draw a panel; one that fails says so in its place and costs no other."""
    try:
        return spec.draw(data, state, theme)
    except Exception:
        _LOG.exception("panel %s of run %s with %s", spec.id, data.run_id, state.query())
        sentence = "This view could not be drawn; the server's log says why."
        return Panel(empty_figure(sentence, theme, _FAILED_PX), sentence)
