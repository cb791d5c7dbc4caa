"""Caches for immutable values, limited in bytes; caches that share a budget are limited together."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Held = TypeVar("Held")
"""Type of the cached values."""
# Caches with a common budget may use equal keys, so that each adds its own number.
_NUMBERS = itertools.count()


class Budget:
    """Byte limit that several caches share; the least recently used value is dropped first.

    Values used since `begin` stay until the total exceeds `most_bytes`, so that the next equal
    request finds them.
    """

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = self.most_bytes = limit_bytes
        self.held_bytes = 0
        # Each in the order of the last use. Every value in use was used later than all values that
        # are not, so that the oldest value is found without a search.
        self._not_in_use: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._in_use: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> object | None:
        """Look up a cached value and mark it as used; None if the key is not cached."""
        with self._lock:
            held = self._not_in_use.pop(key, None) or self._in_use.pop(key, None)
            if held is None:
                return None
            self._in_use[key] = held
            value: object = held[0]
            return value

    def keep(self, key: Hashable, value: object, size: int) -> None:
        """Cache a value of `size` bytes in place of the key's previous value, then drop the values
        that were least recently used until the limits hold.

        If `size` exceeds `most_bytes`, the value is not cached, and the previous value is dropped
        all the same.
        """
        with self._lock:
            self._drop(key)
            if size > self.most_bytes:
                return
            self._in_use[key] = value, size
            self.held_bytes += size
            self._make_room()

    def resize(self, limit_bytes: int) -> None:
        """Set both limits to `limit_bytes`, so that values in use since `begin` are dropped as
        well, and drop the least recently used values above it.
        """
        with self._lock:
            self.limit_bytes = self.most_bytes = limit_bytes
            self._make_room()

    def begin(self, limit_bytes: int, most_bytes: int) -> None:
        """Set the limits: `limit_bytes` for values not in use, `most_bytes` for the total with
        values in use.

        All values are marked as not in use, and the least recently used are dropped until the total
        is at most `most_bytes`.
        """
        with self._lock:
            self.limit_bytes, self.most_bytes = limit_bytes, most_bytes
            self._not_in_use.update(self._in_use)
            self._in_use.clear()
            self._drop_oldest(self._not_in_use, most_bytes)

    def clear(self) -> None:
        """Drop all values, including values in use; the limits stay."""
        with self._lock:
            self._not_in_use.clear()
            self._in_use.clear()
            self.held_bytes = 0

    def _make_room(self) -> None:
        self._drop_oldest(self._not_in_use, self.limit_bytes)
        self._drop_oldest(self._in_use, self.most_bytes)

    def _drop_oldest(
        self, values: OrderedDict[Hashable, tuple[Any, int]], limit_bytes: int
    ) -> None:
        """Drop the least recently used of some values until the total of all is at most
        `limit_bytes`.
        """
        while values and self.held_bytes > limit_bytes:
            _, (_, size) = values.popitem(last=False)
            self.held_bytes -= size

    def _drop(self, key: Hashable) -> None:
        held = self._not_in_use.pop(key, None) or self._in_use.pop(key, None)
        if held is not None:
            self.held_bytes -= held[1]


class NewestBudget(Budget):
    """Byte limit of a cache that always has its newest value: if a value is above the limit, it is
    the only cached value until the next value comes.
    """

    def keep(self, key: Hashable, value: object, size: int) -> None:
        """Cache a value of any size, then drop older values until the limit holds."""
        self.begin(self.limit_bytes, max(self.limit_bytes, size))
        super().keep(key, value, size)


class ByteCache(Generic[Held]):
    """A thread-safe cache; `size_of` computes the bytes of a value.

    `budget` is shared with other caches, or a number of bytes for this cache only.
    """

    def __init__(self, budget: Budget | int, size_of: Callable[[Held], int]) -> None:
        self._budget = budget if isinstance(budget, Budget) else Budget(budget)
        self._size_of = size_of
        self._number = next(_NUMBERS)
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Held]) -> Held:
        """Return the value of the key; if it is not cached, compute it with `make` and cache it.

        A single thread computes it while other threads that need the same key wait. An exception of
        `make` is raised to its caller, and a waiting thread then tries itself.
        """
        value = self.find(key)
        if value is not None:
            return value
        with self._lock:
            # A lock per key: threads that need other values do not wait while this value is
            # computed.
            making = self._making.setdefault(key, threading.Lock())
        try:
            with making:
                value = self.find(key)
                if value is None:
                    value = make()
                    self._keep(key, value)
        finally:
            with self._lock:
                self._making.pop(key, None)
        return value

    @property
    def held_bytes(self) -> int:
        """Bytes of all values in the budget, including values of other caches that share it."""
        return self._budget.held_bytes

    def measure(self, key: Hashable) -> None:
        """Measure a cached value with `size_of` again after it has grown or shrunk, and drop values
        if the budget is exceeded; without effect if the key is not cached.
        """
        value = self.find(key)
        if value is not None:
            self._keep(key, value)

    def find(self, key: Hashable) -> Held | None:
        """Look up a cached value; None if the key is not cached."""
        return self._budget.find((self._number, key))  # type: ignore[return-value] # the number is this cache's own

    def _keep(self, key: Hashable, value: Held) -> None:
        self._budget.keep((self._number, key), value, self._size_of(value))
