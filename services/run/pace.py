"""Limits of a run's rate, the same for page and command line."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from services.run.data import RunData
from services.run.data_cache import RunDataCache
from storage.repository import Repository

_LIMITER = (
    "what",
    "where",
    "cycles",
    "share",
    "gmacs_if_fixed",
    "gmacs_if_fixed_low",
    "cumulative_gmacs",
)
"""Members of a limiter in JSON, beside `rank` and `together`."""


def find_pace(
    repository: Repository, run_id: str, method: str, overrides: Mapping[str, str]
) -> Pace:
    """Compute the pace of a run by a method and with overrides of its settings.

    Raises RunNotFound, and ValueError if an override is invalid or the run has no iterations.
    """
    return run_pace(RunDataCache(repository).get(run_id, method, overrides))


def run_pace(data: RunData) -> Pace:
    """Return the pace of a run from its data. Raises ValueError if it has no measured iterations."""
    if data.pace is None:
        raise ValueError(
            "the run has no complete perf iterations of an array of cores, which the pace needs"
        )
    return data.pace


def pace_mapping(pace: Pace) -> dict[str, Any]:
    """Convert a pace to JSON types: elapsed, gmacs (GMAC/s), limiters with `rank` from 1, tiles
    (cores, each with `waits_for`), and sentence.
    """
    return {
        "elapsed": pace.elapsed,
        "gmacs": pace.gmacs,
        "limiters": [
            _limiter_mapping(rank, limiter) for rank, limiter in enumerate(pace.limiters, start=1)
        ],
        "tiles": [
            _tile_mapping(row, pace.waits.get(row["tile"], {}))
            for row in pace.tiles.to_dict("records")
        ],
        "sentence": pace.sentence,
    }


def _limiter_mapping(rank: int, limiter: Limiter) -> dict[str, Any]:
    members = {name: getattr(limiter, name) for name in _LIMITER}
    return {"rank": rank, **members, "together": list(limiter.together)}


def _tile_mapping(row: Mapping[Hashable, Any], waits: Mapping[str, float]) -> dict[str, Any]:
    """Convert a row of `Pace.tiles`, with the cores that it waits for as a list, longest first."""
    listed = [{"tile": tile, "cycles": cycles} for tile, cycles in waits.items()]
    return {**{str(name): value for name, value in row.items()}, "waits_for": listed}
