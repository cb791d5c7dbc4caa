"""What the lab shows as files: the problem and a solution as MiniMalloc reads them, an answer as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from analysis.allocators.minimalloc_csv import minimalloc_csv
from services.lab.data import LabData
from services.run.placements import LabPlacement


def problem_csv(data: LabData) -> str:
    """Return the problem, with what is otherwise in it; raises ValueError with a sentence."""
    if data.changed_map is None:
        raise ValueError(data.refusal)
    return minimalloc_csv(data.changed_map)


def solution_csv(data: LabData, answer: LabPlacement | None) -> str:
    """Return the placement of an answer; raises ValueError with a sentence where there is none."""
    laid = data.map_of_answer(answer)
    if laid is None:
        raise ValueError("this question has no placement yet: solve it first")
    return minimalloc_csv(laid, solution=True)


def answer_json(data: LabData, answer: LabPlacement | None) -> str:
    """Return question and answer, with the address of every block; raises ValueError with a sentence."""
    if answer is None or data.problem is None:
        raise ValueError(data.refusal or "this question was not asked yet: solve it first")
    record = asdict(answer) | {"asked_effort": answer.asked_effort}
    address = record.pop("address")
    placements = []
    if address is not None:
        where = address[data.problem.demand.of].tolist()
        pairs = zip(data.problem.block.tolist(), where, strict=True)
        placements = [{"block": block, "address": place} for block, place in pairs]
    record |= {
        "fits": data.fits(answer),
        "bank_conflicts": data.conflicts(answer),
        "bank_conflicts_stored": data.conflicts_stored,
        "bank_conflicts_bound": data.conflicts_bound,
    }
    asked = asdict(data.asked) | {"run_id": data.run.run_id}
    return json.dumps({"question": asked, "answer": record | {"placements": placements}}, indent=1)
