"""The numbers of stored runs anew, from their frames: after the analysis got better, without the source files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.run_row import with_summary
from ingest.summary import analyse
from schema.diagnostics import findings_of
from storage.errors import StorageError
from storage.repository import Repository
from storage.stored_run import StoredRun

_MOST_TRIES = 5
"""How often another process may replace a run while it is analysed."""


@dataclass(frozen=True)
class Refreshed:
    """A run and what happened to it: refreshed, unchanged or failed, for `reason`."""

    run_id: str
    source: str
    name: str
    status: str
    reason: str = ""


def refresh(repository: Repository, run_ids: Sequence[str]) -> Iterator[Refreshed]:
    """Derive headline, derived row counts and findings of the runs anew; one that fails stays as it is.

    A run that was deleted meanwhile is passed over.
    """
    for run_id in run_ids:
        stored = repository.catalogue.get(run_id)
        if stored is not None:
            yield _refresh_run(repository, stored)


def _refresh_run(repository: Repository, stored: StoredRun) -> Refreshed:
    source, name = str(stored.run["source"]), str(stored.run["name"])
    try:
        return Refreshed(stored.run_id, source, name, _amend(repository, stored.run_id))
    except StorageError as error:
        reason = str(error)
    except Exception as error:  # an analysis may raise anything, and one run stops no other
        reason = f"the analysis failed: {type(error).__name__}: {error}"
    return Refreshed(stored.run_id, source, name, "failed", reason)


def _amend(repository: Repository, run_id: str) -> str:
    """Write the new numbers where the run is still the one that was analysed, else analyse what took its place."""
    for _ in range(_MOST_TRIES):
        stored = repository.find_run(run_id)
        frames = {name: repository.frame(run_id, name) for name in repository.frame_names(run_id)}
        summary = analyse(frames, str(stored.run["source"]))
        new = with_summary(stored, findings_of(frames["diagnostics"]), summary)
        if new == stored:
            return "unchanged"
        if repository.catalogue.amend(stored, new):
            return "refreshed"
    raise StorageError(f"run {run_id} was replaced each time that it was analysed")
