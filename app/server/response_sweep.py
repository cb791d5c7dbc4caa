"""Deletion of the shared responses that show runs which were deleted, or read again since."""

from __future__ import annotations

import itertools
from collections.abc import Collection

from app.config.settings import Settings
from app.server.response_folder import BUCKETS, ResponseFolder, Versions, current_versions
from storage.catalogue import Catalogue
from storage.run_prefixes import read_prefixes


class ResponseSweep:
    """Rounds that each look at the responses of one bucket: whichever process or command deletes a
    run, its pages are deleted within BUCKETS (16) rounds.
    """

    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        self._folder = ResponseFolder.of(settings)
        self._catalogue = catalogue
        self._buckets = itertools.cycle(range(BUCKETS))

    def take_round(self) -> None:
        """Delete the responses of the next bucket that show a run as it is no longer stored."""
        self._folder.drop_outdated(next(self._buckets), self._find_current)

    def _find_current(self, run_ids: Collection[str]) -> Versions:
        return current_versions(read_prefixes(self._catalogue, run_ids))
