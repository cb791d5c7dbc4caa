"""Deletion of the kept tiles of runs that were deleted, or read again since."""

from __future__ import annotations

import itertools
from collections.abc import Collection

from app.config.settings import Settings
from app.server.tile_folder import BUCKETS, TileFolder
from app.views.tile_address import join_version
from services.run.tile_version import version_of_prefix
from storage.catalogue import Catalogue
from storage.run_prefixes import read_prefixes


class TileSweep:
    """Rounds that each look at the tiles of one bucket: whichever process or command deletes a run,
    its tiles are deleted within BUCKETS (16) rounds.
    """

    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        self._folder = TileFolder.of(settings)
        self._catalogue = catalogue
        self._buckets = itertools.cycle(range(BUCKETS))

    def take_round(self) -> None:
        """Delete the tiles of the next bucket whose run or version is not in the catalogue."""
        bucket = next(self._buckets)
        kept = self._folder.versions(bucket)
        if kept:
            current = self._current({run_id for run_id, _ in kept})
            self._folder.drop(bucket, kept - current)

    def _current(self, run_ids: Collection[str]) -> set[tuple[str, str]]:
        prefixes = read_prefixes(self._catalogue, run_ids)
        return {
            (run_id, join_version(version_of_prefix(prefix))) for run_id, prefix in prefixes.items()
        }
