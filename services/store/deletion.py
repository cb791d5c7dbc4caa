"""Deletion of runs with an entry in the audit log."""

from __future__ import annotations

from collections.abc import Iterable

from storage.audit import Action, Audit
from storage.errors import RunNotFound, RunPinned
from storage.repository import Repository


def delete_run(repository: Repository, run_id: str, user: str, action: Action = "delete") -> None:
    """Delete a run and its frames, with an entry of `action` in the audit log. Raises RunNotFound,
    and RunPinned if it is pinned.
    """
    stored = repository.catalogue.get(run_id)
    repository.delete(run_id)
    name = str(stored.run.get("name") or "") if stored is not None else ""
    Audit(repository.catalogue).add(user, action, run_id, name)


def delete_runs(repository: Repository, run_ids: Iterable[str], user: str) -> list[str]:
    """Delete runs and return the ids of pinned runs, which are not deleted.

    Runs that no longer exist are skipped.
    """
    pinned = []
    for run_id in run_ids:
        try:
            delete_run(repository, run_id, user)
        except RunPinned:
            pinned.append(run_id)
        except RunNotFound:
            # another user deleted the run meanwhile
            continue
    return pinned
