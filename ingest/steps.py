"""Progress notifications of an ingest, and how a listener ends it."""

from __future__ import annotations

from collections.abc import Sequence


class ProgressListener:
    """Receives notifications about each run of an ingest; this base class ignores them."""

    def on_plan(self, names: Sequence[str]) -> None:
        """Receive the names of all runs before the first run begins."""

    def on_begin(self, index: int) -> None:
        """Receive the index of a run when it begins."""

    def on_end(self, index: int, reason: str | None) -> bool:
        """Receive the index of a run when it has ended, and the `reason` if it failed, else `None`.

        Returns False to end the ingest; this base class returns True.
        """
        return True
