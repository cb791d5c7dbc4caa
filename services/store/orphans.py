"""Search for orphans, files of a store that no run refers to, and their removal; each search is a
job with a single task.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from schema.plurals import plural
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.clock import seconds_since
from storage.errors import StorageError
from storage.jobs import DONE, Jobs
from storage.orphans import OrphanSearch, find_orphans, unknown_prefixes
from storage.pending import is_abandoned, sweep
from storage.repository import Repository

KIND = "orphans"
"""Kind of the jobs that search for orphans."""
_TASK = "frames"
_MAX_FILES, _MAX_SEARCH_S = 5_000_000, 600.0
"""Limits of a search: number of files, and seconds."""
_EXAMPLES = 20
"""Number of prefixes that a result names."""


class OrphanError(StorageError):
    """Orphans cannot be removed; the message is a sentence that browsers may show too."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, f"Nothing was removed: {sentence}.")


@dataclass(frozen=True)
class OrphanResult:
    """Result of a search: number of orphaned prefixes, their files and bytes, and the first
    prefixes by name.

    `looked_at` counts the files that were examined; `complete` is False if a limit ended the
    search. If `is_removed`, the orphans were deleted.
    """

    prefixes: int
    files: int
    bytes: int
    looked_at: int
    complete: bool
    is_removed: bool
    examples: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Convert the result to JSON types, a dict of all fields."""
        return {**asdict(self), "examples": [*self.examples]}


@dataclass(frozen=True)
class OrphanState:
    """State of the search for orphans: whether it is running, and the result of the last search.

    `last_at` is its time (ISO 8601 in UTC, `None` if there was no search), `age_s` the seconds
    since then; the other fields are those of `OrphanResult`. `leftovers` counts prefixes of dead
    processes; the next ingest or clean-up removes them.
    """

    running: bool
    last_at: str | None
    age_s: float | None
    prefixes: int
    files: int
    bytes: int
    looked_at: int
    complete: bool
    examples: tuple[str, ...]
    leftovers: int


def look_for_orphans(repository: Repository, user: str, *, remove: bool) -> OrphanResult:
    """Search the files of the frames for orphans and return their numbers; with `remove` delete
    them and add an audit entry.

    Raises StorageError, and with `remove` OrphanError if the catalogue has no run: it is then
    probably not the catalogue of these files.
    """
    catalogue = repository.catalogue
    store = repository.store
    if remove and not catalogue.count():
        raise OrphanError("the catalogue has no run, so it may not belong to these files")
    # A folder that is not mounted would look like a store without files.
    repository.check_reach()
    if remove:
        # Files of dead processes are pending and not orphans, so they are removed first.
        sweep(catalogue, store, repository.stale_after_s)
    search = find_orphans(catalogue, store, most_files=_MAX_FILES, within_s=_MAX_SEARCH_S)
    if remove:
        _remove(repository, search, user)
    names = tuple(sorted(orphan.prefix for orphan in search.orphans)[:_EXAMPLES])
    return OrphanResult(
        len(search.orphans),
        search.files,
        search.bytes,
        search.looked_at,
        search.complete,
        is_removed=remove,
        examples=names,
    )


def record_look(catalogue: Catalogue, user: str, result: OrphanResult) -> None:
    """Store the result of a search by this process as a finished job, so that the next overview
    shows it.
    """
    jobs = Jobs(catalogue)
    owner = secrets.token_hex(8)
    job = jobs.add(KIND, [_TASK], user, {"remove": result.is_removed}, owner)
    jobs.record(job.job_id, 0, failed=False, answer=result.record())
    jobs.end(job.job_id, owner, DONE)


def orphan_tasks() -> list[str]:
    """Return the names of the tasks of a job that searches for orphans: a single name."""
    return [_TASK]


def orphan_state(repository: Repository) -> OrphanState:
    """Return the result of the last finished search from the catalogue, zeros and `last_at` None if
    there was no search; the files of the frames are not accessed.

    If that search removed the orphans, their numbers are 0.
    """
    jobs = Jobs(repository.catalogue)
    newest = jobs.single(KIND, 1)
    over = next(iter(jobs.single(KIND, 1, DONE)), None)
    pending = repository.catalogue.pending() if repository.catalogue.is_created() else []
    state = OrphanState(
        running=bool(newest) and not newest[0][0].is_over,
        last_at=None,
        age_s=None,
        prefixes=0,
        files=0,
        bytes=0,
        looked_at=0,
        complete=False,
        examples=(),
        leftovers=sum(is_abandoned(prefix, repository.stale_after_s) for prefix in pending),
    )
    return state if over is None else _add_result(state, over[0].created_at, over[1].answer or {})


def _add_result(state: OrphanState, at: str, result: Mapping[str, Any]) -> OrphanState:
    prefixes, files, size, looked_at = (
        int(result.get(n) or 0) for n in ("prefixes", "files", "bytes", "looked_at")
    )
    updated = replace(
        state,
        last_at=at,
        age_s=seconds_since(at),
        looked_at=looked_at,
        complete=bool(result.get("complete")),
    )
    if result.get("is_removed"):
        return updated
    examples = tuple(result.get("examples") or ())
    return replace(updated, prefixes=prefixes, files=files, bytes=size, examples=examples)


def _remove(repository: Repository, search: OrphanSearch, user: str) -> None:
    """Delete the files of the orphans of a search, and log their total in the audit log.

    The catalogue is checked again before each, as an ingest may have added the run meanwhile.
    """
    for orphan in search.orphans:
        if unknown_prefixes(repository.catalogue, [orphan.prefix]):
            repository.store.remove(orphan.prefix)
    if search.orphans:
        detail = f"{plural(len(search.orphans), 'prefix')}, {plural(search.files, 'file')}, {search.bytes:,} bytes"
        Audit(repository.catalogue).add(user, "orphans.remove", search.orphans[0].prefix, detail)
