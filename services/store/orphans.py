"""Orphans of a store looked for and removed, and what the last look found: each is a job with one task."""

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
"""Kind of the jobs that look for orphans."""
_TASK = "frames"
_MOST_FILES, _WITHIN_S = 5_000_000, 600.0
"""Files that a look goes through, and the seconds that it takes at most."""
_EXAMPLES = 20


class OrphanError(StorageError):
    """Orphans cannot be removed; the message is one sentence, for browsers too."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, f"Nothing was removed: {sentence}.")


@dataclass(frozen=True)
class OrphanAnswer:
    """What a look found: prefixes that nothing refers to, their files and bytes; the first prefixes by name.

    With `is_removed` they were taken away. `complete` is False where the look ended before the last file.
    """

    prefixes: int
    files: int
    bytes: int
    looked_at: int
    complete: bool
    is_removed: bool
    examples: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {**asdict(self), "examples": [*self.examples]}


@dataclass(frozen=True)
class OrphanState:
    """What is known of orphans: what the last look found and left, and when it was (ISO 8601 in UTC; None: never).

    `leftovers` are prefixes that dead processes wrote under; the next ingest removes them, and so does a clean-up.
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


def look_for_orphans(repository: Repository, user: str, *, remove: bool) -> OrphanAnswer:
    """Look through the place of the frames, and with `remove` take away what nothing refers to, with an audit entry.

    Raises StorageError, and OrphanError where the catalogue has no run: it is not likely to be that of these files.
    """
    catalogue, store = repository.catalogue, repository.store
    if remove and not catalogue.count():
        raise OrphanError("the catalogue has no run, so it may not be that of these files")
    repository.check_reach()
    if remove:
        sweep(catalogue, store, repository.stale_after_s)
    found = find_orphans(catalogue, store, most_files=_MOST_FILES, within_s=_WITHIN_S)
    if remove:
        _remove(repository, found, user)
    names = tuple(sorted(orphan.prefix for orphan in found.orphans)[:_EXAMPLES])
    return OrphanAnswer(
        len(found.orphans), found.files, found.bytes, found.looked_at, found.complete, is_removed=remove, examples=names
    )


def record_look(catalogue: Catalogue, user: str, answer: OrphanAnswer) -> None:
    """Put down a look that this process made, where the next overview reads it."""
    jobs, owner = Jobs(catalogue), secrets.token_hex(8)
    job = jobs.add(KIND, [_TASK], user, {"remove": answer.is_removed}, owner)
    jobs.record(job.job_id, 0, failed=False, answer=answer.record())
    jobs.end(job.job_id, owner, DONE)


def orphan_tasks() -> list[str]:
    """Return the tasks of a job that looks for orphans: one."""
    return [_TASK]


def orphan_state(repository: Repository) -> OrphanState:
    """Return what the catalogue knows of orphans; the place of the frames is not asked."""
    jobs = Jobs(repository.catalogue)
    newest = jobs.single(KIND, 1)
    over = next(iter(jobs.single(KIND, 1, DONE)), None)
    pending = repository.catalogue.pending() if repository.catalogue.is_created() else []
    known = OrphanState(
        running=bool(newest) and not newest[0][0].is_over,
        last_at=None,
        age_s=None,
        prefixes=0,
        files=0,
        bytes=0,
        looked_at=0,
        complete=False,
        examples=(),
        leftovers=sum(is_abandoned(one, repository.stale_after_s) for one in pending),
    )
    return known if over is None else _with_answer(known, over[0].created_at, over[1].answer or {})


def _with_answer(state: OrphanState, at: str, answer: Mapping[str, Any]) -> OrphanState:
    prefixes, files, size, looked_at = (int(answer.get(n) or 0) for n in ("prefixes", "files", "bytes", "looked_at"))
    known = replace(
        state, last_at=at, age_s=seconds_since(at), looked_at=looked_at, complete=bool(answer.get("complete"))
    )
    if answer.get("is_removed"):
        return known
    return replace(known, prefixes=prefixes, files=files, bytes=size, examples=tuple(answer.get("examples") or ()))


def _remove(repository: Repository, found: OrphanSearch, user: str) -> None:
    """Take orphans away, each once the catalogue was asked again."""
    for orphan in found.orphans:
        if unknown_prefixes(repository.catalogue, [orphan.prefix]):
            repository.store.remove(orphan.prefix)
    if found.orphans:
        detail = f"{plural(len(found.orphans), 'prefix')}, {plural(found.files, 'file')}, {found.bytes:,} bytes"
        Audit(repository.catalogue).add(user, "orphans.remove", found.orphans[0].prefix, detail)
