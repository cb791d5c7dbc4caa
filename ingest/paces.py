"""Storage of the pace of a capture, which its page then reads instead of computing it."""

from __future__ import annotations

import logging

from analysis.aie.pace.record import PACE_RESULT, PACE_VERSION
from ingest.summary import Summary
from storage.errors import StorageError
from storage.repository import Repository
from storage.run_results import RunResults
from storage.stored_run import StoredRun

_LOG = logging.getLogger(__name__)


def store_pace(repository: Repository, stored: StoredRun, summary: Summary) -> None:
    """Store the pace of a run that has one; a failure is only logged, as pages can compute it."""
    if summary.pace is None:
        return
    try:
        results = RunResults(repository.catalogue, PACE_RESULT, PACE_VERSION)
        results.put(stored.run_id, stored.prefix, summary.pace)
    except StorageError as error:
        _LOG.warning("the pace of run %s was not stored: %s", stored.run_id, error)
