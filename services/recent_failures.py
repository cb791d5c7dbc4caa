"""What failed just now, so that it is not tried again at once."""

from __future__ import annotations

import time
from collections.abc import Hashable

_MOST = 1_000
_FOR_S = 60.0


class RecentFailures:
    """Reasons by what failed; each is forgotten after a while."""

    def __init__(self) -> None:
        self._why: dict[Hashable, tuple[float, str]] = {}

    def get(self, key: Hashable) -> str | None:
        """Return why it failed just now; None where it did not."""
        until, why = self._why.get(key, (0.0, ""))
        return why if time.monotonic() < until else None

    def put(self, key: Hashable, why: str) -> None:
        """Remember why it failed."""
        if len(self._why) >= _MOST:
            self._why.clear()
        self._why[key] = time.monotonic() + _FOR_S, why
