"""Recompute the numbers of stored runs from their frames after a change of the analysis, without
source files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.results import store_results
from ingest.run_row import with_summary
from ingest.summary import analyse
from schema.diagnostics import findings_of
from storage.errors import StorageError
from storage.repository import Repository
from storage.stored_run import StoredRun

_MAX_TRIES = 5
"""Maximum number of attempts to analyse a run that other processes replace meanwhile."""


@dataclass(frozen=True)
class Refreshed:
    """A run and its status: refreshed, unchanged or failed, with the `reason` of a failure."""

    run_id: str
    source: str
    name: str
    status: str
    reason: str = ""


def refresh(repository: Repository, run_ids: Sequence[str]) -> Iterator[Refreshed]:
    """Recompute headline, row counts of derived frames and findings of runs.

    Yields a status per run, in order. A run that fails stays as it is. A run that does not exist is
    skipped.
    """
    for run_id in run_ids:
        stored = repository.catalogue.get(run_id)
        if stored is not None:
            yield _refresh_run(repository, stored)


def _refresh_run(repository: Repository, stored: StoredRun) -> Refreshed:
    source = str(stored.run["source"])
    name = str(stored.run["name"])
    try:
        return Refreshed(stored.run_id, source, name, _amend(repository, stored.run_id))
    except StorageError as error:
        reason = str(error)
    except Exception as error:  # an analysis may raise anything, and must not affect other runs
        reason = f"the analysis failed: {type(error).__name__}: {error}"
    return Refreshed(stored.run_id, source, name, "failed", reason)


def _amend(repository: Repository, run_id: str) -> str:
    """Write the new numbers of a run.

    Returns `refreshed`, or `unchanged` if they are equal to the stored numbers. If the run was
    replaced during the analysis, it is analysed again; raises StorageError after 5 tries.
    """
    for _ in range(_MAX_TRIES):
        stored = repository.find_run(run_id)
        frames = {name: repository.frame(run_id, name) for name in repository.frame_names(run_id)}
        summary = analyse(frames, str(stored.run["source"]))
        new = with_summary(stored, findings_of(frames["diagnostics"]), summary)
        if new == stored:
            store_results(repository, stored, summary)
            return "unchanged"
        if repository.catalogue.amend(stored, new):
            store_results(repository, new, summary)
            return "refreshed"
    raise StorageError(f"run {run_id} was replaced during each attempt to analyse it")
