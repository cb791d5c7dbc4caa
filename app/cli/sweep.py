"""Command `sweep`: efficiencies of a GEMM over M, K or N."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run

if TYPE_CHECKING:
    from analysis.aie.efficiency import SizeSweep
    from storage.repository import Repository


@click.command()
@with_run
@click.option(
    "--over",
    "dimension",
    type=click.Choice(["M", "K", "N"]),
    default="M",
    show_default=True,
    help="Size that changes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; efficiencies are ratios.")
def sweep(repository: Repository, run_id: str, dimension: str, *, as_json: bool) -> None:
    """Print kernel and system efficiency of a GEMM over M, K or N, from the runs that differ only
    in that size.

    RUN is an id or its beginning. The runs share hardware, data type, grid, tile and the
    other two sizes; the newest run of each size counts.
    """
    from services.run.size_sweep import find_sweep, sweep_mapping

    with command_errors():
        found = find_sweep(repository, run_id, dimension)
    print_record(sweep_mapping(found), _lines(found), as_json=as_json)


def _lines(found: SizeSweep) -> Iterator[str]:
    from components.tiling.size_sweep_words import sweep_caption, sweep_cells

    yield sweep_caption(found)
    for size, kernel, system, wall_clock, of_run in sweep_cells(found):
        shares = f"kernel {kernel:>8}  system {system:>8}  wall clock {wall_clock:>8}"
        yield f"{size:<12}  {shares}  {of_run}"
