"""Results about rules that are cached for one version of the catalogue."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from analysis.comparison.status_row import StatusRow

_MAX_CACHED = 8
"""Maximum number of results that a cache has."""
_RETRIED_S = 60.0
"""Seconds for which a result is cached if a run could not be compared: storage can fail
temporarily."""
Runs = TypeVar("Runs")
Place = TypeVar("Place")


@dataclass
class CachedResult(Generic[Runs]):
    """A result for one version of the catalogue; `until` (of `time.monotonic`) is when it expires.

    `missing` counts the verdicts that are not computed yet, `rows` are set by the first reader.
    """

    version: str
    runs: Runs
    missing: int
    until: float
    rows: list[StatusRow] | None = None


class ResultCache(Generic[Place, Runs]):
    """The results that were requested last, at most _MAX_CACHED (8), for any number of threads."""

    def __init__(self) -> None:
        self._results: dict[Place, CachedResult[Runs]] = {}
        self._lock = threading.Lock()

    def get(self, place: Place) -> CachedResult[Runs] | None:
        """Return the result of a place, which may be outdated."""
        with self._lock:
            return self._results.get(place)

    def find(
        self, place: Place, version: str, work_out: Callable[[], CachedResult[Runs]]
    ) -> CachedResult[Runs]:
        """Return the result of a place, computed by `work_out` if there is none of this version or
        it has expired. No other thread waits meanwhile, see `RuleLocks`.
        """
        found = self.get(place)
        if found is None or found.version != version or time.monotonic() > found.until:
            found = work_out()
        with self._lock:
            self._results.pop(place, None)
            self._results[place] = found
            while len(self._results) > _MAX_CACHED:
                self._results.pop(next(iter(self._results)))
        return found


class RuleLocks:
    """A lock for each rule: a result is computed once, and no rule waits for another."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def of(self, rule: str) -> threading.Lock:
        """Return the lock of the rule with this name."""
        with self._lock:
            return self._locks.setdefault(rule, threading.Lock())


def cached_result(version: str, runs: Runs, missing: int, failed: int) -> CachedResult[Runs]:
    """Build a result with its expiry: immediately if verdicts are missing, after _RETRIED_S (60 s)
    if a run failed, else never.
    """
    valid_s = 0.0 if missing else _RETRIED_S if failed else math.inf
    return CachedResult(version, runs, missing, time.monotonic() + valid_s)
