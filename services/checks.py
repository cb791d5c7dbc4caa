"""Verdicts of the gate about single runs, as they are kept: made of comparisons, and whether they still hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from analysis.comparison.outcome import deciding
from services.compare import Comparison
from services.members import Members, content_hash
from storage.checks import Check, Checks
from storage.repository import Repository
from storage.series import Place


def remember(repository: Repository, found: Comparison, new: Place, members: Members) -> Check:
    """Keep the verdict of a comparison of a run with the members of a baseline; return it. Raises StorageError."""
    check = check_of(found, new, members)
    Checks(repository.catalogue).put(check, members.baseline)
    members.note(check.run_id, check.verdict)
    return check


def check_of(found: Comparison, new: Place, members: Members) -> Check:
    """Return the verdict of a comparison of a run with the members of a baseline."""
    against = content_hash(members.before([new]))
    made = Check(members.baseline.name, new.run_id, new.prefix, against, found.verdict, "; ".join(found.reasons))
    row = deciding(found.rows, found.verdict)
    if row is None:
        return made
    return replace(
        made,
        metric=row.metric.name,
        about=row.key,
        reason=row.judged.reason,
        relative=_finite(row.judged_change),
        delta=_finite(row.delta),
    )


def holds(check: Check | None, new: Place, base: Sequence[Place]) -> bool:
    """Return whether a verdict is about the run as it is stored, and against these runs as they are."""
    return check is not None and check.prefix == new.prefix and check.against == content_hash(base)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
