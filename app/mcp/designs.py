"""Analyses of the design of an AIE array, and of the prediction of a performance model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.context import AppContext
from app.mcp.bounded_results import read_offset
from app.mcp.tool import AnalyseArguments, Record, ToolResult, tool_errors
from app.views.design.words import stalls_caption
from app.views.state import RunState
from components.design.plan_table import plan_caption
from components.numbers import count_text
from schema.choices import METHODS
from services.run.design_record import find_design_record
from services.run.predict import predict_mapping

_HEAD = ("device", "file", "lowered", "column_shift", "slices")
"""Members of `design --json` that each response has."""
_MAX_PAIRS = 20
"""Maximum number of pairs of buffers listed for a core; pairs with traced conflicts come first."""


def design(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the list of a design that `part` names, by default the stalls that it explains, paged.

    Raises ToolError if the run has no design.
    """
    with tool_errors():
        record = find_design_record(context.repository, run)
    part = arguments.part
    items = _stalls(record) if part == "stalls" else record[part]
    begin = read_offset(arguments.cursor)
    head = {name: record[name] for name in _HEAD}

    def build_data(shown: Sequence[Any]) -> Record:
        return head | {part: shown}

    anchor = "designstalls" if record["memory_stalls"] else "designgraph"
    sentence = _design_sentence(context, run, record)
    return ToolResult(sentence, f"/run/{run}#{anchor}", build_data, items[begin:], begin)


def _design_sentence(context: AppContext, run: str, record: Record) -> str:
    """Return the sentence of the run's page about stalls, else a sentence with the size of the
    design.
    """
    design = context.data.get(run, METHODS[0], {}).design
    stalls = "" if design is None else str(stalls_caption(design, RunState()))
    counts = [
        count_text(len(record[name]), word)
        for name, word in (("tiles", "tile"), ("buffers", "block"), ("locks", "lock"))
    ]
    return stalls or f"The design has {', '.join(counts)}."


def _stalls(record: Record) -> list[Record]:
    """List the stalls of each core: memory, then locks, with at most _MAX_PAIRS pairs."""
    memory = [{"kind": "memory", **_with_few_pairs(stall)} for stall in record["memory_stalls"]]
    locks = [{"kind": "lock", **stall} for stall in record["lock_stalls"]]
    return [stall for pair in zip(memory, locks, strict=True) for stall in pair]


def _with_few_pairs(stall: Record) -> Record:
    pairs = sorted(stall["pairs"], key=lambda pair: not pair["traced"])
    return {**stall, "pairs": pairs[:_MAX_PAIRS], "pairs_in_all": len(pairs)}


def predict(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the predicted terms of a run with the measured cycles, paged by term.

    Raises ToolError if the run has no prediction.
    """
    with tool_errors():
        (prediction,) = predict_mapping([context.data.get(run, METHODS[0], {})])["runs"]
    begin = read_offset(arguments.cursor)
    rest = {name: value for name, value in prediction.items() if name != "terms"}
    return ToolResult(
        plan_caption(prediction),
        f"/run/{run}#plan",
        lambda items: rest | {"terms": items},
        prediction["terms"][begin:],
        begin,
    )
