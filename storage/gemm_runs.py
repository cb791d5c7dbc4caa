"""List the runs of a GEMM by reading only table `listing`, however many there are."""

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
    """A run, the tile of its kernels (m, k, n), and its mean rate in GMAC/s."""

    run_id: str
    m: int
    k: int
    n: int
    gmacs_mean: float


def gemm_runs(catalogue: Catalogue, run: Mapping[str, object], most: int) -> list[GemmRun]:
    """List the newest `most` runs that compute the same GEMM as `run`, a row of frame `run`; oldest
    first.

    They share hwid, M, K, N, grid and data type with it. Damaged runs, and runs without a tile or a
    rate above 0, are left out. Empty if there is no catalogue.
    """
    if not catalogue.is_created():
        return []
    c = LISTING.c
    texts = {"hwid": run["hwid"], "mac_dtype": run["mac_dtype"], "grid": grid_text(run)}
    shared = [c[name] == plain_text(value) for name, value in texts.items()]
    shared += [c[name] == int(str(run[name])) for name in _SIZES]
    tiled = [c[name] > 0 for name in ("m", "k", "n", "gmacs_mean")]
    query = select(*(c[name] for name in GemmRun._fields)).where(c.likeness != "", *shared, *tiled)
    newest = query.order_by(c.date.desc(), c.created_at.desc(), c.run_id.desc()).limit(most)
    with catalogue.connect() as connection:
        # The limit keeps the newest runs; callers need them oldest first.
        return [GemmRun._make(row) for row in connection.execute(newest)][::-1]
