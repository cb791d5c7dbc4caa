"""What is told of an ingest while it goes on, and whether it is to go on."""

from __future__ import annotations

from collections.abc import Sequence


class ProgressListener:
    """Hears of each run that is ingested; by itself it does nothing."""

    def on_plan(self, names: Sequence[str]) -> None:
        """Hear the names of all runs, before the first begins."""

    def on_begin(self, index: int) -> None:
        """Hear that a run begins."""

    def on_end(self, index: int, reason: str | None) -> bool:
        """Hear that a run ended, and why it is none where it is none; return whether others are to begin."""
        return True
