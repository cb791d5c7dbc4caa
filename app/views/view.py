"""What a view is: one record says what it needs, how it is drawn, and what people can do with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic

import pandas as pd
from dash.development.base_component import Component

from app.request.time_limit import TimeLimitError, limit_processor_time
from app.views.option import Option
from app.views.page_data import Data, State
from app.views.text_tables import Table
from components.figure import Figure
from components.graph import nothing
from services.run.capabilities import Capability

_LARGEST = 2**53
_LOG = logging.getLogger(__name__)
FAILED = "This view could not be drawn; the server's log says why."
LIMIT_S = 5.0
"""Processor time that a view may take where pages have limits."""
STOPPED = f"This view was stopped after {LIMIT_S:g} s of processor time: select less of it."

Click = Mapping[str, Any] | None
Step = Callable[[State, Data, Mapping[str, Any]], State]
"""What an action does to the view state: state, subject, and what was clicked as Dash or plotly tells it."""
CellStep = Callable[[State, Data, int, str], State]
"""What a click on a cell of a grid does to the view state: state, subject, the row's number, the column's name."""


class Width(StrEnum):
    """How much of a row a view takes; what is left of the row is shared out, so that every row is full."""

    FULL = "full"
    WIDE = "wide"
    HALF = "half"
    NARROW = "narrow"


@dataclass(frozen=True)
class Panel:
    """A drawn plot: its figure, its answer in words, and a line about what the figure leaves out."""

    figure: Figure
    answer: str
    line: str = ""


@dataclass(frozen=True)
class Part:
    """What a view in words or a grid shows, and its answer; nothing to show: no body."""

    body: Component | None
    answer: str


@dataclass(frozen=True)
class Grid(Generic[Data, State]):
    """A grid inside of a part: what a click on a cell does, what is marked in place, and rows that come in blocks.

    `marks` gives the properties `marked` of the grid, so that it keeps its place when the selection changes.
    """

    id: str
    on_cell: CellStep[State, Data] | None = None
    marked: tuple[str, ...] = ()
    marks: Callable[[Data, State], Sequence[object]] | None = None
    rows: Callable[[Data, State], pd.DataFrame] | None = None


@dataclass(frozen=True)
class Link(Generic[Data, State]):
    """Links inside of views that change the view state: the type and the keys of their ids, and the step."""

    type: str
    keys: tuple[str, ...]
    step: Step[State, Data]


@dataclass(frozen=True)
class ViewSelection(Generic[Data, State]):
    """A selection that views bring to the address of their page.

    `record` declares its fields (see `app.views.address.fields.param`) and is what `state.selected(record)` returns;
    actions change it by `state.with_selected`. `words` says what is selected, by field: each is a button that clears
    it, and those that require it.
    """

    record: type[Any]
    words: Callable[[Data, State], Mapping[str, str]] = lambda _data, _state: {}


@dataclass(frozen=True, kw_only=True)
class View(Generic[Data, State]):
    """A view of a run, or of another subject of a page.

    A subject has the view where it has all capabilities that it `needs`. Several views may share an id where none has
    more than one of them: plots of one place that differ by the kind of run. Views of one `group` begin a new row; in
    it they stand side by side as their `width` lets them, all of a row equally high, and those of one `stack` below
    each other. `choices` and `controls` say what is set above it, `selection` what is selected in it and in no other
    family of views, `tables` and `listing` what a snapshot has of it in text. `only` limits it further than `needs`.
    """

    id: str
    title: str
    help: str
    needs: frozenset[Capability] = frozenset()
    group: str = "panels"
    width: Width = Width.HALF
    stack: str = ""
    choices: tuple[Option, ...] = ()
    selection: ViewSelection[Data, State] | None = None
    controls: Callable[[Data, State], list[Component]] = lambda _data, _state: []
    links: tuple[Link[Data, State], ...] = ()
    tables: Callable[[Data, State], list[Table]] = lambda _data, _state: []
    listing: Callable[[Data, State], str] = lambda _data, _state: ""
    only: Callable[[Data], bool] = lambda _data: True

    def shown_for(self, data: Data) -> bool:
        """Return whether the subject has it."""
        return data.can(*self.needs) and self.only(data)


@dataclass(frozen=True, kw_only=True)
class Plot(View[Data, State]):
    """A view that is a plot.

    `zooms` names what its ranges set, x axis first: `window` (ticks), or `span` (steps) and `addresses`. `strip` is a
    plot above it, in which dragging chooses the window.
    """

    draw: Callable[[Data, State, str], Panel]
    on_click: Step[State, Data] | None = None
    zooms: tuple[str, ...] = ()
    strip: Plot[Data, State] | None = None


@dataclass(frozen=True, kw_only=True)
class ContentView(View[Data, State]):
    """A view in words or a grid.

    `key` is what its body changes with, where that is less than what `make` reads of the view state; a grid that
    marks what is selected in place is sent anew only when the key changes. `moved` are properties of components of the
    body, by their ids, that change while it stands: a slider that is made anew loses the pointer that drags it.
    """

    make: Callable[[Data, State], Part]
    key: Callable[[Data, State], str] | None = None
    moved: Callable[[Data, State], Mapping[str, dict[str, Any]]] | None = None
    grid: Grid[Data, State] | None = None


def draw_plot(view: Plot[Data, State], data: Data, state: State, theme: str) -> Panel:
    """Draw a plot; one that fails or takes too long says so in its place and costs no other."""
    try:
        with limit_processor_time(LIMIT_S):
            panel = view.draw(data, state, theme)
    except TimeLimitError:
        return Panel(nothing(theme), STOPPED)
    except Exception:
        _LOG.exception("view %s of %s with %s", view.id, data.label, state.query())
        return Panel(nothing(theme), FAILED)
    # What a selection empties keeps its place; where the run itself has nothing, a line is enough.
    return panel if panel.figure.has_traces or not state.selects_nothing else _in_words(panel, theme)


def _in_words(panel: Panel, theme: str) -> Panel:
    """Return a panel without a plot; what stood in place of the plot becomes its line."""
    said = " ".join(note for note in panel.figure.notes if note != panel.answer)
    return Panel(nothing(theme), panel.answer, panel.line or said)


def custom(click: Click) -> list[Any]:
    """Return the customdata of a click's first point, empty without any."""
    points = click.get("points") if isinstance(click, Mapping) else None
    first = points[0] if isinstance(points, list) and points else None
    data = first.get("customdata") if isinstance(first, Mapping) else None
    return list(data) if isinstance(data, list | tuple) else [] if data is None else [data]


def whole(value: object) -> int | None:
    """Return a whole number that a browser sent, None for anything else."""
    return int(value) if isinstance(value, int | float) and -_LARGEST <= value <= _LARGEST else None
