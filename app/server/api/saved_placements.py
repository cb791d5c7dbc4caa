"""Saved placements of runs over the API: list and remove them."""

from __future__ import annotations

from typing import Any

from flask import Response, jsonify
from pydantic import BaseModel

from app.request.errors import RequestError
from app.request.user import current_user
from app.server.api.operation import ApiServer, Operation
from schema.choices import METHODS
from schema.digits import is_whole
from services.run.saved_placements import CheckedPlacement, remove_placement

_KEPT = "/runs/<run_id>/kept"
_DIGITS = 9
"""Maximum number of digits of a saved placement's number."""
_SOLUTION = (
    "strategy",
    "seed",
    "asked_effort",
    "status",
    "proof",
    "stopped",
    "extent",
    "bound",
    "gap",
    "effort",
)
"""Members of a record that come from the allocator's result."""


class ListedPlacement(BaseModel):
    """A placement of the lab that is saved with a run.

    `query` opens its problem in the lab, `shown_as` is its attempt on the run's page. `attempt` is
    the attempt of the file that the problem was derived from; if it no longer matches, the
    placement is not shown.
    """

    number: int
    title: str
    kept_at: str
    kept_by: str
    query: str
    shown_as: int
    fits: bool
    attempt: int | None
    strategy: str | None
    seed: int | None
    asked_effort: int | None
    status: str | None
    proof: str | None
    stopped: str | None
    extent: int | None
    bound: int | None
    gap: float | None
    effort: int | None


class ListedPlacements(BaseModel):
    """The placements that are saved with a run, oldest first."""

    kept: list[ListedPlacement]


def _list_placements(server: ApiServer, run_id: str) -> Response:
    memory = server.context.data.with_saved(run_id, METHODS[0], {}).memory
    return jsonify({"kept": [placement_record(saved) for saved in memory.saved]})


def _remove_placement(server: ApiServer, run_id: str, number: str) -> Response:
    repository = server.context.repository
    # Raises the 404 of an unknown run, which is not that of an unknown placement.
    repository.find_run(run_id)
    is_number = is_whole(number, _DIGITS)
    if not is_number or not remove_placement(
        repository.catalogue, run_id, int(number), current_user().name
    ):
        raise RequestError("There is no such saved placement.", 404)
    return Response(status=204)


LIST_PLACEMENTS = Operation(
    "GET",
    _KEPT,
    "listKeptAnswers",
    "List the placements of the lab that are saved with a run.",
    _list_placements,
    {200: ListedPlacements},
)
REMOVE_PLACEMENT = Operation(
    "DELETE",
    f"{_KEPT}/<number>",
    "removeKeptAnswer",
    "Delete a saved placement of a run.",
    _remove_placement,
    {204: None},
)


def placement_record(saved: CheckedPlacement) -> dict[str, Any]:
    """Convert a saved placement to JSON types: number, title, kept_at, kept_by, query, shown_as,
    fits, attempt, and _SOLUTION.

    If another release saved it, the members of its problem and solution are None.
    """
    row = saved.row
    problem = saved.asked
    solution = saved.answer
    record = {name: getattr(row, name) for name in ("number", "title", "kept_at", "kept_by")}
    record |= {"query": f"?{row.query}", "shown_as": saved.attempt, "fits": saved.amap is not None}
    record |= {"attempt": None if problem is None else problem.attempt}
    return record | {name: getattr(solution, name, None) for name in _SOLUTION}
