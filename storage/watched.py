"""Files of watched folders in the catalogue, as they were when their ingest was tried."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from storage.catalogue import Catalogue
from storage.text import plain_text
from storage.upsert import put, transact
from storage.work_tables import WATCHED

State = tuple[int, int]
"""Size of a file in bytes, and the time of its last change in nanoseconds since 1970."""
_BATCH_SIZE = 500
"""Maximum number of paths per query."""


class Watched:
    """Reads and writes the tried files of watched folders."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def states(self, paths: Sequence[Path]) -> dict[Path, State]:
        """Map paths to the recorded size (bytes) and time of the last change (ns since 1970) of the
        files; a file that was never tried is left out.
        """
        if not self._catalogue.is_created():
            return {}
        hashes = {_hash(path): path for path in paths}
        keys = list(hashes)
        states: dict[Path, State] = {}
        with self._catalogue.connect() as connection:
            for begin in range(0, len(keys), _BATCH_SIZE):
                some = WATCHED.c.path_hash.in_(keys[begin : begin + _BATCH_SIZE])
                for row in connection.execute(select(WATCHED).where(some)):
                    states[hashes[row.path_hash]] = (row.size, row.mtime_ns)
        return states

    def put(self, states: Mapping[Path, State], outcomes: Mapping[Path, str]) -> None:
        """Record the states of tried files, in place of earlier states, and the outcome of each; ""
        for a file without an outcome.
        """
        rows = [
            {"path_hash": _hash(path), "path": plain_text(path), "size": size, "mtime_ns": mtime_ns}
            | {"outcome": plain_text(outcomes.get(path))}
            for path, (size, mtime_ns) in states.items()
        ]
        self._catalogue.create()

        def write(connection: Connection) -> None:
            for row in rows:
                put(connection, WATCHED, row)

        transact(self._catalogue, write)


def _hash(path: Path) -> str:
    """Compute the SHA-256 of a path as hexadecimal text: the key of its row, as a file name need
    not be valid text.
    """
    return hashlib.sha256(os.fsencode(path)).hexdigest()
