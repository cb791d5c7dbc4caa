"""Question of the lab: an attempt, changes to its problem, a strategy and the effort of the
search.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from analysis.allocators.listed import DEFAULT
from analysis.allocators.what_if import Changes

EFFORTS = (4_000_000, 100_000, 1_000_000, 20_000_000)
"""Numbers of placements to try that users can choose from; the first is the default."""
MAX_EFFORT = 200_000_000
"""Maximum number of placements that a question may request."""


@dataclass(frozen=True)
class LabProblem:
    """The problem to solve: an attempt of a run's stored content (`version`) with changes, and
    blocks that keep their place.

    `fixed` has (block, address) of the blocks that stay; `capacity` is in bytes, `None` for that of
    the attempt.
    """

    version: str
    attempt: int
    changes: Changes = field(default_factory=Changes)
    fixed: tuple[tuple[int, int], ...] = ()
    capacity: int | None = None

    @property
    def key(self) -> str:
        """Hash that identifies the problem, 24 hex digits."""
        return _hash(asdict(self))


@dataclass(frozen=True)
class LabQuestion:
    """A problem, and how to solve it.

    Equal questions have equal results, unless a time limit ends the search.
    """

    problem: LabProblem
    strategy: str = DEFAULT
    seed: int = 0
    effort: int = EFFORTS[0]

    @property
    def key(self) -> str:
        """Hash that identifies strategy, seed and effort of the question, without its problem; 24
        hex digits.
        """
        return _hash([self.strategy, self.seed, self.effort])


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]
