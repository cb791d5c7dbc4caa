"""Sentence about orphans: stored files that no run refers to."""

from __future__ import annotations

from app.overview.attention_words import age_text
from components.numbers import count_text, size
from services.store.orphans import OrphanState


def orphan_sentence(state: OrphanState) -> str:
    """Return the result and age of the last scan for orphans, and the files left by dead processes,
    as sentences.

    If a scan is running or none has been made, a sentence reports that instead.
    """
    left = (
        f" {count_text(state.leftovers, 'prefix')} of files that a dead process left."
        if state.leftovers
        else ""
    )
    if state.running:
        return f"A check of the files is running.{left}"
    if state.last_at is None or state.age_s is None:
        return f"Files have not been checked for orphans yet.{left}"
    through = f"{count_text(state.looked_at, 'file')}, {age_text(state.age_s)}"
    # A limit of files or of time may have ended the search before the last file.
    through = through if state.complete else f"{through}, not all of them"
    if not state.prefixes:
        return f"Every file belongs to a run, upload or process (checked {through}).{left}"
    orphans = f"No run refers to {count_text(state.files, 'file')} of {count_text(state.prefixes, 'prefix')}"
    return f"{orphans}, {size(state.bytes)} (looked through {through}).{left}"
