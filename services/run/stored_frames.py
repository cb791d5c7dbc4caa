"""Stored frames of a run, read when first used, or ahead of it if they are likely to be used."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from schema.frames import Frames
from storage.repository import Repository, frame_names

_USED: dict[tuple[str, str], frozenset[str]] = {}
"""(purpose, source) -> names of the frames that were used so far, collected in this process."""


class StoredFrames(Frames):
    """Mapping from frame name to frame; the repository's cache holds the frames that were read.

    With a `purpose`, `read_ahead` loads the frames that earlier runs of the same source used for
    the same purpose.
    """

    def __init__(self, repository: Repository, run_id: str, purpose: str = "") -> None:
        self._repository = repository
        self._stored = repository.find_run(run_id)
        self._names = frame_names(self._stored)
        self._use = (purpose, str(self._stored.run["source"])) if purpose else None

    def read_ahead(self) -> None:
        """Read the frames that earlier runs of the source used for the same purpose, in parallel:
        on object storage this takes as long as a single frame.

        Without a purpose, or if there was no earlier run, nothing is read.
        """
        if self._use is not None:
            self._repository.read_ahead(self._stored, sorted(_USED.get(self._use, frozenset())))

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a frame of the run, read from the store if the cache lacks it. Raises KeyError if
        the run does not have it.
        """
        if name not in self._names:
            raise KeyError(name)
        if self._use is not None and name not in _USED.get(self._use, frozenset()):
            _USED[self._use] = _USED.get(self._use, frozenset()) | {name}
        return self._repository.frame_of(self._stored, name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the frames."""
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        """Whether the run has the frame; the frame is not read."""
        return name in self._names
