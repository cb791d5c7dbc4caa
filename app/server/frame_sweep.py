"""Deletion of the bytes of frames of object storage whose runs were deleted, or read again since."""

from __future__ import annotations

import itertools

from app.config.settings import Settings
from storage.catalogue import Catalogue
from storage.frame_folder import BUCKETS, FrameFolder
from storage.run_prefixes import read_prefixes


class FrameSweep:
    """Rounds that each look at the files of one bucket: whichever process or command deletes a run,
    its bytes are deleted within BUCKETS (8) rounds.
    """

    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        self._folder = FrameFolder(settings.frames_folder, settings.frames_mb * 2**20)
        self._catalogue = catalogue
        self._buckets = itertools.cycle(range(BUCKETS))

    def take_round(self) -> None:
        """Delete the files of the next bucket that belong to no run of the catalogue."""
        bucket = next(self._buckets)
        kept = self._folder.prefixes(bucket)
        if kept:
            ids = {prefix.partition("/")[0] for prefix in kept}
            current = set(read_prefixes(self._catalogue, ids).values())
            self._folder.drop(bucket, kept - current)
