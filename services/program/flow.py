"""Machine code of a run's programs: loops, and the data from which a page draws the control
flow.
"""

from __future__ import annotations

import json

import pandas as pd

from analysis.program.block_loops import Loops, block_loops
from analysis.program.flow import Code, flow_columns
from analysis.program.issues import issues_by_pc
from services.program.data import ProgramData


def flow_text(program: ProgramData, number: int) -> str:
    """Return the columns of a program's control flow as a JSON text, from the cache if it has it.

    Raises ValueError if the program has no basic blocks.
    """
    return program.cached_source(("flow", number), lambda: _make_text(program, number))


def _make_text(program: ProgramData, number: int) -> str:
    blocks = _rows(program, "basic_blocks", number)
    if blocks.empty:
        raise ValueError(f"program {number} has no machine code with blocks")
    code = Code(
        _rows(program, "disassembly", number),
        blocks,
        _rows(program, "block_edges", number),
        issued_instructions(program, number).to_dict(),
    )
    columns = flow_columns(code, find_loops(program, number))
    return json.dumps({"program": number} | columns, ensure_ascii=False, separators=(",", ":"))


def find_loops(program: ProgramData, number: int) -> Loops:
    """Return the loops of a program, with the loop that issued most instructions by its thread
    traces; no loops if it has no basic blocks.
    """
    blocks = _rows(program, "basic_blocks", number)
    edges = _rows(program, "block_edges", number)
    return block_loops(
        program_source(program, number), blocks, edges, issued_instructions(program, number)
    )


def program_source(program: ProgramData, number: int) -> str:
    """Return the source text of a program by its number; "" if the capture has none or no such
    program.
    """
    rows = _rows(program, "programs", number)["source"]
    return "" if rows.empty or pd.isna(rows.iloc[0]) else str(rows.iloc[0])


def issued_instructions(program: ProgramData, number: int) -> pd.Series:
    """Return a series, program counter -> how often waves issued the instruction, from the thread
    traces of a program; empty if it has none.
    """
    return issues_by_pc(
        program.frame("wave_instructions"), _rows(program, "thread_traces", number)["trace"]
    )


def _rows(program: ProgramData, name: str, number: int) -> pd.DataFrame:
    frame = program.frame(name)
    # The comparison is null for a null program, and nulls cannot select rows.
    return frame[(frame["program"] == number).fillna(False).astype(bool)]
