"""Find orphans: frame files that no run, upload or process refers to, left by crashes and lost
rows.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from storage.catalogue import Catalogue
from storage.failures import frames_failed
from storage.found_file import FoundFile
from storage.frame_store import FrameStore
from storage.monthly_files import MONTHLY_FOLDER
from storage.monthly_tables import MONTHLY_FILES
from storage.tables import PENDING, RUNS
from storage.work_tables import UPLOADS

QUIET_S = 3600.0
"""Minimum age in seconds of a file that counts as an orphan."""
_UPLOADS = "uploads"
_PREFIXES = re.compile(
    r"(?:[0-9a-f]{12,64}/[0-9a-f]{16}|(?:uploads|staged|monthly)/[0-9a-f]{24})(?=/)", re.ASCII
)
"""Beginnings of a store's paths: run and ingest attempt, upload, files staged for workers, and
monthly files.
"""
_BATCH_SIZE = 500
"""Number of prefixes that are looked up together."""


@dataclass
class Orphan:
    """A prefix that the catalogue does not refer to, with the number and bytes of its files."""

    prefix: str
    files: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class OrphanSearch:
    """Result of a search for orphans; `complete` is False if a limit ended it before the last file.

    `looked_at` counts the examined files; files with paths that no store writes are not examined.
    """

    orphans: tuple[Orphan, ...]
    looked_at: int
    complete: bool

    @property
    def files(self) -> int:
        """Number of files of all orphans."""
        return sum(orphan.files for orphan in self.orphans)

    @property
    def bytes(self) -> int:
        """Sum of the bytes of all orphans' files."""
        return sum(orphan.bytes for orphan in self.orphans)


def find_orphans(
    catalogue: Catalogue, store: FrameStore, *, most_files: int, within_s: float
) -> OrphanSearch:
    """Search the place of the frames for orphans, up to `most_files` files and `within_s` seconds.

    Files younger than one hour (QUIET_S) never count as orphans. A process records its prefix in
    the catalogue before it writes; so if the catalogue does not know the prefix of a file that was
    listed earlier, it never will. Raises StorageError if the place cannot be read.
    """
    orphans: dict[str, Orphan] = {}
    batch: dict[str, Orphan] = {}
    looked_at = 0
    complete = True
    end = time.monotonic() + within_s
    for file in _walk(store):
        prefix = _PREFIXES.match(file.path)
        if prefix is None:
            continue
        if looked_at >= most_files or time.monotonic() > end:
            complete = False
            break
        looked_at += 1
        # A newer file may belong to a writer that is still at work.
        if time.time() - file.modified_s > QUIET_S:
            orphan = batch.setdefault(prefix[0], Orphan(prefix[0]))
            orphan.files += 1
            orphan.bytes += file.size
        if len(batch) >= _BATCH_SIZE:
            _merge(orphans, unknown_prefixes(catalogue, batch), batch)
            batch = {}
    _merge(orphans, unknown_prefixes(catalogue, batch), batch)
    return OrphanSearch(tuple(orphans.values()), looked_at, complete)


def unknown_prefixes(catalogue: Catalogue, prefixes: Collection[str]) -> set[str]:
    """Return the `prefixes`, at most some hundred, that no run, upload, monthly file or pending
    prefix of the catalogue refers to.
    """
    if not prefixes:
        return set()
    with catalogue.connect() as connection:
        return set(prefixes) - _referenced_prefixes(connection, prefixes)


def _referenced_prefixes(connection: Connection, prefixes: Collection[str]) -> set[str]:
    parts = {prefix: prefix.split("/") for prefix in prefixes}
    runs = select(RUNS.c.prefix).where(RUNS.c.run_id.in_([run_id for run_id, _ in parts.values()]))
    pending = select(PENDING.c.prefix).where(PENDING.c.prefix.in_([*prefixes]))
    uploads = select(UPLOADS.c.upload_id).where(
        UPLOADS.c.upload_id.in_([last for first, last in parts.values() if first == _UPLOADS])
    )
    monthly = select(MONTHLY_FILES.c.file).where(
        MONTHLY_FILES.c.file.in_(
            [last for first, last in parts.values() if first == MONTHLY_FOLDER]
        )
    )
    referenced = {*connection.scalars(runs), *connection.scalars(pending)}
    referenced |= {f"{_UPLOADS}/{upload_id}" for upload_id in connection.scalars(uploads)}
    return referenced | {f"{MONTHLY_FOLDER}/{file}" for file in connection.scalars(monthly)}


def _walk(store: FrameStore) -> Iterator[FoundFile]:
    try:
        yield from store.files.walk()
    except OSError as error:
        raise frames_failed(store.url, error) from error


def _merge(orphans: dict[str, Orphan], unknown: Collection[str], batch: dict[str, Orphan]) -> None:
    for prefix in unknown:
        orphan = orphans.setdefault(prefix, Orphan(prefix))
        orphan.files += batch[prefix].files
        orphan.bytes += batch[prefix].bytes
