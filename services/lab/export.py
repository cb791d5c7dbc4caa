"""Export of the lab: problem and solution as MiniMalloc CSV, a placement as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from analysis.allocators.minimalloc_csv import minimalloc_csv
from services.lab.data import LabData
from services.run.placements import LabPlacement


def problem_csv(data: LabData) -> str:
    """Return the problem with its changes as the text of a MiniMalloc CSV file. Raises ValueError
    if the problem is invalid.
    """
    if data.changed_map is None:
        raise ValueError(data.refusal)
    return minimalloc_csv(data.changed_map)


def solution_csv(data: LabData, placement: LabPlacement | None) -> str:
    """Return a placement as the text of a MiniMalloc CSV file, with addresses. Raises ValueError if
    there is no placement.
    """
    laid = data.placement_map(placement)
    if laid is None:
        raise ValueError("this problem has no placement yet: solve it first")
    return minimalloc_csv(laid, solution=True)


def placement_json(data: LabData, placement: LabPlacement | None) -> str:
    """Return a JSON text with `question` and `answer`, whose `placements` have the address of every
    block (empty if the search found no placement).

    Raises ValueError if `placement` is `None` or the problem is invalid.
    """
    if placement is None or data.problem is None:
        raise ValueError(data.refusal or "this problem is not solved yet: solve it first")
    record = asdict(placement) | {"asked_effort": placement.asked_effort}
    address = record.pop("address")
    placements = []
    if address is not None:
        where = address[data.problem.demand.of].tolist()
        pairs = zip(data.problem.block.tolist(), where, strict=True)
        placements = [{"block": block, "address": place} for block, place in pairs]
    record |= {
        "fits": data.fits(placement),
        "bank_conflicts": data.conflicts(placement),
        "bank_conflicts_stored": data.conflicts_stored,
        "bank_conflicts_bound": data.conflicts_bound,
    }
    question = asdict(data.asked) | {"run_id": data.run.run_id}
    return json.dumps(
        {"question": question, "answer": record | {"placements": placements}}, indent=1
    )
