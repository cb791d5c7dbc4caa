"""Runs deleted, each with its line in the audit log."""

from __future__ import annotations

from collections.abc import Iterable

from storage.audit import Action, Audit
from storage.errors import RunNotFound, RunPinned
from storage.repository import Repository


def delete_run(repository: Repository, run_id: str, user: str, action: Action = "delete") -> None:
    """Take a run and its frames out; raises RunNotFound, and RunPinned where it is pinned."""
    stored = repository.catalogue.get(run_id)
    repository.delete(run_id)
    name = str(stored.run.get("name") or "") if stored is not None else ""
    Audit(repository.catalogue).add(user, action, run_id, name)


def delete_runs(repository: Repository, run_ids: Iterable[str], user: str) -> list[str]:
    """Take runs out and return the ids of those that are pinned and stay; one that is gone already is passed over."""
    pinned = []
    for run_id in run_ids:
        try:
            delete_run(repository, run_id, user)
        except RunPinned:
            pinned.append(run_id)
        except RunNotFound:
            continue  # somebody else was quicker
    return pinned
