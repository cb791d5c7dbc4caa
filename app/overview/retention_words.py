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
    newest = "run" if keep_last == 1 else count_text(keep_last, "run")
    verb = "is" if keep_last == 1 else "are"
    rule = f"if the newest {newest}{key} {verb} kept"
    gone = (
        f"{count_text(len(preview.run_ids), 'run')} with {size(preview.stored_bytes)}"
        if preview.run_ids
        else "No run"
    )
    return f"{gone} would be deleted {rule}. {_held_words(preview)}"


def _held_words(preview: RetentionPreview) -> str:
    pinned = _pinned_words(preview.pinned)
    if not preview.held:
        return pinned
    named = [
        f"{integer(count)} for {shorten(name, 40)}"
        for name, count in [*preview.held.items()][:_MAX_NAMED]
    ]
    left = len(preview.held) - _MAX_NAMED
    more = f" and {count_text(left, 'more reason')}" if left > 0 else ""
    # A run that is kept for two reasons counts in both.
    several = " (some for several reasons)" if _has_several_reasons(preview) else ""
    verb = "stays" if preview.held_runs == 1 else "stay"
    count = f"{count_text(preview.held_runs, 'older run')} {verb}"
    return f"{count}: {', '.join(named)}{more}{several}. {pinned}"


def _has_several_reasons(preview: RetentionPreview) -> bool:
    return sum(preview.held.values()) > preview.held_runs


def _pinned_words(pinned: int) -> str:
    if not pinned:
        return "No run is pinned."
    verb = "is" if pinned == 1 else "are"
    return f"{count_text(pinned, 'pinned run')} {verb} kept and not counted."
