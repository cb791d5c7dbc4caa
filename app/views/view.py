"""The record of a view: its needs, its drawing, and its actions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic

import pandas as pd
from dash.development.base_component import Component

from app.request.time_limit import TimeLimitError, limit_part
from app.views.option import Option
from app.views.page_data import Data, PageData, State
from app.views.text_tables import Table
from components.figure import Figure
from components.graph import nothing
from services.run.capabilities import Capability

_MAX_EXACT = 2**53
"""Largest magnitude up to which a JavaScript number is an exact integer."""
_LOG = logging.getLogger(__name__)
FAILED = "This view could not be drawn; the server log has the reason."
LIMIT_S = 5.0
"""Processor time that a view may take on servers with time limits, in seconds."""
STOPPED = "This view took too much processor time and was stopped"
"""Begin of the sentence in place of a view that was stopped; `stopped_words` completes it."""

Click = Mapping[str, Any] | None
Step = Callable[[State, Data, Mapping[str, Any]], State]
"""Changes the view state after an action: state, page data, and the click as reported by Dash or
plotly.
"""
CellStep = Callable[[State, Data, int, str], State]
"""Changes the view state after a click on a grid cell: state, page data, row number, column name.
"""


class Width(StrEnum):
    """Share of a row that a view takes.

    The rest of the row is distributed, so that every row is full.
    """

    FULL = "full"
    WIDE = "wide"
    HALF = "half"
    NARROW = "narrow"


@dataclass(frozen=True)
class Panel:
    """A drawn plot: figure, caption, and a note about data that the figure leaves out.

    The card is hidden if `absent`, because the run has no data for this view.
    """

    figure: Figure
    caption: str
    line: str = ""
    absent: bool = False


@dataclass(frozen=True)
class Part:
    """The body of a content view and its caption; `body` is None if the view is empty."""

    body: Component | None
    caption: str


@dataclass(frozen=True)
class Grid(Generic[Data, State]):
    """A grid inside a content view.

    `on_cell` handles a click on a cell. `marks` returns the values of the properties named in
    `marked`, which are updated in place so that the grid keeps its scroll position when the
    selection changes. `rows` returns the rows of a grid that loads them in blocks.
    """

    id: str
    on_cell: CellStep[State, Data] | None = None
    marked: tuple[str, ...] = ()
    marks: Callable[[Data, State], Sequence[object]] | None = None
    rows: Callable[[Data, State], pd.DataFrame] | None = None


@dataclass(frozen=True)
class Link(Generic[Data, State]):
    """Links inside views that change the view state: type and keys of their component ids, and the
    step.
    """

    type: str
    keys: tuple[str, ...]
    step: Step[State, Data]


@dataclass(frozen=True)
class ViewSelection(Generic[Data, State]):
    """A selection that views add to the address of their page.

    `record` declares its fields (see `app.views.address.fields.param`) and is the type that
    `state.selected(record)` returns; actions change it by `state.with_selected`. `words` returns
    the selection in words by field: each text is a button that clears the field and the fields that
    require it.
    """

    record: type[Any]
    words: Callable[[Data, State], Mapping[str, str]] = lambda _data, _state: {}


@dataclass(frozen=True, kw_only=True)
class View(Generic[Data, State]):
    """A view of a run or of other page data.

    Page data has the view if it has all capabilities in `needs` and `only` returns True. Several
    views may share an id if no page data has two of them, such as plots at the same place for
    different kinds of runs. Each `group` begins a new row; its views are placed side by side
    according to `width`, with equal heights, and views of the same `stack` below each other. The
    views of a group with a `fold` are folded below a line with this text.
    `other_runs` returns a text that changes whenever the other runs do that the view shows.
    `choices` and `controls` are shown above the view. `selection` has the fields of the address
    that only this family of views uses. `tables` and `listing` are the view's text in a snapshot.
    """

    id: str
    title: str
    help: str
    needs: frozenset[Capability] = frozenset()
    group: str = "panels"
    width: Width = Width.HALF
    stack: str = ""
    fold: str = ""
    choices: tuple[Option, ...] = ()
    selection: ViewSelection[Data, State] | None = None
    controls: Callable[[Data, State], list[Component]] = lambda _data, _state: []
    links: tuple[Link[Data, State], ...] = ()
    tables: Callable[[Data, State], list[Table]] = lambda _data, _state: []
    listing: Callable[[Data, State], str] = lambda _data, _state: ""
    only: Callable[[Data], bool] = lambda _data: True
    other_runs: Callable[[Data], str] | None = None

    def shown_for(self, data: Data) -> bool:
        """Return whether the page data has this view: all capabilities in `needs`, and `only` is
        true.
        """
        return data.can(*self.needs) and self.only(data)


@dataclass(frozen=True, kw_only=True)
class Plot(View[Data, State]):
    """A view that is a plot.

    `zooms` names the ranges that its axes set, x axis first: `window` (ticks), or `span` (time
    steps) and `addresses` (bytes). `strip` is a plot above it in which dragging selects the window.
    `key` returns a text that changes whenever the drawing of a strip does, if the browser marks the
    window in it (`assets/timeline_strip.js`).
    """

    draw: Callable[[Data, State, str], Panel]
    on_click: Step[State, Data] | None = None
    zooms: tuple[str, ...] = ()
    strip: Plot[Data, State] | None = None
    key: Callable[[Data, State], str] | None = None


@dataclass(frozen=True, kw_only=True)
class ContentView(View[Data, State]):
    """A view that consists of components: text, a grid, controls.

    `key` returns a text that changes whenever the body changes, for a `make` that reads more of the
    view state than that; a grid that marks the selection in place is sent again only when the key
    changes. `moved` returns component id -> properties that change while the body stays: a slider
    that is created again would lose the pointer that drags it.
    """

    make: Callable[[Data, State], Part]
    key: Callable[[Data, State], str] | None = None
    moved: Callable[[Data, State], Mapping[str, dict[str, Any]]] | None = None
    grid: Grid[Data, State] | None = None


def stopped_words(data: PageData) -> str:
    """Write the sentence in place of a view that was stopped: what to select, so that it has less
    to draw.
    """
    if data.can(Capability.MEMORY) and not data.can(Capability.TIMELINE):
        return f"{STOPPED}: drag over fewer steps in the memory map."
    if data.can(Capability.TIMELINE):
        return f"{STOPPED}: drag over a shorter time in the timeline."
    return f"{STOPPED}: select less data."


def draw_plot(view: Plot[Data, State], data: Data, state: State, theme: str) -> Panel:
    """Draw a plot; if it fails or exceeds its time limit LIMIT_S, return a message in its place.

    A plot without traces becomes text if no part of the run is selected.
    """
    try:
        with limit_part(LIMIT_S):
            panel = view.draw(data, state, theme)
    except TimeLimitError:
        return Panel(nothing(theme), stopped_words(data))
    except Exception:
        # A defect of one view must not take the rest of the page with it.
        _LOG.exception("view %s of %s with %s", view.id, data.label, state.query())
        return Panel(nothing(theme), FAILED)
    # A plot that is empty because of the selection keeps its place on the page; if the whole run
    # has no data for it, a line of text is enough.
    return (
        panel if panel.figure.has_traces or not state.selects_nothing else _in_words(panel, theme)
    )


def _in_words(panel: Panel, theme: str) -> Panel:
    """Return a panel with an empty figure; the notes inside the figure become the line below it."""
    notes = " ".join(note for note in panel.figure.notes if note != panel.caption)
    line = panel.line or notes
    return Panel(nothing(theme), panel.caption, line, panel.absent or not (panel.caption or line))


def custom(click: Click) -> list[Any]:
    """Return the customdata of the first clicked point as a list; empty if the click has no point
    or no data.
    """
    points = click.get("points") if isinstance(click, Mapping) else None
    first = points[0] if isinstance(points, list) and points else None
    data = first.get("customdata") if isinstance(first, Mapping) else None
    if isinstance(data, list | tuple):
        return list(data)
    return [] if data is None else [data]


def whole(value: object) -> int | None:
    """Return a number that a browser sent as an integer; None for any other value and for numbers
    beyond ±2^53 (_MAX_EXACT).
    """
    return (
        int(value)
        if isinstance(value, int | float) and -_MAX_EXACT <= value <= _MAX_EXACT
        else None
    )
