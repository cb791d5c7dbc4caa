"""A cache of immutable frames, bounded by bytes, one per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

import pandas as pd


class FrameCache:
    """The frames used last, in at most `limit_bytes`; safe to use from several threads."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._held: OrderedDict[Hashable, tuple[pd.DataFrame, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        self._loading = threading.Lock()

    def get(self, key: Hashable, load: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """Return the frame of `key`, loaded once however many threads ask; the caller's changes stay the caller's."""
        frame = self._find(key)
        if frame is None:
            with self._loading:
                frame = self._find(key)
                if frame is None:
                    frame = load()
                    self._keep(key, frame)
        return frame.copy(deep=False)

    def _find(self, key: Hashable) -> pd.DataFrame | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def _keep(self, key: Hashable, frame: pd.DataFrame) -> None:
        size = int(frame.memory_usage(deep=True).sum())
        if size > self._limit:
            return
        with self._lock:
            self._held[key] = frame, size
            self._bytes += size
            while self._bytes > self._limit:
                self._bytes -= self._held.popitem(last=False)[1][1]
