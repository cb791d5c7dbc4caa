"""Views of kernels that consist of text and grids: kernel table, selected execution, program,
counters.
"""

from __future__ import annotations

from urllib.parse import quote

import pandas as pd
from dash import html

from analysis.kernels.representative import median_and_longest
from analysis.selection import select_kernels
from app.views.executions import blocks_of_kernel, chosen_kernel, kernel_shown
from app.views.kernels import actions
from app.views.kernels.rows import (
    chosen_program,
    find_candidates,
    find_launch,
    find_program,
    kernel_rows,
)
from app.views.kernels.selection import COUNTER, CounterSelection
from app.views.state import RunState
from app.views.text_tables import Table, frame_table, plain_table, rows_tables
from app.views.view import ContentView, Grid, Link, Part, Width
from components.kernels import captions
from components.kernels.candidates_list import candidates_list
from components.kernels.counters_grid import counters_grid
from components.kernels.kernel_card import kernel_card, median_line
from components.kernels.kernels_grid import grid_options, kernels_grid
from components.kernels.options_line import options_line
from components.kernels.program_card import program_card
from components.kernels.program_list import program_list
from services.run.capabilities import Capability
from services.run.data import RunData

_UNTIMED = (
    "Kernels were launched, but the capture has no times of them: the list shows their programs."
)
_NO_KERNELS = "The capture has no kernel executions."
_KERNELS_GRID, _COUNTERS_GRID = "run-kernels-grid", "run-counters-grid"
_MAX_SOURCE = 100_000
"""Maximum characters of source text in a snapshot."""


def kernels_part(data: RunData, state: RunState) -> Part:
    """List the kernels by program in a grid; the selected kernel is marked.

    If the capture has no kernel times, a list of its programs and a caption with the reason.
    """
    if not len(data.profile.kernels):
        caption = _UNTIMED if data.can(Capability.LAUNCHES) else _NO_KERNELS
        return Part(program_list(data.profile.frame("programs"), state.selection.program), caption)
    table = kernel_rows(data, state)
    return Part(
        kernels_grid(_KERNELS_GRID, table, chosen_program(state)), captions.kernels_caption(table)
    )


def kernels_key(data: RunData, state: RunState) -> str:
    """Build a text that changes with the rows of the kernel table, but not with the kernel selected
    in it.

    A list of programs, drawn if there are no kernels, also changes with the selected program.
    """
    chosen = state.selection
    listed = "" if len(data.kernels) else f" {chosen.program}"
    return f"{chosen.track} {chosen.window} {chosen.op} {chosen.python}{listed}"


def kernel_part(data: RunData, state: RunState) -> Part:
    """Lay out the details of the selected execution; of the execution with median duration if only
    a kernel name is selected.

    Without a selection the part is empty; a sentence if the execution is not in the run.
    """
    if not len(data.profile.kernels):
        return Part(None, "")
    kernel = chosen_kernel(data, state)
    if kernel is not None:
        blocks = blocks_of_kernel(data, state)
        applied = _optimisations_line(data, kernel["program"])
        return Part(kernel_card(kernel, blocks, find_launch(data, kernel), applied), "")
    if state.selection.kernel is not None:
        gone = f"There is no kernel {state.selection.kernel} in this run."
        return Part(html.P(gone, className="ts-panel-hint"), "")
    return _median_part(data, state) or Part(None, "")


def _median_part(data: RunData, state: RunState) -> Part | None:
    """Lay out the execution of median duration of the selected kernel name, with a line about the
    longest.

    The result is None if no name is selected or no execution has it.
    """
    if state.selection.kind is None:
        return None
    # `selection.kernel` is a position in the frame, so the labels have to be positions too.
    kernels = data.profile.kernels.reset_index(drop=True)
    rows = select_kernels(kernels, state.selection)
    positions = median_and_longest(rows["duration"])
    if positions is None:
        return None
    median, longest = (int(rows.index[at]) for at in positions)
    shown = state.selecting(kernel=median)
    kernel = kernels.iloc[median]
    applied = _optimisations_line(data, kernel["program"])
    card = kernel_card(kernel, blocks_of_kernel(data, shown), find_launch(data, kernel), applied)
    return Part(html.Div([median_line(len(rows), kernels.iloc[longest], longest), card]), "")


def kernel_tables(data: RunData, state: RunState) -> list[Table]:
    """Build text tables of the selected execution and of the buffers that it uses; empty without an
    execution, only the first without known buffers.
    """
    kernel = chosen_kernel(data, state)
    blocks = blocks_of_kernel(data, state)
    tables = (
        [] if kernel is None else [frame_table("kernels", kernel.to_frame().T, "the chosen kernel")]
    )
    if blocks is None:
        return tables
    shown = blocks[["level", "name", "access", "dtype", "size", "start", "end"]]
    return [*tables, plain_table("buffers of the chosen kernel", shown)]


def _compiler_page(data: RunData, program: pd.Series) -> str:
    """Return the address of the page about the compilation of a program (row of frame `programs`):
    by context, or by program number if it has no context.
    """
    context = program["context"]
    place = f"program={int(program['program'])}" if pd.isna(context) else f"context={int(context)}"
    return f"/run/{quote(data.run_id)}/program?{place}"


def _optimisations_line(data: RunData, number: object) -> html.P | None:
    """Lay out the line with the optimisation options of program `number`; None if the program is
    unknown or the run has no options.
    """
    programs = data.profile.frame("programs")
    options = data.profile.frame("program_options")
    if pd.isna(number) or options.empty:
        return None
    rows = programs[programs["program"] == number]
    if rows.empty:
        return None
    page = None if pd.isna(rows.iloc[0]["context"]) else _compiler_page(data, rows.iloc[0])
    return options_line(options[options["program"] == number], page)


def program_part(data: RunData, state: RunState) -> Part:
    """Lay out the program of the selected kernel, with its source text; a list of candidates to
    choose from if the program is ambiguous.

    Without a selection the part is empty; a sentence if the program is unknown.
    """
    program = find_program(data, state)
    programs = data.profile.frame("programs")
    if program is None and state.selection.program is not None:
        gone = f"There is no program {state.selection.program} in this run."
        return Part(html.P(gone, className="ts-panel-hint"), "")
    if program is None and state.selection.kernel is None and state.selection.kind is None:
        return Part(None, "")
    candidates = find_candidates(data, state) if program is None else programs.head(0)
    if len(candidates):
        return Part(candidates_list(candidates), "")
    if program is None:
        # Only captures of tinygrad have programs, in a file of their own.
        is_lacking = not len(programs) and data.run["source"].iloc[0] == "tinygrad"
        why = " This run has none: rewrites.pkl was not ingested with it." if is_lacking else ""
        hint = f"The program of this kernel is not known.{why}"
        return Part(html.P(hint, className="ts-panel-hint"), "")
    table = kernel_rows(data, state)
    rows = table[(table["program"] == program["program"]).fillna(False).astype(bool)]
    run_id = quote(data.run_id)
    number = int(program["program"])
    download = f"/table/{run_id}.json?table=programs&program={number}"
    applied = _optimisations_line(data, number)
    page = _compiler_page(data, program)
    card = program_card(program, rows.iloc[0] if len(rows) else None, download, page, applied)
    return Part(card, "")


def program_key(_data: RunData, state: RunState) -> str:
    """Build a text that changes with everything that the body of the program view depends on.

    The source text is too large to be sent with every change of the view state.
    """
    chosen = state.selection
    names = f"{chosen.kind} {chosen.op} {chosen.python}"
    return f"{chosen.program} {chosen.kernel} {names} {chosen.track} {chosen.window}"


def program_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the program of the selected kernel, without its source; empty if the
    program is unknown.
    """
    program = find_program(data, state)
    # A snapshot has the source as text, see `listing` of the view.
    rows = [] if program is None else [program.to_frame().T.drop(columns="source")]
    return [frame_table("programs", row, "its program") for row in rows]


def chosen_source(data: RunData, state: RunState) -> str:
    """Return the source text of the selected program, cut to 100,000 characters (_MAX_SOURCE).

    The text is empty if there is no such program.
    """
    program = find_program(data, state)
    return "" if program is None else str(program["source"])[:_MAX_SOURCE]


def counters_part(data: RunData, state: RunState) -> Part:
    """List the executions with hardware counters in a grid, with a caption that also summarises the
    thread traces.

    If there are no counters, only the caption; hidden if there are no traces either.
    """
    trace_caption = captions.thread_traces_note(data.diagnostics)
    rows = data.profile.counter_sums
    if not len(rows):
        return Part(html.Div() if trace_caption else None, trace_caption)
    grid = counters_grid(
        _COUNTERS_GRID, rows, state.selection.kernel, state.selected(CounterSelection).counter
    )
    return Part(grid, f"{captions.counters_caption(rows)} {trace_caption}".strip())


def counters_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table with the sums of the hardware counters of every execution that has them;
    empty if there are no counters.
    """
    counted: pd.DataFrame = data.profile.counter_sums
    return rows_tables("hardware counters, sums", counted)


_NEEDS = frozenset({Capability.NAMED_KERNELS})
KERNELS = ContentView(
    id="kernels",
    title="Kernels",
    help="Kernels by program, over the selected time and device; total and share are of all their runs. Click selects "
    "one in every view.",
    needs=_NEEDS,
    group="kernels",
    width=Width.FULL,
    make=kernels_part,
    key=kernels_key,
    grid=Grid(
        _KERNELS_GRID,
        on_cell=actions.kernel_listed,
        marked=("dashGridOptions",),
        marks=lambda data, state: [grid_options(kernel_rows(data, state), chosen_program(state))],
    ),
)
KERNEL = ContentView(
    id="kernel",
    title="Kernel",
    help="One run of a kernel: its operations, moved bytes and buffers.",
    needs=_NEEDS,
    group="kernels",
    width=Width.FULL,
    make=kernel_part,
    tables=kernel_tables,
    links=(
        Link(
            "kernel-link",
            ("row",),
            lambda state, data, named: kernel_shown(state, data, int(named["row"])),
        ),
        Link("launcher-link", ("part", "value"), actions.launcher_followed),
        Link(
            "program-link",
            ("program",),
            lambda state, _, named: actions.program_listed(state, int(named["program"])),
        ),
    ),
)
PROGRAM = ContentView(
    id="program",
    title="Program",
    help="The compiled program of the selected kernel.",
    needs=_NEEDS,
    group="kernels",
    width=Width.FULL,
    make=program_part,
    key=program_key,
    tables=program_tables,
    listing=chosen_source,
)
COUNTS = ContentView(
    id="counts",
    title="Hardware counters",
    help="Sums over all instances, per execution. Click a number for its instances.",
    needs=_NEEDS,
    group="counts",
    width=Width.FULL,
    selection=COUNTER,
    make=counters_part,
    tables=counters_tables,
    grid=Grid(_COUNTERS_GRID, on_cell=actions.counter_picked),
)
