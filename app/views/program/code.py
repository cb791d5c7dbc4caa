"""The code of a program: source text with what its runs took, machine code, counters."""

from __future__ import annotations

from urllib.parse import quote

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from analysis.kernels.counters import counter_table
from analysis.program.issues import hottest_loop, issues_by_pc, issues_of
from analysis.program.loop_pairs import LoopPairs, nested_loops, pair_loops
from analysis.program.loops import innermost_loops, natural_loops
from analysis.program.source_loops import source_loops
from analysis.selection import Selection
from app.views.program.place import program_of, rows_of
from app.views.program.state import ProgramState
from app.views.program.view import ProgramPlot, ProgramWords
from app.views.view import Panel, Part, Width
from components.graph import nothing
from components.kernels.counters_grid import counters_grid
from components.kernels.options_line import options_line
from components.kernels.program_card import program_card
from components.kernels.source_text import source_text
from components.numbers import count_text, integer, missing, shorten, size
from components.program.code_pair import code_pair, loops_words
from components.program.disassembly import Loops, block_graph, blocks_left_out, disassembly
from components.program.graph_lines import graph_lines
from services.program.data import CompilerData
from services.run.capabilities import Capability


def source_part(data: CompilerData, state: ProgramState) -> Part:
    """Show the program of the context: what it computes, how it ran, its source text."""
    program = program_of(data, state)
    if program is None:
        return Part(
            html.P("This context compiled no program: it is, for example, a schedule.", className="ts-panel-hint"), ""
        )
    number = int(program["program"])
    run_id = quote(data.run.run_id)
    table = data.run.profile.table_of(Selection()) if data.can(Capability.NAMED_KERNELS) else None
    rows = None if table is None else table[(table["program"] == number).fillna(False).astype(bool)]
    row = None if rows is None or rows.empty else rows.iloc[0]
    context = None if pd.isna(program["context"]) else f"/run/{run_id}/program?context={int(program['context'])}"
    applied = options_line(rows_of(data, "program_options", state), context)
    card = program_card(
        program, row, _download(data, program), options=applied, has_source=rows_of(data, "disassembly", state).empty
    )
    there: list[Component] = [
        dcc.Link("This kernel on the run's page", href=f"/run/{run_id}?program={number}", className="ts-link")
    ]
    return Part(html.Div([html.Div(there, className="ts-program-links"), card]), "")


def _download(data: CompilerData, program: pd.Series) -> str:
    """Return where the whole source text can be had."""
    return f"/table/{quote(data.run.run_id)}.json?table=programs&program={int(program['program'])}"


def source_key(data: CompilerData, state: ProgramState) -> str:
    """Return what the source changes with."""
    program = program_of(data, state)
    return "" if program is None else str(program["program"])


def _loops(data: CompilerData, state: ProgramState) -> Loops:
    """Return the blocks of innermost loops, and of the one that issued most by the program's thread traces."""
    blocks, edges = rows_of(data, "basic_blocks", state), rows_of(data, "block_edges", state)
    pairs = list(zip(edges["source"].tolist(), edges["target"].tolist(), strict=True))
    found = innermost_loops(blocks["block"].tolist(), pairs)
    same = _same_loops(data, state)
    numbers = {block: same.of_block(block) for block in blocks["block"].tolist()}
    return Loops(
        frozenset[int]().union(*found),
        hottest_loop(found, blocks, _issued_words(data, state)),
        {block: number for block, number in numbers.items() if number is not None},
    )


def _same_loops(data: CompilerData, state: ProgramState) -> LoopPairs:
    """Return which loops of source and machine code of the program on display are the same."""
    program, blocks, edges = (
        program_of(data, state),
        rows_of(data, "basic_blocks", state),
        rows_of(data, "block_edges", state),
    )
    pairs = list(zip(edges["source"].tolist(), edges["target"].tolist(), strict=True))
    source = "" if program is None or pd.isna(program["source"]) else str(program["source"])
    return pair_loops(source_loops(source), nested_loops(natural_loops(blocks["block"].tolist(), pairs)))


def _issued_words(data: CompilerData, state: ProgramState) -> pd.Series:
    """Return pc -> how often waves issued it, of the program on display."""
    traces = rows_of(data, "thread_traces", state)["trace"]
    return issues_by_pc(data.program.frame("wave_instructions"), traces)


def assembly_part(data: CompilerData, state: ProgramState) -> Part:
    """Show the instructions of the program by block."""
    binary, instructions = rows_of(data, "machine_code", state), rows_of(data, "disassembly", state)
    if binary.empty:
        known = program_of(data, state) is not None
        why = "The capture has no machine code of this program." if known else "This context made no program."
        return Part(html.P(why, className="ts-panel-hint"), "")
    row = binary.iloc[0]
    said = ", ".join(part for part in (_kind(row), *_registers(row)) if part)
    why = f" {str(row['why'])[:1].upper()}{str(row['why'])[1:]}." if row["why"] else ""
    if instructions.empty:
        return Part(_operations(data, state, row), f"{said}.{why}")
    loops = _loops(data, state)
    blocks, issued = rows_of(data, "basic_blocks", state), _issued_words(data, state)
    shares = f" {integer(issues_of(blocks, issued, loops.hottest))} of {integer(issued.sum())} traced instructions are"
    hottest = f"{shares} in its hottest loop." if loops.hottest else ""
    same, program = _same_loops(data, state), program_of(data, state)
    machine = disassembly(instructions, blocks, loops, issued.to_dict())
    body = (
        machine if program is None or not program["source"] else code_pair(_source_side(data, program, same), machine)
    )
    counted = f"{said}: {count_text(len(instructions), 'instruction')}."
    return Part(body, " ".join(filter(None, (counted, loops_words(same), f"{hottest}{why}".strip()))))


def _source_side(data: CompilerData, program: pd.Series, same: LoopPairs) -> Component:
    source, device = (str(program[name] or "") for name in ("source", "device"))
    return source_text(source, device, _download(data, program), same.of_line)


def _operations(data: CompilerData, state: ProgramState, binary: pd.Series) -> html.Div:
    """Return the operations that Python interprets, where the binary is a list of them."""
    program = program_of(data, state)
    if binary["kind"] != "operations" or program is None or pd.isna(program["context"]):
        return html.Div()
    lines = data.program.operations(int(program["context"]))
    return graph_lines(lines, "operations", difference=False) if lines else html.Div()


def _kind(row: pd.Series) -> str:
    architecture = "" if pd.isna(row["architecture"]) else shorten(str(row["architecture"]))
    return f"{architecture} {_KINDS.get(str(row['kind']), 'binary')}".strip()


_KINDS = {"elf": "ELF", "raw": "image without sections", "ptx": "PTX", "operations": "list of operations"}


def _registers(row: pd.Series) -> list[str]:
    """Return registers and memory of a kernel of AMD, where its descriptor says them."""
    # the descriptor counts vector registers in steps, of which the frame has the least
    parts = {"vector_registers": "at least ", "scalar_registers": ""}
    known = [
        f"{said}{count_text(int(row[name]), name.removesuffix('s').replace('_', ' '))}"
        for name, said in parts.items()
        if not missing(row[name])
    ]
    memory = {"lds_bytes": "LDS", "scratch_bytes": "scratch"}
    return known + [f"{size(int(row[name]))} {label}" for name, label in memory.items() if not missing(row[name])]


def blocks_panel(data: CompilerData, state: ProgramState, theme: str) -> Panel:
    """Draw the program's basic blocks and the edges between them."""
    blocks, edges = rows_of(data, "basic_blocks", state), rows_of(data, "block_edges", state)
    if len(blocks) <= 1:
        return Panel(nothing(theme), "One block: no instruction jumps." if len(blocks) else "No basic blocks.")
    loops = _loops(data, state)
    said = f"{count_text(len(blocks), 'block')}, {count_text(len(edges), 'edge')}"
    inner = count_text(len(loops.innermost), "block")
    drawn = block_graph(blocks, edges, loops, theme)
    return Panel(drawn, f"{said}; {inner} in innermost loops.", blocks_left_out(len(blocks)))


def counters_part(data: CompilerData, state: ProgramState) -> Part:
    """List the counted runs of the program, or of all where it has none."""
    profile = data.run.profile
    table = counter_table(profile.frame("counters"), profile.kernels)
    program = program_of(data, state)
    kernels = profile.kernels["program"] if len(profile.kernels) else None
    if table.empty or program is None or kernels is None:
        return Part(None, "")
    own = table[table["kernel_row"].map(kernels).eq(program["program"]).fillna(False).astype(bool)]
    shown = own if len(own) else table
    said = f"{count_text(len(own), 'run')} of this program counted" if len(own) else "This program was not counted"
    return Part(counters_grid("program-counters-grid", shown, None), f"{said}; {count_text(len(table), 'run')} in all.")


_OF_PROGRAMS = frozenset({Capability.NAMED_KERNELS})
SOURCE = ProgramWords(
    id="source",
    title="Program",
    help="What the context was compiled to: source text, what a run computes and moves, how its runs went.",
    needs=_OF_PROGRAMS,
    group="code",
    width=Width.FULL,
    make=source_part,
    key=source_key,
)
ASSEMBLY = ProgramWords(
    id="assembly",
    title="Source and machine code",
    help="Source text, and beside it the instructions by basic block. Loops that are the same on both sides have one "
    "colour and number; captures have no table of lines, so that nothing is said of single lines. Innermost loops are "
    "marked, and where thread traces tell, the loop that issued most, and the share that each instruction has of all "
    "issues. Addresses count from the first one.",
    needs=_OF_PROGRAMS,
    group="machine",
    width=Width.FULL,
    make=assembly_part,
    key=source_key,
)
BLOCKS = ProgramPlot(
    id="blocks",
    title="Control flow",
    help="Basic blocks from the first on, with their addresses. A conditional jump has an edge where it is taken and "
    "one where it is not. Innermost loops are lit.",
    needs=_OF_PROGRAMS,
    group="machine",
    width=Width.FULL,
    draw=blocks_panel,
)
COUNTERS = ProgramWords(
    id="counters",
    title="Hardware counters",
    help="Sums over all instances, per run of the program; the run's page shows single instances.",
    needs=frozenset({Capability.COUNTERS}),
    group="machine counters",
    width=Width.FULL,
    make=counters_part,
    key=source_key,
)
