"""The runs of one GEMM, of which only narrow rows of the list are read, however many there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import select

from storage.catalogue import Catalogue
from storage.listed_run import grid_text
from storage.tables import LISTING
from storage.text import plain_text

_SIZES = ("M", "K", "N")


class GemmRun(NamedTuple):
    """A run, the tile of its kernels, and its mean rate, GMAC/s."""

    run_id: str
    m: int
    k: int
    n: int
    gmacs_mean: float


def gemm_runs(catalogue: Catalogue, run: Mapping[str, object], most: int) -> list[GemmRun]:
    """Return the newest runs that share hwid, M, K, N, grid and data type with a row of frame `run`, oldest first.

    Damaged ones and those without a tile or a rate above 0 are left out.
    """
    if not catalogue.is_created():
        return []
    c = LISTING.c
    texts = {"hwid": run["hwid"], "mac_dtype": run["mac_dtype"], "grid": grid_text(run)}
    shared = [c[name] == plain_text(value) for name, value in texts.items()]
    shared += [c[name] == int(str(run[name])) for name in _SIZES]
    tiled = [c[name] > 0 for name in ("m", "k", "n", "gmacs_mean")]
    asked = select(*(c[name] for name in GemmRun._fields)).where(c.likeness != "", *shared, *tiled)
    newest = asked.order_by(c.date.desc(), c.created_at.desc(), c.run_id.desc()).limit(most)
    with catalogue.connect() as connection:
        return [GemmRun._make(row) for row in connection.execute(newest)][::-1]
