"""Saved placements of runs, found by best fit in this process."""

from dataclasses import replace

from analysis.allocators.packing import best_fit
from app.views.lab.state import LabState, question_query
from services.run.placements import LabPlacement
from services.run.saved_placements import SolvedQuestion, save_placement
from storage.saved_placements import NewPlacement


def found(context, run_id, state=None, strategy="best_fit"):
    """Place the blocks of a question with best fit, and return the solved question under the name
    `strategy`.
    """
    state = replace(state or LabState(), strategy=strategy)
    data = context.lab.get(run_id, state.lab_problem, state.attempt, "ann")
    address = best_fit(data.problem.demand)
    extent = data.problem.extent(address)
    spent = {"seconds": 0.5, "effort": 40, "trace": (), "note": ""}
    made = {
        "status": "feasible",
        "proof": None,
        "stopped": "done",
        "extent": extent,
        "bound": data.lower_bound,
        "gap": 0.25,
    }
    answer = LabPlacement(
        strategy=strategy, seed=0, asked_effort=state.effort, address=address, **made, **spent
    )
    return SolvedQuestion(
        data.asked, data.problem, answer, question_query(state, data.asked.attempt)
    )


def keep(context, run_id, state=None, title="", user="ann"):
    """Save a placement by best fit with a run, and return its row."""
    one = found(context, run_id, state)
    return save_placement(context.repository.catalogue, run_id, one, title, user)


def new_answer(title="", **more):
    """Build a placement to be saved, of an invented problem."""
    given = {
        "query": "attempt=0",
        "question": {"attempt": 0},
        "problem": "a" * 64,
        "answer": {"extent": 1},
    }
    return NewPlacement(**({"title": title, **given, "addresses": [0, 2**40]} | more))
