"""The annotation of a run: notes, tags and pin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row

from schema.likeness import PROBLEM_TAG


@dataclass(frozen=True)
class Annotation:
    """Notes (Markdown), tags (None: the tags of the ingest), and whether the run is pinned.

    Texts are empty if the run has no annotation.
    """

    notes: str = ""
    tags: tuple[str, ...] | None = None
    pinned: bool = False
    changed_at: str = ""
    changed_by: str = ""

    def with_tags(self, tags: tuple[str, ...]) -> Annotation:
        """Return a copy with the tags `tags` if the tags are None, that is if no user has changed
        them.

        Otherwise the annotation itself is returned, whose tags may be an empty tuple.
        """
        return self if self.tags is not None else replace(self, tags=tags)


def parse_annotation(row: Row[Any]) -> Annotation:
    """Convert a row of table `annotations`; tags are None if the row's value is not a list."""
    tags = tuple(map(str, row.tags)) if isinstance(row.tags, list) else None
    return Annotation(row.notes, tags, bool(row.pinned), row.changed_at, row.changed_by)


def ingest_tags(run: Mapping[str, object]) -> tuple[str, ...]:
    """List the tags of field `tags` of a run, a text that is split at spaces, without duplicates.

    Tags that begin with PROBLEM_TAG are left out, because the application added them. Empty if the
    run has no tags.
    """
    words = str(run.get("tags") or "").split()
    return tuple(dict.fromkeys(word for word in words if not word.startswith(PROBLEM_TAG)))
