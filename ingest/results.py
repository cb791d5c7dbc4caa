"""Storage of results of the analysis, which the page of a run then reads instead of computing them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from ingest.summary import Summary
from storage.errors import StorageError
from storage.repository import Repository
from storage.run_results import RunResults
from storage.stored_run import StoredRun

_LOG = logging.getLogger(__name__)


def store_results(repository: Repository, stored: StoredRun, summary: Summary) -> None:
    """Store the pace of a capture, and the numbers of large memory maps; a failure is only logged,
    as pages can compute both.
    """
    # A run has at most one of both, and imports no more.
    if summary.pace is not None:
        from analysis.aie.pace.record import PACE_RESULT, PACE_VERSION  # noqa: PLC0415

        _store(repository, stored, PACE_RESULT, PACE_VERSION, summary.pace)
    if summary.memory is not None:
        from analysis.memory.large_maps import MEMORY_RESULT, MEMORY_VERSION  # noqa: PLC0415

        _store(repository, stored, MEMORY_RESULT, MEMORY_VERSION, summary.memory)


def _store(
    repository: Repository, stored: StoredRun, name: str, made_by: str, result: Mapping[str, Any]
) -> None:
    try:
        results = RunResults(repository.catalogue, name, made_by)
        results.put(stored.run_id, stored.prefix, result)
    except StorageError as error:
        _LOG.warning("result %s of run %s was not stored: %s", name, stored.run_id, error)
