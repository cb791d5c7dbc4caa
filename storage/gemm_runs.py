"""List the runs of a GEMM by reading only table `listing`, however many there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select

from storage.catalogue import Catalogue
from storage.listed_run import grid_text
from storage.tables import LISTING
from storage.text import plain_text

_SIZES = ("M", "K", "N")
_C = LISTING.c


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

    They share hwid, M, K, N, grid and data type with it. Damaged runs, runs without a tile or a
    rate above 0, and runs with rates above the peak are left out. Empty if there is no catalogue.
    """
    if not catalogue.is_created():
        return []
    query = select(*(_C[name] for name in GemmRun._fields)).where(*_of_gemm(run))
    newest = query.order_by(_C.date.desc(), _C.created_at.desc(), _C.run_id.desc()).limit(most)
    with catalogue.connect() as connection:
        # The limit keeps the newest runs; callers need them oldest first.
        return [GemmRun._make(row) for row in connection.execute(newest)][::-1]


def gemm_version(catalogue: Catalogue, run: Mapping[str, object]) -> str:
    """Return a token that changes whenever the runs do that `gemm_runs` lists for `run`; "" if there
    is no catalogue.

    The database computes it, which is cheaper than to read thousands of runs.
    """
    if not catalogue.is_created():
        return ""
    sums = [func.sum(_C[name]) for name in ("m", "k", "n", "gmacs_mean")]
    ends = [func.min(_C.run_id), func.max(_C.run_id), func.max(_C.date), func.max(_C.created_at)]
    with catalogue.connect() as connection:
        row = connection.execute(select(func.count(), *sums, *ends).where(*_of_gemm(run))).one()
    return " ".join(map(str, row))


def _of_gemm(run: Mapping[str, object]) -> list[ColumnElement[bool]]:
    """Return the conditions of the runs of the GEMM of `run` that have a tile and a rate."""
    texts = {"hwid": run["hwid"], "mac_dtype": run["mac_dtype"], "grid": grid_text(run)}
    shared = [_C[name] == plain_text(value) for name, value in texts.items()]
    shared += [_C[name] == int(str(run[name])) for name in _SIZES]
    tiled = [_C[name] > 0 for name in ("m", "k", "n", "gmacs_mean")]
    # A rate above its peak would win every advice.
    return [_C.likeness != "", _C.best_in_peak.is_not(None), *shared, *tiled]
