"""Why attempts of layer groups failed and what the search makes of them, kept as files by the content of a run."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.allocators.free_ranges import layout_of
from analysis.allocators.reasons import TOO_BIG, attempt_reason
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.group_table import GroupAttempt
from analysis.memory.index import MemoryIndex
from services.run.placement_files import read_json, write_json

EFFORT = 20_000
"""Placements that the search may try for each failed attempt."""
MOST_KEPT = 500
"""Runs whose failures are kept; those that were found longest ago go first."""
MOST_REASONED = 64
"""Failed groups up to which a page makes out the reasons by itself: some milliseconds for each."""
_FORM = 1
"""Another number forgets what is kept: the search, the reasons or the form of a file is another one."""

FailureRecord = Mapping[str, Any]
"""`reason`, `excess` (bytes too many) and `step` of a failed attempt; `lab` is what the search says, None for nothing.

Without key `lab` the search was not asked yet.
"""
NO_FAILURE: FailureRecord = {"reason": None, "excess": None, "step": None}


@dataclass(frozen=True)
class GroupFailures:
    """What is known of why attempts of a run failed: `known` has those that the search was asked about.

    `is_pending`: the search is still to be asked; `ending` is why it ended without answers, empty where it did not.
    """

    known: Mapping[int, FailureRecord] = field(default_factory=dict)
    is_pending: bool = False
    ending: str = ""
    _made: dict[int, FailureRecord] = field(default_factory=dict)

    def of(self, one: GroupAttempt, index: MemoryIndex, among: int) -> FailureRecord:
        """Return why an attempt failed; `among` so many that a page asks about.

        Too many bytes are told by the peak alone. What else there is needs the map: where there are many, the reason
        is None until the search has been there.
        """
        if not one.failed:
            return NO_FAILURE
        if one.attempt in self.known:
            return self.known[one.attempt]
        if one.room is not None and one.peak_bytes > one.room:
            return {"reason": TOO_BIG, "excess": one.peak_bytes - one.room, "step": one.peak_step}
        if one.attempt not in self._made and among <= MOST_REASONED:
            self._made[one.attempt] = failure_mapping(index.map(one.attempt), one)
        return self._made.get(one.attempt, NO_FAILURE)


UNKNOWN = GroupFailures()
"""Where nobody asks the search."""


@dataclass(frozen=True)
class KeptFailures:
    """The failures in a folder."""

    folder: Path

    def read(self, version: str, effort: int = EFFORT) -> dict[int, FailureRecord] | None:
        """Return attempt -> failure of the content of a run, None where the search was not asked about all of it."""
        found = read_json(self._path(version, effort))
        if found is None or not isinstance(found.get("attempts"), dict):
            return None
        return {int(attempt): record for attempt, record in found["attempts"].items() if str(attempt).isdecimal()}

    def of(self, version: str) -> GroupFailures:
        """Return what is known of the content of a run."""
        known = self.read(version)
        ending = "" if known is None else str((read_json(self._path(version, EFFORT)) or {}).get("failed", ""))
        return GroupFailures(known or {}, is_pending=known is None, ending=ending)

    def write(self, version: str, found: Mapping[int, FailureRecord], effort: int = EFFORT, failed: str = "") -> None:
        """Keep the failures of a run, or why there are none; a folder that cannot be written keeps nothing."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(self._path(version, effort), {"attempts": dict(found), "failed": failed})
            self._tidy()

    def is_known(self, version: str) -> bool:
        """Return whether the search was asked about a run."""
        return self._path(version, EFFORT).exists()

    def _path(self, version: str, effort: int) -> Path:
        return self.folder / f"{hashlib.sha256(f'{_FORM} {effort} {version}'.encode()).hexdigest()[:32]}.json"

    def _tidy(self) -> None:
        found = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in found[MOST_KEPT:]:
            path.unlink(missing_ok=True)


def failure_mapping(amap: AttemptMap | None, one: GroupAttempt) -> FailureRecord:
    """Return reason, bytes too many and their step of an attempt, None where it did not fail (no map is given)."""
    if amap is None:
        return NO_FAILURE
    layout = layout_of(amap)
    reason = attempt_reason(amap, layout, one.peak_bytes)
    if reason != TOO_BIG:
        return {"reason": reason, "excess": None, "step": None}
    return {"reason": reason, "excess": one.peak_bytes - (layout.room or 0), "step": one.peak_step}
