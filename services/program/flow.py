"""The machine code of a run's programs: its loops, and what the page draws its control flow from."""

from __future__ import annotations

import json

import pandas as pd

from analysis.program.block_loops import Loops, block_loops
from analysis.program.flow import Code, flow_columns
from analysis.program.issues import issues_by_pc
from services.program.data import ProgramData


def flow_text(program: ProgramData, number: int) -> str:
    """Return the columns of the control flow of a program; raises ValueError where it has no blocks."""
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
    columns = flow_columns(code, loops_of(program, number))
    return json.dumps({"program": number} | columns, ensure_ascii=False, separators=(",", ":"))


def loops_of(program: ProgramData, number: int) -> Loops:
    """Return the loops of a program, the one that issued most by its thread traces among them."""
    blocks, edges = _rows(program, "basic_blocks", number), _rows(program, "block_edges", number)
    return block_loops(source_of(program, number), blocks, edges, issued_instructions(program, number))


def source_of(program: ProgramData, number: int) -> str:
    """Return the source text of a program, empty where the capture has none."""
    rows = _rows(program, "programs", number)["source"]
    return "" if rows.empty or pd.isna(rows.iloc[0]) else str(rows.iloc[0])


def issued_instructions(program: ProgramData, number: int) -> pd.Series:
    """Return pc -> how often waves issued it, by the thread traces of a program."""
    return issues_by_pc(program.frame("wave_instructions"), _rows(program, "thread_traces", number)["trace"])


def _rows(program: ProgramData, name: str, number: int) -> pd.DataFrame:
    frame = program.frame(name)
    return frame[(frame["program"] == number).fillna(False).astype(bool)]
