"""Views of the placements found so far: a table of strategies, and their extents over time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dash import html

from analysis.allocators.listed import strategy_label
from app.views.lab.picture import BEFORE, PICTURE
from app.views.lab.state import LabState
from app.views.lab.view import LabPlot, LabWords, picked_placement
from app.views.lab.words import asked_words, least_sentence, result_sentence, running_sentence
from app.views.text_tables import Table
from app.views.verdict import TOO_HIGH, verdict
from app.views.view import Grid, Panel, Part, Width
from components.graph import nothing
from components.lab.extent_curve import Curve, ExtentLine, extent_curve
from components.lab.results_grid import (
    COLUMNS,
    GRID,
    STORED_ROW,
    knows_conflicts,
    mark_options,
    results_grid,
    row_number,
    stored_row,
    unsolved_row,
)
from components.numbers import integer, percent, size
from services.lab.data import LabData
from services.run.capabilities import Capability
from services.run.placements import LabPlacement

NEEDS = frozenset({Capability.ADDRESSES})


def table_rows(data: LabData, state: LabState) -> list[dict[str, Any]]:
    """Return the rows of the table: the file's own placement, every result, and strategies without
    a result.

    Each row is a dict with `strategy`, `extent`, `gap`, `verdict`, `fits` etc.
    """
    stored = data.stored_map
    rows = [stored_row(*_own(data), failed=0 if stored is None else stored.whole("failed") or 0)]
    rows[STORED_ROW] |= {"conflicts": data.conflicts_stored}
    if data.room is not None and rows[STORED_ROW]["extent"] is not None:
        rows[STORED_ROW]["fits"] = rows[STORED_ROW]["extent"] <= data.room
        rows[STORED_ROW]["verdict"] += "" if rows[STORED_ROW]["fits"] else f", {TOO_HIGH}"
    rows += [_result_row(data, placement) for placement in data.placements]
    solved = {placement.strategy for placement in data.placements}
    return rows + [
        unsolved_row(name, state.seed, state.effort)
        for name in data.strategies
        if name not in solved
    ]


def _result_row(data: LabData, placement: LabPlacement) -> dict[str, Any]:
    fits = data.fits(placement)
    return {
        "strategy": placement.strategy,
        "label": strategy_label(placement.strategy),
        "extent": placement.extent,
        "gap": placement.gap,
        "verdict": verdict(placement, fits=fits),
        "fits": fits,
        "conflicts": data.conflicts(placement),
        "seconds": placement.seconds,
        "effort": placement.effort,
        "seed": placement.seed,
        "budget": placement.asked_effort,
    }


def _own(data: LabData) -> tuple[int | None, int | None]:
    """Return the extent of the file's own placement and its lower bound, in bytes.

    The bound is None if the placement is incomplete; both are None without an attempt.
    """
    if data.stored_map is None:
        return None, None
    # The bound of a changed problem does not apply to the file's own placement.
    bound = data.lower_bound if data.is_of_the_file else data.stored_map.whole("bound")
    return data.stored_map.whole("extent"), bound if data.is_placed else None


def shown_row(data: LabData, state: LabState) -> int | None:
    """Return the number of the table row whose placement is drawn; None if the table does not have
    it.
    """
    if PICTURE.of(state) == BEFORE:
        return STORED_ROW
    placement = picked_placement(data, state)
    wanted = (state.strategy, state.seed, state.effort)
    if placement is not None:
        wanted = (placement.strategy, placement.seed, placement.asked_effort)
    for row in table_rows(data, state):
        if (row["strategy"], row.get("seed"), row.get("budget")) == wanted:
            return row_number(row)
    return None


def results_part(data: LabData, state: LabState) -> Part:
    """List the result of every strategy for the problem in a grid; the caption has their number and
    the least capacity that is enough.
    """
    caption = f"{asked_words(len(data.placements))} {least_sentence(data)}".strip()
    return Part(html.Div(results_grid(table_rows(data, state), shown_row(data, state))), caption)


def results_key(data: LabData, state: LabState) -> str:
    """Build a text that changes with the rows of the table of results: with the problem, the number
    of results, seed or effort.
    """
    return f"{data.asked.key} {len(data.placements)} {state.seed} {state.effort}"


def row_picked(state: LabState, data: LabData, row: int, _column: str = "") -> LabState:
    """Return the state that shows the placement of the clicked row; in the first row that is the
    file's own.

    `row` is a row number as in `row_number`; unchanged if the table does not have it.
    """
    match = next((other for other in table_rows(data, state) if row_number(other) == row), None)
    if match is None:
        return state
    # Reset the picture: the value "before" would hide the placement of the clicked row.
    others = {name: value for name, value in state.chosen.items() if name != PICTURE.name}
    if row == STORED_ROW:
        return replace(state, moved=None, chosen=others | {PICTURE.name: BEFORE})
    question = {"strategy": match["strategy"], "seed": match["seed"], "effort": match["budget"]}
    return replace(state, **question, moved=None, chosen=others)


def results_marked(data: LabData, state: LabState) -> list[object]:
    """Return the grid options, a list of length 1, that mark the displayed row."""
    return [mark_options(shown_row(data, state))]


def extent_panel(data: LabData, state: LabState, theme: str) -> Panel:
    """Draw how the extents of the searches decreased over time towards the bound.

    An empty figure and a sentence if nothing was solved yet.
    """
    chosen = picked_placement(data, state)
    curves = [
        Curve(
            _result_name(data, placement), placement.trace, placement.seconds, placement is chosen
        )
        for placement in data.placements
    ]
    if data.running is not None:
        running = data.running
        name = f"{strategy_label(running.strategy)}, running"
        curves.append(Curve(name, running.trace, running.seconds, strong=True))
    levels = [ExtentLine("bound", data.lower_bound, "dash")] if data.lower_bound is not None else []
    own = (
        data.stored_map.whole("extent")
        if data.stored_map is not None and data.is_of_the_file and data.is_placed
        else None
    )
    levels += [ExtentLine("the file's own", own, "dot")] if own else []
    if not any(curve.trace for curve in curves):
        return Panel(nothing(theme), "No strategy was run yet.")
    caption = "" if chosen is None else result_sentence(data, chosen)
    if data.running:
        caption = running_sentence(data.running)
    return Panel(extent_curve(curves, levels, theme), caption or "Select a row to see its search.")


def _result_name(data: LabData, placement: LabPlacement) -> str:
    """Return the label of the placement's strategy; with effort and seed if the strategy has
    several results.
    """
    several = sum(other.strategy == placement.strategy for other in data.placements) > 1
    name = strategy_label(placement.strategy)
    return f"{name} {integer(placement.asked_effort)}/{placement.seed}" if several else name


def results_tables(data: LabData, state: LabState) -> list[Table]:
    """Build a text table of the strategies and their results, with the columns of the grid."""
    records = table_rows(data, state)
    columns = [
        column for column in COLUMNS if column.name != "conflicts" or knows_conflicts(records)
    ]
    rows = [[_text(column.name, row.get(column.name)) for column in columns] for row in records]
    labels = [(column.label, column.help or column.label) for column in columns]
    return [Table("strategies", asked_words(len(data.placements)), labels, rows)]


def _text(name: str, value: Any) -> str:  # noqa: ANN401 - cells of any type
    if value is None:
        return ""
    if name == "extent":
        return f"{size(value)} ({integer(value)} B)"
    if name == "gap":
        return percent(value)
    return integer(value) if isinstance(value, int) else str(value)


RESULTS = LabWords(
    id="answers",
    title="Strategies",
    help="Results of every strategy for this problem. Click a row to draw it. Extents are above the constants; the gap "
    "is extent / bound - 1. Proved least: no placement needs less. Found: a lower placement may exist. Cannot fit: "
    "proved. Not found: neither found nor proved. Bank conflicts: banks that a step computes with and moves in.",
    needs=NEEDS,
    group="answers",
    width=Width.HALF,
    make=results_part,
    key=results_key,
    tables=results_tables,
    grid=Grid(GRID, on_cell=row_picked, marked=("dashGridOptions",), marks=results_marked),
)
EXTENT = LabPlot(
    id="extent",
    title="Extent over time",
    help="The least extent that a strategy had found after so many seconds. No placement is below the bound: where the "
    "curve is flat above it, more time has not helped so far.",
    needs=NEEDS,
    group="answers",
    width=Width.HALF,
    draw=extent_panel,
)
