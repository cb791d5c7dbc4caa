"""Commits that a user skips in a bisection, because they give no result."""

from __future__ import annotations

from dataclasses import replace

from services.bisection.commits import CommitIndex
from services.bisection.errors import NoBisectionError
from storage.audit import Audit
from storage.bisections import Bisections
from storage.catalogue import Catalogue


def skip_commit(
    catalogue: Catalogue, bisection_id: str, commit: str, user: str, *, is_skipped: bool = True
) -> None:
    """Skip a commit of a stored bisection, or no longer skip it if not `is_skipped`.

    The audit log has `user`. Raises BisectionError if there is no such bisection or commit.
    """
    stored = Bisections(catalogue).find(bisection_id)
    if stored is None:
        raise NoBisectionError(f"there is no bisection {bisection_id!r}")
    (position,) = CommitIndex(stored.commits).find_all([commit])
    remaining = [other for other in stored.skipped if other != stored.commits[position]]
    skipped = [*remaining, stored.commits[position]] if is_skipped else remaining
    Bisections(catalogue).put(replace(stored, skipped=skipped))
    action = "skip" if is_skipped else "no longer skip"
    Audit(catalogue).add(user, "bisection.skip", bisection_id, f"{action} {commit}")
