"""Placements of the lab as files that all processes of a machine share, by problem and question."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from analysis.allocators.placement import Improvement, Placement
from schema.array_types import Ints
from services.run.placement_files import read_json, write_json
from services.run.placement_question import LabProblem, LabQuestion

MAX_BYTES = 256 * 2**20
"""Maximum bytes of all files of placements; the oldest are deleted first."""
_READ = 64
"""Number of parsed placements that a process caches."""
_FRONT = "moved-"
"""Prefix of the files that belong to the front of placements by moved bytes."""


@dataclass(frozen=True)
class LabPlacement:
    """Result of a strategy; see `analysis.allocators.placement.Placement`.

    `strategy`, `seed` and `asked_effort` repeat the question, `note` is a sentence about the
    compiler's cache. `moved_bytes` is `None` unless the placement was to move as little as
    possible: then it is the number of bytes with another address than in the file.
    """

    strategy: str
    seed: int
    asked_effort: int
    status: str
    proof: str | None
    stopped: str
    extent: int | None
    bound: int
    gap: float | None
    seconds: float
    effort: int
    address: Ints | None
    trace: tuple[Improvement, ...]
    note: str
    moved_bytes: int | None = None


@dataclass(frozen=True)
class LabPlacements:
    """The placements stored in a folder."""

    folder: Path

    def of(self, problem: LabProblem) -> list[LabPlacement]:
        """Return all stored placements of a problem, including its front, ordered by strategy,
        effort and seed; empty if there are none. Unreadable files are left out.
        """
        placements = [
            placement for path in self._files(problem) if (placement := _read_placement(path))
        ]
        return sorted(
            placements,
            key=lambda placement: (
                placement.strategy,
                placement.asked_effort,
                placement.seed,
                placement.moved_bytes or 0,
            ),
        )

    def fingerprint(self, problem: LabProblem) -> str:
        """Return a token that changes whenever the stored placements of a problem do; "" if there
        are none.
        """
        return " ".join(f"{path.stem}:{_change_time(path)}" for path in self._files(problem))

    def keep(self, question: LabQuestion, record: Mapping[str, Any]) -> None:
        """Store the record of a question's result and replace its previous result; if all files
        exceed MAX_BYTES (256 MiB), the oldest are deleted.
        """
        path = self.folder / question.problem.key / f"{question.key}.json"
        settings = {
            "strategy": question.strategy,
            "seed": question.seed,
            "asked_effort": question.effort,
        }
        try:
            _write(path, dict(record) | settings)
        # another process removed the folder while it was still empty
        except FileNotFoundError:
            _write(path, dict(record) | settings)
        self._tidy()

    def keep_front(self, question: LabQuestion, points: Sequence[Mapping[str, Any]]) -> None:
        """Store the front of placements by moved bytes, a record per point, and replace the
        problem's previous front.
        """
        for path in self._files(question.problem):
            if path.stem.startswith(_FRONT):
                path.unlink(missing_ok=True)
        settings = {
            "strategy": question.strategy,
            "seed": question.seed,
            "asked_effort": question.effort,
        }
        for point in points:
            path = self.folder / question.problem.key / f"{_FRONT}{point['moved_bytes']}.json"
            _write(path, dict(point) | settings)
        self._tidy()

    def _files(self, problem: LabProblem) -> list[Path]:
        return sorted((self.folder / problem.key).glob("*.json"))

    def _tidy(self) -> None:
        files = [(*_changed_and_size(path), path) for path in self.folder.glob("*/*.json")]
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= MAX_BYTES:
                break
            total -= size
            path.unlink(missing_ok=True)
            # fails if the folder has further placements
            with contextlib.suppress(OSError):
                path.parent.rmdir()


def _write(path: Path, record: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, record)


def _changed_and_size(path: Path) -> tuple[int, int]:
    """Return (modification time in ns, size in bytes) of a file; (0, 0) if another process has
    deleted it.
    """
    with contextlib.suppress(OSError):
        stat = path.stat()
        return stat.st_mtime_ns, stat.st_size
    return 0, 0


def _change_time(path: Path) -> int:
    return _changed_and_size(path)[0]


def _read_placement(path: Path) -> LabPlacement | None:
    return _parse_placement(path, _change_time(path))


@lru_cache(_READ)
def _parse_placement(path: Path, _changed_ns: int) -> LabPlacement | None:
    """Read the placement of a file; `None` if it is missing or another release wrote it.

    `_changed_ns` is part of the key of the cache: a file that changed is read again.
    """
    record = read_json(path)
    if record is None:
        return None
    try:
        return parse_placement(record)
    except (KeyError, TypeError, ValueError):
        return None


def placement_record(placement: Placement, note: str) -> dict[str, Any]:
    """Convert a placement to the dict of JSON types that is stored, with `note`, a sentence about
    it; `address` is a list of bytes per storage or `None`.
    """
    where = None if placement.address is None else placement.address.tolist()
    seconds = round(placement.seconds, 6)
    return asdict(placement) | {
        "address": where,
        "gap": placement.gap,
        "seconds": seconds,
        "note": note,
    }


def parse_placement(record: Mapping[str, Any]) -> LabPlacement:
    """Parse the record of a placement.

    Raises KeyError, TypeError or ValueError if another release wrote it.
    """
    fields = dict(record)
    address = fields.pop("address")
    trace = fields.pop("trace")
    where = None if address is None else np.array(address, dtype=np.int64)
    return LabPlacement(address=where, trace=tuple(Improvement(**step) for step in trace), **fields)
