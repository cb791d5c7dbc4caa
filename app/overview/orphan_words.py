"""What is known of orphans, in words."""

from __future__ import annotations

from app.overview.attention_words import age_text
from components.numbers import count_text, size
from services.store.orphans import OrphanState


def orphan_sentence(state: OrphanState) -> str:
    """Say what the last look found, how old it is, and what dead processes left."""
    left = f" {count_text(state.leftovers, 'leftover')} of processes that are gone." if state.leftovers else ""
    if state.running:
        return f"A look through the files is under way.{left}"
    if state.last_at is None or state.age_s is None:
        return f"Nobody looked for files that nothing refers to yet.{left}"
    through = f"{count_text(state.looked_at, 'file')}, {age_text(state.age_s)}"
    through = through if state.complete else f"{through}, not all of them"
    if not state.prefixes:
        return f"No file without a run, upload or process (looked through {through}).{left}"
    found = f"{count_text(state.prefixes, 'orphan')} with {count_text(state.files, 'file')}, {size(state.bytes)}"
    return f"{found}, that nothing refers to (looked through {through}).{left}"
