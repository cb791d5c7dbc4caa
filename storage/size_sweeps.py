"""List the runs that differ from a run in one of M, K and N, by reading only table `listing`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import select

from storage.catalogue import Catalogue
from storage.listed_run import grid_text
from storage.tables import LISTING
from storage.text import plain_text

SIZES = ("M", "K", "N")
_TILE = ("m", "k", "n")


class SizedRun(NamedTuple):
    """A run, its size in the swept dimension, and a token that changes with its content."""

    run_id: str
    size: int
    prefix: str


def sized_runs(
    catalogue: Catalogue, run: Mapping[str, object], dimension: str, most: int
) -> list[SizedRun]:
    """List the other sizes of a sweep over `dimension` ("M", "K" or "N"): their runs, newest first,
    at most `most`.

    They differ in this size and share hwid, data type, grid, tile and the other two sizes with `run`, a row of frame `run`
    that has all of them. Damaged runs are left out.
    """
    if not catalogue.is_created():
        return []
    c = LISTING.c
    texts = {"hwid": run["hwid"], "mac_dtype": run["mac_dtype"], "grid": grid_text(run)}
    shared = [c[name] == plain_text(value) for name, value in texts.items()]
    equal = [name for name in (*SIZES, *_TILE) if name != dimension]
    shared += [c[name] == int(str(run[name])) for name in equal]
    # Runs of the same size may be thousands, and a page would read them after each ingest.
    sized = [c[dimension] > 0, c[dimension] != int(str(run[dimension]))]
    query = select(c.run_id, c[dimension], c.prefix).where(c.likeness != "", *sized, *shared)
    newest = query.order_by(c.date.desc(), c.created_at.desc(), c.run_id.desc()).limit(most)
    with catalogue.connect() as connection:
        return [SizedRun(*row) for row in connection.execute(newest)]
