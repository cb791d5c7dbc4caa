"""The kind of field that lists runs, with one query parameter per run."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.views.address.kind import Address, Kind, Pair

RUN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
"""The id of a run, or a prefix of it."""


class RunIds(Kind[tuple[str, ...]]):
    """Runs in the order of the address.

    At most `most` + 1 ids are kept, so that the page can report that there are too many.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def find(self, name: str, address: Address) -> tuple[str, ...]:
        """Return the ids in the order of the address without duplicates, at most `most` + 1; texts
        that cannot be ids are skipped.
        """
        ids = dict.fromkeys(text for text in address.texts(name) if RUN_ID.fullmatch(text))
        return tuple(ids)[: self._most + 1]

    def pairs(self, name: str, value: tuple[str, ...]) -> Iterable[Pair]:
        """Return a pair (name, run id) per run."""
        return [(name, run) for run in value]
