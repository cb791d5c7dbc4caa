"""What the lab is asked: an attempt, what is otherwise in it, how it is to be placed and with how much effort."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from analysis.allocators.listed import DEFAULT
from analysis.allocators.what_if import Changes

EFFORTS = (4_000_000, 100_000, 1_000_000, 20_000_000)
"""Placements to try that people choose from, the default first."""
MOST_EFFORT = 200_000_000


@dataclass(frozen=True)
class LabProblem:
    """What is to be placed: an attempt of a run as stored (`version`), with changes, and blocks that stay."""

    version: str
    attempt: int
    changes: Changes = field(default_factory=Changes)
    fixed: tuple[tuple[int, int], ...] = ()
    capacity: int | None = None

    @property
    def key(self) -> str:
        """Return what names the problem."""
        return _hash(asdict(self))


@dataclass(frozen=True)
class LabQuestion:
    """A problem, and how to go about it: equal questions have equal answers, unless time ends a search."""

    problem: LabProblem
    strategy: str = DEFAULT
    seed: int = 0
    effort: int = EFFORTS[0]

    @property
    def key(self) -> str:
        """Return what names the question."""
        return _hash([self.strategy, self.seed, self.effort])


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]
