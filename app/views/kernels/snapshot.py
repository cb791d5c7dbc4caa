"""What a snapshot has of a profile besides its views: kernels, the chosen one with its buffers and source, counters."""

from __future__ import annotations

import pandas as pd

from app.views.kernels.panels import counter_rows
from app.views.kernels.parts import program_of
from app.views.links import blocks_of_kernel, chosen_kernel
from app.views.state import RunState
from app.views.text_tables import Table, frame_table, plain_table
from services.runs import RunData

_MOST_SOURCE = 100_000
"""Characters of source text that a snapshot holds."""


def profile_tables(data: RunData, state: RunState) -> list[Table]:
    """Return the chosen kernel, its buffers, its program and the counters of every counted execution."""
    kernel, program, blocks = chosen_kernel(data, state), program_of(data, state), blocks_of_kernel(data, state)
    tables = []
    if kernel is not None:
        tables.append(frame_table("kernels", kernel.to_frame().T, "the chosen kernel"))
    if blocks is not None:
        shown = blocks[["level", "name", "access", "dtype", "size", "start", "end"]]
        tables.append(plain_table("buffers of the chosen kernel", shown))
    if program is not None:
        tables.append(frame_table("programs", program.to_frame().T.drop(columns="source"), "its program"))
    counted = counter_rows(data) if data.profile is not None else pd.DataFrame()
    return [*tables, *([plain_table("hardware counters, sums", counted)] if len(counted) else [])]


def source_of(data: RunData, state: RunState) -> str:
    """Return the source text of the chosen program, cut where it is very long; empty without one."""
    program = program_of(data, state)
    return "" if program is None else str(program["source"])[:_MOST_SOURCE]
