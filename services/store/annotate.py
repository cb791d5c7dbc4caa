"""What people add to runs, checked and put down in the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from storage.annotation import Annotation
from storage.annotations import Annotations, Change
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.errors import RunNotFound

LONGEST_NOTES = 20_000
LONGEST_TAG = 60
MOST_TAGS = 50


class AnnotationError(ValueError):
    """A tag or note that cannot be; the message is one sentence."""


def annotate(catalogue: Catalogue, run_id: str, change: Change, user: str) -> Annotation:
    """Change what people added to a run; raises RunNotFound, and AnnotationError for tags and notes that cannot be."""
    if change.tags is not None:
        change = replace(change, tags=checked_tags(change.tags))
    if change.more_tags:
        _check_added(catalogue, run_id, change.more_tags)
    if change.notes is not None and len(change.notes) > LONGEST_NOTES:
        raise AnnotationError(f"notes have at most {LONGEST_NOTES} characters")
    after = Annotations(catalogue).change(run_id, change, user)
    Audit(catalogue).add(user, "update", run_id, ", ".join(_audit_texts(change)))
    return after


def tag_runs(catalogue: Catalogue, run_ids: Sequence[str], tags: tuple[str, ...], user: str) -> None:
    """Add tags to runs, those that are gone apart; raises AnnotationError."""
    change = Change(more_tags=checked_tags(tags or ("",)))
    for run_id in run_ids:
        with suppress(RunNotFound):
            annotate(catalogue, run_id, change, user)


def _check_added(catalogue: Catalogue, run_id: str, tags: tuple[str, ...]) -> None:
    stored = catalogue.get(run_id)
    if stored is not None:
        checked_tags((*(Annotations(catalogue).one(stored).tags or ()), *checked_tags(tags)))


def _audit_texts(change: Change) -> Iterator[str]:
    """Give what the audit log has of a change."""
    yield from (name for name in ("notes", "tags") if getattr(change, name) is not None)
    yield from () if change.pinned is None else ["pinned" if change.pinned else "unpinned"]
    yield from (f"tag {tag} added" for tag in change.more_tags)
    yield from (f"tag {tag} removed" for tag in change.fewer_tags)


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags without repeats; raises AnnotationError: a tag is one word."""
    tags = tuple(dict.fromkeys(tags))
    for tag in tags:
        if not tag or len(tag) > LONGEST_TAG or not tag.isprintable() or any(c.isspace() or c == "," for c in tag):
            raise AnnotationError(f"a tag is one word of at most {LONGEST_TAG} characters, without commas")
    if len(tags) > MOST_TAGS:
        raise AnnotationError(f"a run has at most {MOST_TAGS} tags")
    return tags
