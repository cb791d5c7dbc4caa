"""View of predicted and measured cycles of a capture."""

from __future__ import annotations

from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import ContentView, Part, Width
from components.design.plan_table import HEADS, plan_caption, plan_cells, plan_table
from components.numbers import count_text
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.predict import run_prediction


def plan_part(data: RunData, _state: RunState) -> Part:
    """Lay out the terms of the prediction next to the measured terms."""
    prediction = run_prediction(data)
    return Part(plan_table(prediction["terms"]), plan_caption(prediction))


def plan_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the terms."""
    rows = [plan_cells(term) for term in run_prediction(data)["terms"]]
    return [Table("plan and measurement", count_text(len(rows), "row"), list(HEADS), rows)]


PLAN = ContentView(
    id="plan",
    title="Plan and measurement",
    help="Cycles that a performance model predicted beside the trace, and the measured ones, of the whole run: residual "
    "is (predicted - measured) / measured. A full trace buffer covers a part of a call, so that the total comes from "
    "the host's clock.",
    needs=frozenset({Capability.PREDICTIONS, Capability.ITERATIONS}),
    group="plan",
    width=Width.FULL,
    make=plan_part,
    tables=plan_tables,
)
