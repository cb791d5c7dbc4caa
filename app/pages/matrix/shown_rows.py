"""Data of the page of allocators and runs for its view state."""

from __future__ import annotations

from collections.abc import Sequence

from app.context import AppContext
from app.pages.lab.binding import search_owner
from app.pages.matrix.state import MatrixState
from app.views.lab.words import running_sentence
from components.counts import part_text
from components.numbers import count_text, shorten
from services.lab.matrix_page import MAX_RUNS, MatrixRow, matrix_rows
from services.lab.matrix_table import REFUSED

_NAME = 40


def load_rows(context: AppContext, state: MatrixState) -> list[MatrixRow]:
    """Return a row for each of the first MAX_RUNS (12) runs of the state, with the placements found
    so far.
    """
    return matrix_rows(
        context.lab, state.run, search_owner(), state.seed, state.effort, level=state.level
    )


def is_searching(context: AppContext) -> bool:
    """Whether the current user has a running search, started on any page."""
    return context.lab.searches.running(search_owner()) is not None


def status_words(
    context: AppContext, state: MatrixState, rows: list[MatrixRow], cells: list[dict[str, object]]
) -> str:
    """Describe the progress of the search, or the number of cells without a result and why, in a
    sentence; without runs, how to select them.
    """
    if not state.run:
        return "No run is selected: select runs in the list and press Allocators."
    running = context.lab.searches.running(search_owner())
    if running is not None:
        named = next(
            (shorten(row.name, _NAME) for row in rows if row.run_id == running.run_id),
            "another page",
        )
        return f"{named}: {running_sentence(running)}"
    many = f" The first {MAX_RUNS} runs are shown." if len(state.run) > MAX_RUNS else ""
    failed = [
        context.lab.searches.failure(search_owner(), row.data.asked.key)
        for row in rows
        if row.data is not None
    ]
    has_open = any(cell["status"] is None for cell in cells)
    why = next(
        (f" The last search failed: {reason}." for reason in failed if reason and has_open), ""
    )
    return f"{cells_sentence([cell['status'] for cell in cells])}{why}{many}"


def cells_sentence(statuses: Sequence[object]) -> str:
    """Count the cells without a result, and the cells of runs that cannot be searched.

    `statuses` has the status of every cell: None without a result, REFUSED if it has none for good.
    """
    refused = statuses.count(REFUSED)
    left = statuses.count(None)
    can = len(statuses) - refused
    if not can:
        return "No run here can be searched."
    apart = f" {count_text(refused, 'cell')} of runs that cannot be searched." if refused else ""
    if not left:
        return f"Every strategy was run: {count_text(can, 'result')}.{apart}"
    verb = "is" if left == 1 else "are"
    counts = f"{part_text(left, can, 'cell')} {verb} not computed yet"
    return f"{counts}.{apart}"
