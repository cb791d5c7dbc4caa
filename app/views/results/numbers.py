"""Views of the named numbers of a run: a table of all, and the samples of the selected number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from dash import html

from analysis.results.numbers import result_keys
from app.views.address.fields import param
from app.views.address.kinds import Whole
from app.views.option import Option
from app.views.state import RunState
from app.views.text_tables import Table, column_table
from app.views.view import ContentView, Grid, Panel, Part, Plot, ViewSelection, Width
from components.graph import nothing
from components.numbers import shorten
from components.results.numbers_grid import (
    COLUMNS,
    grid_options,
    number_records,
    numbers_caption,
    numbers_grid,
    spread_words,
    trend_link,
    trend_properties,
)
from components.results.samples_plot import VIEWS, points_left_out, samples_plot
from services.run.capabilities import Capability
from services.run.data import RunData

_GRID, _LINK = "run-results-grid", "run-results-trend"
_FORM = Option("samples", "form of the plot", VIEWS)
_MAX_LENGTH = 40
"""Maximum characters of a number's name on a button."""


@dataclass(frozen=True)
class NumberSelection:
    """The selected named number: its rank in frame `results`."""

    number: int | None = param(Whole())


def _words(data: RunData, state: RunState) -> dict[str, str]:
    number = state.selected(NumberSelection).number
    results = data.frame("results")
    if number is None or number >= len(results):
        return {}
    return {"number": shorten(str(results["name"].iloc[number]), _MAX_LENGTH)}


NUMBER = ViewSelection(NumberSelection, _words)
"""The selection that the views of named numbers define."""


def _shown_rank(data: RunData, state: RunState) -> int:
    """Return the rank of the selected number; without a selection of the first with samples."""
    number = state.selected(NumberSelection).number
    if number is not None and number < len(data.frame("results")):
        return number
    samples = data.frame("result_samples")
    return int(samples["result"].iloc[0]) if len(samples) else 0


def numbers_part(data: RunData, state: RunState) -> Part:
    """Lay out the grid of the named numbers, with a link to the trend of the selected number."""
    results = data.frame("results")
    if results.empty:
        return Part(None, "")
    link = html.P(trend_link(_LINK, *_key_and_name(data, state)), className="ts-panel-hint")
    grid = numbers_grid(_GRID, results, _shown_rank(data, state))
    return Part(html.Div([grid, link]), numbers_caption(results))


def _key_and_name(data: RunData, state: RunState) -> tuple[str, str]:
    number = _shown_rank(data, state)
    row = data.frame("results").iloc[number : number + 1]
    return result_keys(row)[0], str(row["name"].iloc[0])


def number_listed(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Return the state with the number in row `row` (from 0) selected, or cleared if it was
    selected. Unchanged for a row that does not exist.
    """
    if not 0 <= row < len(data.frame("results")):
        return state
    is_selected = state.selected(NumberSelection).number == row
    return state.with_selected(NumberSelection(None if is_selected else row))


def numbers_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the named numbers."""
    return [column_table("named numbers", COLUMNS, number_records(data.frame("results")))]


def samples_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the samples of the selected number; an empty figure if it has none."""
    results, samples = data.frame("results"), data.frame("result_samples")
    number = _shown_rank(data, state)
    row = results.iloc[number]
    own = samples.loc[samples["result"] == row["result"], "value"].to_numpy(np.float64)
    caption = spread_words(results, number)
    if not len(own):
        return Panel(nothing(theme), f"{caption} The file has no samples of it.")
    view = _FORM.of(state)
    unit = row["unit"] if isinstance(row["unit"], str) else ""
    drawn = samples_plot(own, unit, float(row["value"]), theme, view)
    return Panel(drawn, caption, points_left_out(len(own), view))


NUMBERS = ContentView(
    id="numbers",
    title="Numbers",
    help=(
        "Named numbers of the file. A unit that has one meaning is converted, such as ms and s to one scale of times. "
        "What the file does not tell, such as a direction, is not known. A click selects a number."
    ),
    needs=frozenset({Capability.RESULTS}),
    group="results",
    width=Width.FULL,
    selection=NUMBER,
    make=numbers_part,
    key=lambda _data, _state: "",
    moved=lambda data, state: {_LINK: trend_properties(*_key_and_name(data, state))},
    tables=numbers_tables,
    grid=Grid(
        _GRID,
        on_cell=number_listed,
        marked=("dashGridOptions",),
        marks=lambda data, state: [grid_options(_shown_rank(data, state))],
    ),
)
SAMPLES = Plot(
    id="samples",
    title="Samples",
    help=(
        "Repeated measurements of the selected number as the file has them; the dotted line is the number that runs are "
        "compared by. A few high samples at the begin are often the warm-up: choose `in order`."
    ),
    needs=frozenset({Capability.RESULTS}),
    only=lambda data: len(data.frame("result_samples")) > 0,
    group="samples",
    width=Width.FULL,
    choices=(_FORM,),
    selection=NUMBER,
    draw=samples_panel,
)
