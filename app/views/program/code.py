"""Views of a program's code: source text with the times of its runs, machine code, counters."""

from __future__ import annotations

from urllib.parse import quote

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from analysis.program.block_loops import same_loops
from analysis.program.issues import count_issues
from analysis.program.loop_pairs import LoopPairs
from analysis.selection import Selection
from app.views.program.place import find_program, program_key, program_rows
from app.views.program.state import ProgramState
from app.views.program.view import ProgramWords
from app.views.view import Part, Width
from components.counts import part_text
from components.kernels.counters_grid import counters_grid
from components.kernels.options_line import options_line
from components.kernels.program_card import program_card
from components.kernels.source_text import source_text
from components.numbers import count_text, missing, shorten, size
from components.program.code_pair import code_pair, loops_words
from components.program.disassembly import disassembly
from components.program.graph_lines import graph_lines
from services.program.data import CompilerData
from services.program.flow import find_loops, issued_instructions
from services.run.capabilities import Capability


def source_part(data: CompilerData, state: ProgramState) -> Part:
    """Lay out the program of the displayed context: its work, its runs, its source text; a sentence
    if the context compiled no program.
    """
    program = find_program(data, state)
    if program is None:
        return Part(
            html.P(
                "This context compiled no program: it is, for example, a schedule.",
                className="ts-panel-hint",
            ),
            "",
        )
    number = int(program["program"])
    run_id = quote(data.run.run_id)
    table = data.run.profile.table_of(Selection()) if data.can(Capability.NAMED_KERNELS) else None
    rows = None if table is None else table[(table["program"] == number).fillna(False).astype(bool)]
    row = None if rows is None or rows.empty else rows.iloc[0]
    context = (
        None
        if pd.isna(program["context"])
        else f"/run/{run_id}/program?context={int(program['context'])}"
    )
    applied = options_line(program_rows(data, "program_options", state), context)
    card = program_card(
        program,
        row,
        _download(data, program),
        options=applied,
        has_source=program_rows(data, "disassembly", state).empty,
    )
    links: list[Component] = [
        dcc.Link(
            "This kernel on the run's page",
            href=f"/run/{run_id}?program={number}",
            className="ts-link",
        )
    ]
    return Part(html.Div([html.Div(links, className="ts-program-links"), card]), "")


def _download(data: CompilerData, program: pd.Series) -> str:
    """Return the address of the full source text of a program (row of frame `programs`), as JSON."""
    return f"/table/{quote(data.run.run_id)}.json?table=programs&program={int(program['program'])}"


def assembly_part(data: CompilerData, state: ProgramState) -> Part:
    """Lay out the source text and the instructions of the program by basic block, side by side.

    If there are no instructions, the operations of the program; a sentence if the capture has no
    machine code of it.
    """
    binary = program_rows(data, "machine_code", state)
    instructions = program_rows(data, "disassembly", state)
    if binary.empty:
        has_program = find_program(data, state) is not None
        why = (
            "The capture has no machine code of this program."
            if has_program
            else "This context made no program."
        )
        return Part(html.P(why, className="ts-panel-hint"), "")
    row = binary.iloc[0]
    caption = ", ".join(part for part in (_kind(row), *_registers(row)) if part)
    why = f" {str(row['why'])[:1].upper()}{str(row['why'])[1:]}." if row["why"] else ""
    if instructions.empty:
        return Part(_operations(data, state, row), f"{caption}.{why}")
    program = find_program(data, state)
    number = int(row["program"])
    source = "" if program is None else str(program["source"] or "")
    blocks = program_rows(data, "basic_blocks", state)
    edges = program_rows(data, "block_edges", state)
    loops = find_loops(data.program, number)
    issued = issued_instructions(data.program, number)
    inside = count_issues(blocks, issued, loops.hottest)
    share = f"{part_text(inside, int(issued.sum()), 'traced instruction')}"
    verb = "is" if inside == 1 else "are"
    hottest = f"{share} {verb} in its hottest loop." if loops.hottest else ""
    same = same_loops(source, blocks, edges)
    machine = disassembly(instructions, blocks, loops, issued.to_dict())
    body = (
        machine
        if program is None or not source
        else code_pair(_source_side(data, program, same), machine)
    )
    counted = f"{caption}: {count_text(len(instructions), 'instruction')}."
    return Part(
        body,
        " ".join(
            filter(
                None,
                (counted, loops_words(same) if loops.is_known else "", hottest, why.strip()),
            )
        ),
    )


def _source_side(data: CompilerData, program: pd.Series, same: LoopPairs) -> Component:
    source, device = (str(program[name] or "") for name in ("source", "device"))
    return source_text(source, device, _download(data, program), same.find_by_line)


def _operations(data: CompilerData, state: ProgramState, binary: pd.Series) -> html.Div:
    """Lay out the operations that Python interprets; empty if the binary is not a list of
    operations.
    """
    program = find_program(data, state)
    # Python interprets these operations: their bytes read as machine code would be made up.
    if binary["kind"] != "operations" or program is None or pd.isna(program["context"]):
        return html.Div()
    lines = data.program.operations(int(program["context"]))
    return graph_lines(lines, "operations", difference=False) if lines else html.Div()


def _kind(row: pd.Series) -> str:
    architecture = "" if pd.isna(row["architecture"]) else shorten(str(row["architecture"]))
    return f"{architecture} {_KINDS.get(str(row['kind']), 'binary')}".strip()


_KINDS = {
    "elf": "ELF",
    "raw": "image without sections",
    "ptx": "PTX",
    "operations": "list of operations",
}


def _registers(row: pd.Series) -> list[str]:
    """Return texts with the registers and memory of an AMD kernel, as "at least 8 vector
    registers"; only the parts that its descriptor has.
    """
    # The descriptor counts vector registers in steps; the frame has the lower end of the step.
    parts = {"vector_registers": "at least ", "scalar_registers": ""}
    counts = [
        f"{prefix}{count_text(int(row[name]), name.removesuffix('s').replace('_', ' '))}"
        for name, prefix in parts.items()
        if not missing(row[name])
    ]
    memory = {"lds_bytes": "LDS", "scratch_bytes": "scratch"}
    return counts + [
        f"{size(int(row[name]))} {label}"
        for name, label in memory.items()
        if not missing(row[name])
    ]


def counters_part(data: CompilerData, state: ProgramState) -> Part:
    """List the runs of the program with hardware counters, or all such runs if the program has no
    counters; empty without counters or program.
    """
    profile = data.run.profile
    table = profile.counter_sums
    program = find_program(data, state)
    kernels = profile.kernels["program"] if len(profile.kernels) else None
    if table.empty or program is None or kernels is None:
        return Part(None, "")
    own = table[table["kernel_row"].map(kernels).eq(program["program"]).fillna(False).astype(bool)]
    shown = own if len(own) else table
    caption = (
        f"{count_text(len(own), 'run')} of this program counted"
        if len(own)
        else "This program was not counted"
    )
    return Part(
        counters_grid("program-counters-grid", shown, None),
        f"{caption}; {count_text(len(table), 'run')} in all.",
    )


_OF_PROGRAMS = frozenset({Capability.NAMED_KERNELS})
SOURCE = ProgramWords(
    id="source",
    title="Program",
    help="The compiled program of the context: source text, operations and bytes of a run, times of its runs.",
    needs=_OF_PROGRAMS,
    group="code",
    width=Width.FULL,
    make=source_part,
    key=program_key,
)
ASSEMBLY = ProgramWords(
    id="assembly",
    title="Source and machine code",
    help="Source text, and beside it the instructions by basic block. Loops that are the same on both sides have one "
    "colour and number; captures have no line table, so single lines are not matched. Innermost loops "
    "are marked; with thread traces also the loop that issued most, and the share of "
    "each instruction in all issues. Addresses count from the first one.",
    needs=_OF_PROGRAMS,
    group="machine",
    width=Width.FULL,
    make=assembly_part,
    key=program_key,
)
COUNTERS = ProgramWords(
    id="counters",
    title="Hardware counters",
    help="Sums over all instances, per run of the program; the run's page shows single instances.",
    needs=frozenset({Capability.COUNTERS}),
    group="machine counters",
    width=Width.FULL,
    make=counters_part,
    key=program_key,
)
