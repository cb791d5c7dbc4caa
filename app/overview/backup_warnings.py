"""Warnings about backups, for pages that are not the administration."""

from __future__ import annotations

from app.overview.attention_words import attention_words, backup_words
from services.store.attention import backup_problems
from services.store.backups import BackupState


def backup_warnings(state: BackupState) -> list[str]:
    """List what is wrong with the backups, as sentences without a full stop: that they are off,
    missing, failed, late or damaged; empty if they are in order.
    """
    if not state.to:
        return [backup_words(state)]
    return [attention_words(problem) for problem in backup_problems(state)]
