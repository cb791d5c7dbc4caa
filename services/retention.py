"""Old runs deleted by a rule: all but the newest of each key."""

from __future__ import annotations

from collections.abc import Sequence

from services.deletion import delete_run
from storage.errors import RunNotFound, RunPinned
from storage.repository import Repository
from storage.retention import outdated


def retain(repository: Repository, keep_last: int, by: Sequence[str], user: str, *, dry_run: bool) -> list[str]:
    """Delete all but the `keep_last` newest runs of those that are equal in `by`, and return the ids of the deleted.

    `dry_run` deletes nothing. Pinned runs stay and do not count, one that is pinned meanwhile too.
    """
    found = outdated(repository.catalogue, keep_last, by)
    return found if dry_run else [run_id for run_id in found if _deleted(repository, run_id, user)]


def _deleted(repository: Repository, run_id: str, user: str) -> bool:
    try:
        delete_run(repository, run_id, user, "retention")
    except (RunNotFound, RunPinned):
        return False
    return True
