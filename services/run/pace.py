"""Limits of a run's rate, the same for page and command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.aie.pace.pace import Pace
from services.run.data import RunData, RunDataCache
from storage.repository import Repository

_LIMITER = ("what", "where", "cycles", "share", "gmacs_if_fixed", "cumulative_gmacs")
"""Attributes of a limiter that the JSON has."""


def find_pace(
    repository: Repository, run_id: str, method: str, overrides: Mapping[str, str]
) -> Pace:
    """Compute the pace of a run by a method and with overrides of its settings.

    Raises RunNotFound, and ValueError if an override is invalid or the run has no iterations.
    """
    return run_pace(RunDataCache(repository).get(run_id, method, overrides))


def run_pace(data: RunData) -> Pace:
    """Return the pace of a run. Raises ValueError if it has no measured iterations."""
    if data.pace is None:
        raise ValueError(
            "the run has no complete perf iterations of an array of cores, of which the pace is stated"
        )
    return data.pace


def pace_mapping(pace: Pace) -> dict[str, Any]:
    """Convert a pace to JSON types: elapsed ticks, GMAC/s, limiters by rank, tiles, and a
    sentence.
    """
    return {
        "elapsed": pace.elapsed,
        "gmacs": pace.gmacs,
        "limiters": [
            {"rank": rank, **{name: getattr(limiter, name) for name in _LIMITER}}
            for rank, limiter in enumerate(pace.limiters, start=1)
        ],
        "tiles": pace.tiles.to_dict("records"),
        "sentence": pace.sentence,
    }
