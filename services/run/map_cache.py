"""Cache of the memory maps of a run."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from analysis.memory.attempt_map import AttemptMap
from storage.byte_cache import ByteCache

Maps = list[AttemptMap]


class MapCache:
    """Maps that are shown together, by key: up to `limit_bytes`, and those shown last whatever
    their size.

    A page asks for the same maps dozens of times, and those of a long trace exceed any limit for
    many maps. `size_of` computes the bytes of maps.
    """

    def __init__(self, limit_bytes: int, size_of: Callable[[Maps], int]) -> None:
        self._size_of = size_of
        self._cached = ByteCache[Maps](limit_bytes, size_of)
        self._last: tuple[Hashable, Maps] | None = None

    def get(self, key: Hashable, make: Callable[[], Maps]) -> Maps:
        """Return the maps of the key; if they are not cached, compute them with `make`."""
        last = self._last
        if last is not None and last[0] == key:
            return last[1]
        maps = self._cached.get(key, make)
        self._last = key, maps
        return maps

    @property
    def held_bytes(self) -> int:
        """Bytes of the cached maps."""
        last = self._last
        held = self._cached.held_bytes
        if last is None or self._cached.find(last[0]) is not None:
            return held
        return held + self._size_of(last[1])
