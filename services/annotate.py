"""What people add to runs, checked and put down in the audit log."""

from __future__ import annotations

from dataclasses import replace

from storage.annotation import Annotation
from storage.annotations import Annotations, Change
from storage.audit import Audit
from storage.catalogue import Catalogue

LONGEST_NOTES = 20_000
LONGEST_TAG = 60
MOST_TAGS = 50


class AnnotationError(ValueError):
    """A tag or note that cannot be; the message is one sentence."""


def annotate(catalogue: Catalogue, run_id: str, change: Change, user: str) -> Annotation:
    """Change what people added to a run; raises RunNotFound, and AnnotationError for tags and notes that cannot be."""
    if change.tags is not None:
        change = replace(change, tags=checked_tags(change.tags))
    if change.notes is not None and len(change.notes) > LONGEST_NOTES:
        raise AnnotationError(f"notes have at most {LONGEST_NOTES} characters")
    after = Annotations(catalogue).change(run_id, change, user)
    named = [name for name, value in vars(change).items() if value is not None]
    Audit(catalogue).add(user, "update", run_id, ", ".join(named))
    return after


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags without repeats; a tag is one word."""
    for tag in tags:
        if not tag or len(tag) > LONGEST_TAG or not tag.isprintable() or any(c.isspace() or c == "," for c in tag):
            raise AnnotationError(f"a tag is one word of at most {LONGEST_TAG} characters, without commas")
    if len(tags) > MOST_TAGS:
        raise AnnotationError(f"a run has at most {MOST_TAGS} tags")
    return tuple(dict.fromkeys(tags))
