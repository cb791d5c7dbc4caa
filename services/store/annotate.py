"""Tags, notes and pins of runs: checks, changes and entries of the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from storage.annotation import Annotation
from storage.annotations import Annotations, Change
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.errors import RunNotFound

MAX_NOTES_CHARACTERS = 20_000
"""Maximum characters of the notes of a run."""
MAX_TAG_CHARACTERS = 60
"""Maximum characters of a tag."""
MAX_TAGS = 50
"""Maximum number of tags of a run."""


class AnnotationError(ValueError):
    """A tag or note is invalid; the message is a sentence for the user."""


def annotate(catalogue: Catalogue, run_id: str, change: Change, user: str) -> Annotation:
    """Change tags, notes or pin of a run, with an entry in the audit log, and return its
    annotations after that.

    Raises RunNotFound, and AnnotationError if a tag or note is invalid.
    """
    if change.tags is not None:
        change = replace(change, tags=checked_tags(change.tags))
    if change.more_tags:
        _check_added(catalogue, run_id, change.more_tags)
    if change.notes is not None and len(change.notes) > MAX_NOTES_CHARACTERS:
        raise AnnotationError(f"notes must have at most {MAX_NOTES_CHARACTERS} characters")
    after = Annotations(catalogue).change(run_id, change, user)
    Audit(catalogue).add(user, "update", run_id, ", ".join(_audit_texts(change)))
    return after


def tag_runs(
    catalogue: Catalogue, run_ids: Sequence[str], tags: tuple[str, ...], user: str
) -> None:
    """Add tags to runs, including tags that they have already; runs that do not exist are skipped.

    Raises AnnotationError if a tag is invalid, a run would have too many, or `tags` is empty.
    """
    # The empty tag makes the check fail, as no tag was given.
    change = Change(more_tags=checked_tags(tags or ("",)))
    for run_id in run_ids:
        with suppress(RunNotFound):
            annotate(catalogue, run_id, change, user)


def _check_added(catalogue: Catalogue, run_id: str, tags: tuple[str, ...]) -> None:
    """Raise AnnotationError if a new tag is invalid, or the run would have more than MAX_TAGS (50)
    tags together with its own; a missing run passes.
    """
    stored = catalogue.get(run_id)
    if stored is not None:
        checked_tags((*(Annotations(catalogue).one(stored).tags or ()), *checked_tags(tags)))


def _audit_texts(change: Change) -> Iterator[str]:
    """Yield the words of the audit log for each part of a change: `notes`, `tags`, `pinned` or
    `unpinned`, `tag X added`, `tag X removed`.
    """
    yield from (name for name in ("notes", "tags") if getattr(change, name) is not None)
    yield from () if change.pinned is None else ["pinned" if change.pinned else "unpinned"]
    yield from (f"tag {tag} added" for tag in change.more_tags)
    yield from (f"tag {tag} removed" for tag in change.fewer_tags)


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags without repeats, in their order; empty if there are none.

    Raises AnnotationError if a tag is not a single word of at most MAX_TAG_CHARACTERS (60) without
    commas, or if there are more than MAX_TAGS (50).
    """
    tags = tuple(dict.fromkeys(tags))
    for tag in tags:
        if (
            not tag
            or len(tag) > MAX_TAG_CHARACTERS
            or not tag.isprintable()
            or any(c.isspace() or c == "," for c in tag)
        ):
            raise AnnotationError(
                f"a tag must be one word of at most {MAX_TAG_CHARACTERS} characters, without commas"
            )
    if len(tags) > MAX_TAGS:
        raise AnnotationError(f"a run must have at most {MAX_TAGS} tags")
    return tags
