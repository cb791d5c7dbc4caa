"""The kind of address fields that name runs, each as a parameter of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.views.address.kind import Address, Kind, Pair

RUN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
"""A run's id, or how it begins."""


class RunIds(Kind[tuple[str, ...]]):
    """Runs in the order of the address, of too many one more than `most`: who reads them can say so."""

    def __init__(self, most: int) -> None:
        self._most = most

    def find(self, name: str, address: Address) -> tuple[str, ...]:
        """Return the ids, each once."""
        found = dict.fromkeys(text for text in address.texts(name) if RUN_ID.fullmatch(text))
        return tuple(found)[: self._most + 1]

    def pairs(self, name: str, value: tuple[str, ...]) -> Iterable[Pair]:
        """Return a pair for each run."""
        return [(name, run) for run in value]
