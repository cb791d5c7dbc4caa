"""Data of the page of allocators and runs for its view state."""

from __future__ import annotations

from app.context import AppContext
from app.pages.lab.binding import search_owner
from app.pages.matrix.state import MatrixState
from app.views.lab.words import running_sentence
from components.numbers import count_text, integer, shorten
from services.lab.matrix_page import MAX_RUNS, MatrixRow, matrix_rows

_NAME = 40


def load_rows(context: AppContext, state: MatrixState) -> list[MatrixRow]:
    """Return a row for each of the first MAX_RUNS (12) runs of the state, with the placements found
    so far.
    """
    return matrix_rows(context.lab, state.run, search_owner(), state.seed, state.effort)


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
    left = sum(cell["status"] is None for cell in cells)
    many = f" The first {MAX_RUNS} runs are shown." if len(state.run) > MAX_RUNS else ""
    failed = [
        context.lab.searches.failure(search_owner(), row.data.asked.key)
        for row in rows
        if row.data is not None
    ]
    why = next((f" The last search failed: {reason}." for reason in failed if reason and left), "")
    if left:
        return (
            f"{integer(left)} of {count_text(len(cells), 'cell')} are not computed yet.{why}{many}"
        )
    return f"Every strategy was run on {count_text(len(rows), 'run')}.{many}"
