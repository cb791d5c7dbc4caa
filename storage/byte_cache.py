"""A cache of what never changes, bounded by bytes, one per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Held = TypeVar("Held")


class ByteCache(Generic[Held]):
    """The things used last, in at most `limit_bytes` by `size_of`; safe to use from several threads."""

    def __init__(self, limit_bytes: int, size_of: Callable[[Held], int]) -> None:
        self._limit = limit_bytes
        self._size_of = size_of
        self._held: OrderedDict[Hashable, tuple[Held, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Held]) -> Held:
        """Return what belongs to the key, made once however many threads ask."""
        found = self._find(key)
        if found is not None:
            return found
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        try:
            with making:
                found = self._find(key)
                if found is None:
                    found = make()
                    self._keep(key, found)
        finally:
            with self._lock:
                self._making.pop(key, None)
        return found

    def _find(self, key: Hashable) -> Held | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def _keep(self, key: Hashable, made: Held) -> None:
        size = self._size_of(made)
        if size > self._limit:
            return
        with self._lock:
            _, before = self._held.pop(key, (None, 0))
            self._held[key] = made, size
            self._bytes += size - before
            while self._bytes > self._limit:
                self._bytes -= self._held.popitem(last=False)[1][1]
