"""Command `tiling`: tiles that a tool chose, and the tiles that it could have chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run
from schema.plurals import plural

if TYPE_CHECKING:
    from storage.repository import Repository


@click.command()
@with_run
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every choice.")
def tiling(repository: Repository, run_id: str, *, as_json: bool) -> None:
    """Print how operators are cut into tiles: the bytes that tiles hold, the bytes that are moved,
    and other tilings.

    RUN is an id or its beginning. A run of Deeploy has each operator at each memory level, an AIE
    capture of a GEMM its tile of m x k x n.
    """
    from services.run.stored_frames import StoredFrames
    from services.run.tiling import TilingData, tiling_mapping

    stored = StoredFrames(repository, run_id)
    with command_errors():
        mapping = tiling_mapping(TilingData(stored, stored["run"]))
    print_record(mapping, _lines(mapping), as_json=as_json)


def _lines(mapping: dict[str, Any]) -> Iterator[str]:
    """Yield a line per operator and level with its bytes, tiles and traffic; for the capture of a
    GEMM, three lines about its tile and traffic.
    """
    if mapping["kind"] == "gemm":
        gemm = mapping["gemm"]
        yield f"{gemm['m']} x {gemm['k']} x {gemm['n']}, {plural(gemm['kernels_per_core'], 'kernel')} per core"
        yield f"core {plural(gemm['core_bytes'], 'byte')}, memory tile {plural(gemm['memtile_bytes'], 'byte')}"
        moved = f"{plural(gemm['dma_in_bytes'], 'byte')} in, {gemm['dma_out_bytes']} out"
        yield f"DDR {moved}, {gemm['intensity']:.4g} operations per byte"
        return
    for row in mapping["operators"]:
        own = row["chosen"]
        # A noun after `n of m` has the number of `m`.
        held = plural(own["bytes"], "byte")
        if row["capacity"] is not None:
            held = f"{own['bytes']} of {plural(row['capacity'], 'byte')}"
        moved = (
            ""
            if own["dma_in"] is None
            else f", {plural(own['dma_in'], 'byte')} in, {own['dma_out']} out"
        )
        tiles = "" if own["tiles"] is None else f", tiles: {own['tiles']}"
        yield f"{row['step']:>4}  {row['level']}  {row['op'] or '-'}  {held}{tiles}{moved}  {row['name']}"
