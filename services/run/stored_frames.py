"""The stored frames of a run, each read on first use, and those that are likely to be used ahead of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from storage.repository import Repository, frame_names

_USED: dict[tuple[str, str], frozenset[str]] = {}
"""Purpose and source -> the frames that were used of runs so far."""


class StoredFrames(Mapping[str, pd.DataFrame]):
    """Frame name -> frame; the repository's cache keeps what was read.

    With a `purpose`, what was used of other runs of the source for the same one can be read ahead.
    """

    def __init__(self, repository: Repository, run_id: str, purpose: str = "") -> None:
        self._repository = repository
        self._stored = repository.find_run(run_id)
        self._names = frame_names(self._stored)
        self._use = (purpose, str(self._stored.run["source"])) if purpose else None

    def read_ahead(self) -> None:
        """Read at once what was used of other runs: object storage takes as long for each of them as for all."""
        if self._use is not None:
            self._repository.read_ahead(self._stored, sorted(_USED.get(self._use, frozenset())))

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a frame; raises KeyError where the run does not have it."""
        if name not in self._names:
            raise KeyError(name)
        if self._use is not None and name not in _USED.get(self._use, frozenset()):
            _USED[self._use] = _USED.get(self._use, frozenset()) | {name}
        return self._repository.frame_of(self._stored, name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the frames."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        """Return whether the run has the frame, without reading it."""
        return name in self._names
