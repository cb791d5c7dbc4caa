"""Answers of the lab that are kept with runs, over the API: listed and taken off."""

from __future__ import annotations

from typing import Any

from flask import Response, jsonify

from app.access import current_user
from app.context import AppContext
from app.errors import RequestError
from app.server.api import models
from app.server.api.operation import Api, Operation
from schema.choices import METHODS
from services.lab.keeping import remove_answer
from services.lab.kept import Kept

_KEPT = "/runs/<run_id>/kept"
_DIGITS = 9


def register(api: Api, context: AppContext) -> None:
    """Add the operations."""

    def listed(run_id: str) -> Response:
        memory = context.data.with_kept(run_id, METHODS[0], {}).memory
        return jsonify({"kept": [kept_record(one) for one in memory.kept]})

    def removed(run_id: str, number: str) -> Response:
        context.repository.stored(run_id)
        known = number.isascii() and number.isdecimal() and len(number) <= _DIGITS
        if not known or not remove_answer(context.repository.catalogue, run_id, int(number), current_user().name):
            raise RequestError("There is no such kept answer.", 404)
        return Response(status=204)

    what = "List the answers of the lab that are kept with a run."
    api.add(Operation("GET", _KEPT, "listKeptAnswers", what, {200: models.KeptAnswers}), listed)
    what = "Take a kept answer off a run."
    api.add(Operation("DELETE", f"{_KEPT}/<number>", "removeKeptAnswer", what, {204: None}), removed)


def kept_record(kept: Kept) -> dict[str, Any]:
    """Return a kept answer as the API has it; what another release kept has no question and no answer."""
    row, asked, answer = kept.row, kept.asked, kept.answer
    record = {name: getattr(row, name) for name in ("number", "title", "kept_at", "kept_by")}
    record |= {"query": f"?{row.query}", "shown_as": kept.attempt, "fits": kept.amap is not None}
    record |= {"attempt": None if asked is None else asked.attempt}
    found = ("strategy", "seed", "asked_effort", "status", "proof", "stopped", "extent", "bound", "gap", "effort")
    return record | {name: None if answer is None else getattr(answer, name) for name in found}
