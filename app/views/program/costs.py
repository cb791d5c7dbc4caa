"""View of the costs of a program's instructions: hits, stalls, idle clocks and delays."""

from __future__ import annotations

import pandas as pd

from analysis.program.instruction_costs import instruction_costs
from app.views.program.place import program_rows
from app.views.program.state import ProgramState
from app.views.program.view import ProgramWords
from app.views.text_tables import Table
from app.views.view import Part, Width
from components.numbers import count_text
from components.program.cost_table import HEADS, cost_caption, cost_cells, cost_table
from services.program.data import CompilerData
from services.run.capabilities import Capability


def _costs(data: CompilerData, state: ProgramState) -> pd.DataFrame:
    traces = program_rows(data, "thread_traces", state)
    issued = data.program.frame("wave_instructions")
    frames = {
        "thread_traces": traces,
        "wave_instructions": issued[issued["trace"].isin(traces["trace"])],
        "disassembly": program_rows(data, "disassembly", state),
    }
    return instruction_costs(frames)


def costs_part(data: CompilerData, state: ProgramState) -> Part:
    """List the instructions of the displayed program by stalled and idle clocks."""
    costs = _costs(data, state)
    return Part(cost_table(costs), cost_caption(costs)) if len(costs) else Part(None, "")


def costs_tables(data: CompilerData, state: ProgramState) -> list[Table]:
    """Format the listed instructions as text."""
    rows = cost_cells(_costs(data, state))
    heads = [(head, "") for head in HEADS]
    return (
        [Table("costs of instructions", count_text(len(rows), "row"), heads, rows)] if rows else []
    )


COSTS = ProgramWords(
    id="instruction-costs",
    title="Costs of instructions",
    help="From all decoded thread traces of the program. Hits: how often waves issued it. Stall: clocks in front of an "
    "instruction that waits, and at a barrier. Idle: clocks between two issues of a wave otherwise. Delay: clocks from "
    "issue to execution on average, where the trace has packets of the unit.",
    needs=frozenset({Capability.THREAD_TRACES}),
    group="traces",
    width=Width.FULL,
    make=costs_part,
    tables=costs_tables,
)
