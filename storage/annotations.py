"""Annotations that users add to runs: notes, tags, and a pin that protects a run from deletion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, func, select, update

from storage import listing
from storage.annotation import Annotation, ingest_tags
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.errors import RunNotFound
from storage.people_tables import ANNOTATIONS
from storage.stored_run import StoredRun, stored_run
from storage.tables import RUNS
from storage.upsert import put, transact

_BATCH_SIZE = 500
"""Maximum number of run ids per query."""


@dataclass(frozen=True)
class Change:
    """A change of a run's annotation; a field that is None is not changed.

    `more_tags` are added to the current tags and `fewer_tags` removed from them.
    """

    notes: str | None = None
    tags: tuple[str, ...] | None = None
    pinned: bool | None = None
    more_tags: tuple[str, ...] = ()
    fewer_tags: tuple[str, ...] = ()

    def of(self, before: Annotation, ingested: tuple[str, ...]) -> Annotation:
        """Return a copy of an annotation with the change applied; its time and user stay those of
        `before`.

        `ingested` are the tags of the run's ingest: `more_tags` and `fewer_tags` apply to them if
        no user has changed the tags. A tag of both is removed.
        """
        changes = {"notes": self.notes, "tags": self.tags, "pinned": self.pinned}
        values: dict[str, Any] = {
            name: value for name, value in changes.items() if value is not None
        }
        after = replace(before, **values)
        if not self.more_tags and not self.fewer_tags:
            return after
        tags = dict.fromkeys((*(after.with_tags(ingested).tags or ()), *self.more_tags))
        return replace(after, tags=tuple(tag for tag in tags if tag not in self.fewer_tags))


class Annotations:
    """Reads and writes the annotations of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def of(self, runs: Sequence[StoredRun]) -> dict[str, Annotation]:
        """Map the id of each run to its annotation; a run without an annotation gets an empty
        annotation.

        Tags that no user has changed are the tags of the ingest, so that `tags` is never None.
        """
        ids = [run.run_id for run in runs]
        rows: dict[str, Annotation] = {}
        with self._catalogue.connect() as connection:
            for begin in range(0, len(ids), _BATCH_SIZE):
                rows |= listing.select_annotations(connection, ids[begin : begin + _BATCH_SIZE])
        return {
            run.run_id: rows.get(run.run_id, Annotation()).with_tags(ingest_tags(run.run))
            for run in runs
        }

    def count_pinned(self) -> int:
        """Count the pinned runs; 0 if there is no catalogue yet."""
        if not self._catalogue.is_created():
            return 0
        pinned = select(func.count()).select_from(ANNOTATIONS).where(ANNOTATIONS.c.pinned)
        with self._catalogue.connect() as connection:
            return connection.scalar(pinned) or 0

    def one(self, run: StoredRun) -> Annotation:
        """Read the annotation of a single run as `of` does: tags of the ingest and empty notes if
        there is no annotation.
        """
        return self.of([run])[run.run_id]

    def change(self, run_id: str, change: Change, user: str) -> Annotation:
        """Change the annotation of a run and return the result, in which `tags` is never None (see
        `of`).

        Sets `changed_by` to `user` and `changed_at` to the current time. Raises RunNotFound if
        there is no such run.
        """
        changed: list[Annotation] = []

        def write(connection: Connection) -> None:
            here = RUNS.c.run_id == run_id
            # Locks the run's row: concurrent changes of its annotation wait until this transaction ends.
            connection.execute(update(RUNS).where(here).values(prefix=RUNS.c.prefix))
            run = connection.execute(select(RUNS).where(here)).first()
            if run is None:
                raise RunNotFound(f"there is no run {run_id!r}")
            before = listing.select_annotations(connection, [run_id]).get(run_id, Annotation())
            stored = stored_run(run)
            ingested = ingest_tags(stored.run)
            after = replace(change.of(before, ingested), changed_at=timestamp(), changed_by=user)
            tags = None if after.tags is None else list(after.tags)
            put(connection, ANNOTATIONS, {"run_id": run_id, **vars(after), "tags": tags})
            listing.put(connection, stored)
            changed.append(after.with_tags(ingested))

        # A user unpins a run in order to delete it, which must be possible on a full disk.
        transact(self._catalogue, write, is_removal=change.pinned is False)
        return changed[-1]
