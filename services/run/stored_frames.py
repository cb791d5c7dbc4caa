"""The stored frames of a run, each read on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from storage.repository import Repository, frame_names


class StoredFrames(Mapping[str, pd.DataFrame]):
    """Frame name -> frame; the repository's cache keeps what was read."""

    def __init__(self, repository: Repository, run_id: str) -> None:
        self._repository = repository
        self._stored = repository.find_run(run_id)
        self._names = frame_names(self._stored)

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a frame; raises KeyError where the run does not have it."""
        if name not in self._names:
            raise KeyError(name)
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
