"""Addresses that lead from a regression to its bisection."""

from __future__ import annotations

from analysis.bisection.address import bisected_metric, bisection_path, start_address
from analysis.comparison.status_row import StatusRow
from services.bisection.bisections import find_stored, find_subject
from services.bisection.errors import BisectionError
from storage.errors import StorageError
from storage.repository import Repository


def bisection_address(repository: Repository, row: StatusRow) -> str:
    """Return the address of the bisection between the good and the bad commit of a regression of
    the status; the address of the filled-in form if it was not started yet, "" if there is no good
    and bad commit.
    """
    form = start_address(row)
    if not form or row.since is None or row.since.last_good is None:
        return ""
    good, bad = row.since.last_good.commit, row.since.first_bad
    try:
        subject = find_subject(repository, bad.run_id, bisected_metric(row))
        stored = find_stored(repository.catalogue, subject, good, bad.commit)
    except (BisectionError, StorageError):
        return form
    return bisection_path(stored.bisection_id) if stored else form
