"""View of the program's control flow as a picture."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from analysis.program.block_loops import Loops
from analysis.program.flow import MAX_BLOCKS
from app.views.program.place import find_program, program_rows
from app.views.program.state import ProgramState
from app.views.program.view import ProgramWords
from app.views.view import Part, Width
from components.numbers import count_text
from components.program.graph_stage import FLOW, graph_stage
from services.program.data import CompilerData
from services.program.flow import find_loops
from services.run.capabilities import Capability

STAGE = "program-flow-stage"


def flow_part(data: CompilerData, state: ProgramState) -> Part:
    """Lay out the canvas for the basic blocks of the program; the browser requests their data.

    With at most 1 block only a caption.
    """
    blocks = len(program_rows(data, "basic_blocks", state))
    if blocks <= 1:
        return Part(None, "One block: no instruction jumps." if blocks else "No basic blocks.")
    label = "control flow of the program: arrow keys move to blocks, plus and minus zoom, slash searches"
    return Part(
        graph_stage(STAGE, label, FLOW, **_picture_source(data, state)), _caption(data, state)
    )


def _caption(data: CompilerData, state: ProgramState) -> str:
    blocks = len(program_rows(data, "basic_blocks", state))
    edges = len(program_rows(data, "block_edges", state))
    program = find_program(data, state)
    counts = f"{count_text(blocks, 'block')}, {count_text(edges, 'edge')}"
    loops = Loops() if program is None else find_loops(data.program, int(program["program"]))
    inner = f"{count_text(len(loops.innermost), 'block')} in innermost loops"
    loop_words = inner if loops.is_known else "too many blocks to detect loops"
    return f"{counts}; {loop_words}. {blocks_left_out(blocks)}".rstrip()


def blocks_left_out(count: int) -> str:
    """Return a sentence with the number of `count` blocks that are not drawn, beyond MAX_BLOCKS; ""
    if all are drawn.
    """
    left = max(count - MAX_BLOCKS, 0)
    return f"{count_text(left, 'block')} {'is' if left == 1 else 'are'} not drawn." if left else ""


def flow_key(data: CompilerData, state: ProgramState) -> str:
    """Return a text that changes when the picture appears or disappears: "" without a picture."""
    return FLOW if len(program_rows(data, "basic_blocks", state)) > 1 else ""


def flow_moved(data: CompilerData, state: ProgramState) -> dict[str, dict[str, Any]]:
    """Return the properties that change while the picture stays: its data source and the selected
    block; empty without a picture.
    """
    if not flow_key(data, state):
        return {}
    return {STAGE: {f"data-{name}": text for name, text in _picture_source(data, state).items()}}


def flow_followed(state: ProgramState) -> str:
    """Return the JSON that selects a block in the picture: {"node": number or null}."""
    return json.dumps({"node": state.block}, separators=(",", ":"))


def _picture_source(data: CompilerData, state: ProgramState) -> dict[str, str]:
    program = find_program(data, state)
    number = -1 if program is None else int(program["program"])
    return {
        "source": f"/graph/{quote(data.run.run_id)}/flow?program={number}",
        "state": flow_followed(state),
    }


BLOCKS = ProgramWords(
    id="blocks",
    title="Control flow",
    help=(
        "Basic blocks with their instructions, from the first on down; jumps back are on the left. A "
        "conditional jump has a solid edge for taken and a dashed edge for not taken. Loops have the "
        "colours of the source text, other innermost loops are highlighted. The card of an instruction "
        "has its address and, with thread traces, its share of all issues; a click highlights it in the machine code."
    ),
    needs=frozenset({Capability.NAMED_KERNELS}),
    group="machine",
    width=Width.FULL,
    make=flow_part,
    key=flow_key,
    moved=flow_moved,
)
