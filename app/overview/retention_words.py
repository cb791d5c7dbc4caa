"""Sentence about the runs that retention would delete."""

from __future__ import annotations

from collections.abc import Sequence

from components.numbers import count_text, integer, shorten, size
from services.retention.retention import RetentionPreview

_MAX_NAMED = 5
"""Maximum number of baselines and rules that are named."""


def preview_sentence(preview: RetentionPreview, keep_last: int, by: Sequence[str]) -> str:
    """Return how many runs and bytes would be deleted, and how many other old runs stay and why, as
    sentences.

    `by` are the columns whose values group the runs; `keep_last` runs of each group stay.
    """
    key = f" of each {', '.join(by)}" if by else " of all runs together"
    gone = (
        f"{count_text(len(preview.run_ids), 'run')}, {size(preview.stored_bytes)}"
        if preview.run_ids
        else "Nothing"
    )
    return f"{gone} would be deleted: all but the newest {integer(keep_last)}{key}. {_held_words(preview)}"


def _held_words(preview: RetentionPreview) -> str:
    pinned = f"{count_text(preview.pinned, 'pinned run')} are kept and not counted."
    if not preview.held:
        return pinned
    named = [
        f"{integer(count)} for {shorten(name, 40)}"
        for name, count in [*preview.held.items()][:_MAX_NAMED]
    ]
    more = f" and {len(preview.held) - _MAX_NAMED} more" if len(preview.held) > _MAX_NAMED else ""
    return f"{count_text(preview.held_runs, 'older run')} stay: {', '.join(named)}{more}. {pinned}"
