"""Reasons why layer groups failed, and results of the search for them; cached as files per content
of a run.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.allocators.free_ranges import read_layout
from analysis.allocators.reasons import TOO_BIG, attempt_reason
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.group_table import GroupAttempt
from analysis.memory.index import MemoryIndex
from services.run.placement_files import read_json, write_json

EFFORT = 20_000
"""Maximum number of placements that the search tries for each failed attempt."""
MAX_CACHED_RUNS = 500
"""Maximum number of runs whose failures are cached; the oldest files are deleted first."""
MAX_REASONED_GROUPS = 64
"""Maximum number of failed groups whose reasons a page computes itself, at some milliseconds each.
"""
_FORM = 1
"""Version of the cached files.

Increase it if the search, the reasons or the form of a file changes: older files are then ignored.
"""

FailureRecord = Mapping[str, Any]
"""Failure of an attempt: `reason`, `excess` (bytes too many) and `step`; `None` if unknown.

`lab` is the result of the search, `None` if it has no result. Key `lab` is missing until the search
has examined the attempt.
"""
NO_FAILURE: FailureRecord = {"reason": None, "excess": None, "step": None}
"""Record of an attempt that did not fail, or whose reason is not known yet."""


@dataclass(frozen=True)
class GroupFailures:
    """Reasons why attempts of a run failed, as far as the search has found them.

    `known` maps an attempt to its record. `is_pending`: the search has not run yet. `ending` is the
    reason why the search ended without results, "" if it did not.
    """

    known: Mapping[int, FailureRecord] = field(default_factory=dict)
    is_pending: bool = False
    ending: str = ""
    _made: dict[int, FailureRecord] = field(default_factory=dict)

    def of(self, attempt: GroupAttempt, index: MemoryIndex, failed_groups: int) -> FailureRecord:
        """Return why an attempt failed, NO_FAILURE if it did not; `failed_groups` is the number of
        failed groups of the page.

        If the peak exceeds the memory, its bytes are the reason. Other reasons need the map, which
        takes some milliseconds: if `failed_groups` exceeds MAX_REASONED_GROUPS (64), the record is
        NO_FAILURE until the search has run.
        """
        if not attempt.failed:
            return NO_FAILURE
        if attempt.attempt in self.known:
            return self.known[attempt.attempt]
        if attempt.room is not None and attempt.peak_bytes > attempt.room:
            return {
                "reason": TOO_BIG,
                "excess": attempt.peak_bytes - attempt.room,
                "step": attempt.peak_step,
            }
        if attempt.attempt not in self._made and failed_groups <= MAX_REASONED_GROUPS:
            self._made[attempt.attempt] = explain_failure(index.map(attempt.attempt), attempt)
        return self._made.get(attempt.attempt, NO_FAILURE)


UNKNOWN = GroupFailures()
"""Failures of a run for which no search is available."""


@dataclass(frozen=True)
class FailureCache:
    """Cache of failures, a JSON file per content of a run in `folder`."""

    folder: Path

    def read(self, version: str, effort: int = EFFORT) -> dict[int, FailureRecord] | None:
        """Return attempt -> failure for a stored content of a run; `None` if the search has not
        examined it completely.
        """
        content = read_json(self._path(version, effort))
        if content is None or not isinstance(content.get("attempts"), dict):
            return None
        return {
            int(attempt): record
            for attempt, record in content["attempts"].items()
            if str(attempt).isdecimal()
        }

    def of(self, version: str) -> GroupFailures:
        """Return the cached failures for a stored content of a run, with the state of the search:
        pending and without failures if there is no file.
        """
        records = self.read(version)
        ending = (
            ""
            if records is None
            else str((read_json(self._path(version, EFFORT)) or {}).get("failed", ""))
        )
        return GroupFailures(records or {}, is_pending=records is None, ending=ending)

    def write(
        self,
        version: str,
        failures: Mapping[int, FailureRecord],
        effort: int = EFFORT,
        failed: str = "",
    ) -> None:
        """Cache the failures of a run, or `failed`, the reason why there are none; if there are
        more than MAX_CACHED_RUNS (500) files, the oldest are deleted.

        If the folder cannot be written, the failures are not cached and no error is raised.
        """
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(self._path(version, effort), {"attempts": dict(failures), "failed": failed})
            self._tidy()

    def is_known(self, version: str) -> bool:
        """Whether the search has ended for this content of a run, also if it failed."""
        return self._path(version, EFFORT).exists()

    def _path(self, version: str, effort: int) -> Path:
        return (
            self.folder
            / f"{hashlib.sha256(f'{_FORM} {effort} {version}'.encode()).hexdigest()[:32]}.json"
        )

    def _tidy(self) -> None:
        newest_first = sorted(
            self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True
        )
        for path in newest_first[MAX_CACHED_RUNS:]:
            path.unlink(missing_ok=True)


def explain_failure(amap: AttemptMap | None, attempt: GroupAttempt) -> FailureRecord:
    """Return the record of a failed attempt: reason, excess (bytes beyond the memory) and step of
    the peak, both `None` unless the reason is TOO_BIG.

    If `amap` is `None`, the record is NO_FAILURE.
    """
    if amap is None:
        return NO_FAILURE
    layout = read_layout(amap)
    reason = attempt_reason(amap, layout, attempt.peak_bytes)
    if reason != TOO_BIG:
        return {"reason": reason, "excess": None, "step": None}
    return {
        "reason": reason,
        "excess": attempt.peak_bytes - (layout.room or 0),
        "step": attempt.peak_step,
    }
