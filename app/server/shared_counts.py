"""Counters that all worker processes of a server share.

They are in anonymous shared memory that the parent process maps before it forks. Memory-mapped
files would kill a process with SIGBUS when it adds a counter while their disk is full.
"""

from __future__ import annotations

import json
import mmap
import threading
from collections import Counter
from collections.abc import Iterator

TABLE_BYTES = 2 * 2**20
"""Address space of a process's table, about 10,000 counters; only written pages use memory."""
_WORD = 8
"""Bytes of a word."""
Key = tuple[str, ...]


class CountTable:
    """Counters of a process in memory that other processes may read.

    The first word is the number of words in use. An entry is a word with the length of its key in
    bytes, the key as JSON, padded to whole words, and the value as a float64. An entry is written
    before it is counted as used, and a value is one aligned word, so that a reader never sees an
    incomplete entry or value.
    """

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory
        self._words = memory.cast("Q")
        self._values = memory.cast("d")
        self._places = dict(self._entries())
        self._lock = threading.Lock()

    def add(self, key: Key, amount: float) -> None:
        """Add to a counter, which begins with 0; a new counter is ignored if the table is full."""
        with self._lock:
            place = self._places.get(key) or self._append(key)
            if place is not None:
                self._values[place] += amount

    def items(self) -> Iterator[tuple[Key, float]]:
        """Yield (key, value) of each counter in the order of their creation."""
        for key, place in self._entries():
            yield key, self._values[place]

    def _append(self, key: Key) -> int | None:
        """Write a new entry; return the index of its value's word, or None if the table is full."""
        text = json.dumps(key).encode()
        begin = max(1, self._words[0])
        value = begin + 1 + -(-len(text) // _WORD)
        if value >= len(self._words):
            return None
        self._words[begin] = len(text)
        self._memory[(begin + 1) * _WORD : (begin + 1) * _WORD + len(text)] = text
        self._values[value] = 0.0
        # Last: when this is written, readers see the whole entry.
        self._words[0] = value + 1
        self._places[key] = value
        return value

    def _entries(self) -> Iterator[tuple[Key, int]]:
        """Yield (key, index of the word in memory that has its value) for each counter of the
        table.
        """
        place = 1
        end = self._words[0]
        while place < end:
            size = self._words[place]
            text = bytes(self._memory[(place + 1) * _WORD : (place + 1) * _WORD + size])
            value = place + 1 + -(-size // _WORD)
            yield tuple(json.loads(text)), value
            place = value + 1


class SharedCounts:
    """A table for each process; this process writes to one of them and reads all."""

    def __init__(self) -> None:
        self.reserve(1)

    def reserve(self, tables: int) -> None:
        """Map empty tables, before the worker processes are forked.

        This process writes to the first.
        """
        memory = memoryview(mmap.mmap(-1, tables * TABLE_BYTES))
        self._tables = [memory[n * TABLE_BYTES : (n + 1) * TABLE_BYTES] for n in range(tables)]
        self.use_table(0)

    def use_table(self, number: int) -> None:
        """Write to the table of this number from now on, and continue its counters.

        A table that was not reserved before the fork is visible to this process only.
        """
        while number >= len(self._tables):
            self._tables.append(memoryview(mmap.mmap(-1, TABLE_BYTES)))
        self._own = CountTable(self._tables[number])

    def add(self, key: Key, amount: float = 1.0) -> None:
        """Add `amount` to the counter `key` of this process."""
        self._own.add(key, amount)

    def totals(self) -> Counter[Key]:
        """Return the counters, added up over the tables of all processes."""
        totals: Counter[Key] = Counter()
        for memory in self._tables:
            for key, value in CountTable(memory).items():
                totals[key] += value  # type: ignore[assignment] # a Counter takes fractions as well
        return totals


COUNTS = SharedCounts()
"""The counters of this server."""
