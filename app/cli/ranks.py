"""Command `ranks`: ranks of a distributed job, and the rank that they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run

if TYPE_CHECKING:
    from analysis.kernels.ranks import Ranks
    from storage.repository import Repository

_MAX_LINES = 30
"""Maximum number of collectives that are printed as text, those with the most skew."""


@click.command()
@with_run
@click.option("--json", "as_json", is_flag=True, help="Print JSON, times in ns.")
def ranks(repository: Repository, run_id: str, *, as_json: bool) -> None:
    """Print the times of each rank of a distributed job, and the rank that others wait for.

    RUN is an id or its beginning, of any rank: traces of torch.profiler in one folder with
    different distributedInfo.rank are one job, and a merged trace holds several ranks. The skew of
    a collective is its longest duration minus its shortest; the rank with the shortest came last.
    """
    from app.run_records import ranks_record
    from services.run.ranks import find_ranks

    with command_errors():
        found = find_ranks(repository, run_id)
    record = ranks_record(found)
    print_record(record, chain([record["sentence"]], _lines(found)), as_json=as_json)


def _lines(found: Ranks) -> Iterator[str]:
    from components.kernels.rank_words import HEADS, rank_cells
    from components.kernels.step_words import time_text

    rows = [list(HEADS), *rank_cells(found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    for row in rows:
        yield "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    skewed = sorted(found.collectives, key=lambda one: -one.skew)
    if skewed:
        yield "collectives by skew (longest minus shortest duration of a rank):"
    for one in skewed[:_MAX_LINES]:
        shortest = min(one.durations.values())
        times = f"{time_text(shortest)} to {time_text(shortest + one.skew)}"
        group = f"{one.group} " if one.group else ""
        yield f"{time_text(one.skew):>10}  {times}, last rank {one.last}: {group}#{one.n} {one.name}"
    if len(skewed) > _MAX_LINES:
        yield f"and {len(skewed) - _MAX_LINES} more: --json has all"
