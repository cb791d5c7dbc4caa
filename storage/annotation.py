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
        """Fill in `tags` if no user has changed the run's tags."""
        return self if self.tags is not None else replace(self, tags=tags)


def parse_annotation(row: Row[Any]) -> Annotation:
    """Convert a row of table `annotations`."""
    tags = tuple(map(str, row.tags)) if isinstance(row.tags, list) else None
    return Annotation(row.notes, tags, bool(row.pinned), row.changed_at, row.changed_by)


def ingest_tags(run: Mapping[str, object]) -> tuple[str, ...]:
    """List the tags that a run was ingested with, without tags that the application added."""
    words = str(run.get("tags") or "").split()
    return tuple(dict.fromkeys(word for word in words if not word.startswith(PROBLEM_TAG)))
