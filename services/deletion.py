"""Runs deleted by people and by retention, each with its line in the audit log."""

from __future__ import annotations

from storage.audit import Audit
from storage.repository import Repository


def delete_run(repository: Repository, run_id: str, user: str, action: str = "delete") -> None:
    """Take a run and its frames out; raises RunNotFound, and RunPinned where it is pinned."""
    repository.delete(run_id)
    Audit(repository.catalogue).add(user, action, run_id)
