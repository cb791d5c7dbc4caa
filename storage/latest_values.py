"""Values that are made again only if their source changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class LatestValues(Generic[Value]):
    """The value of each of the `limit` keys used last, with the source that it was made from.

    Safe to use from several threads; two of them may make the same value.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._made: OrderedDict[Hashable, tuple[Any, Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, source: object, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made by `make` unless the last one was made from an equal
        source. Nobody may change a value.
        """
        with self._lock:
            made = self._made.pop(key, None)
        if made is None or made[0] != source:
            made = source, make()
        with self._lock:
            self._made[key] = made
            while len(self._made) > self._limit:
                self._made.popitem(last=False)
        return made[1]
