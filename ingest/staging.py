"""Copy files to the store for other machines, download the copies there, and remove them
afterwards.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.scratch import scratch_folder
from storage.catalogue import Catalogue
from storage.failures import frames_failed
from storage.frame_store import FrameStore
from storage.pending import garbage, tidy


@dataclass(frozen=True)
class StagedFile:
    """A copy in the store: its key, its path relative to the other files, and the time of its
    original's last change.
    """

    key: str
    place: str
    modified_s: float


def stage(
    catalogue: Catalogue, store: FrameStore, paths: Sequence[Path]
) -> tuple[str, list[StagedFile]]:
    """Copy files to the store.

    Returns their prefix, which stays pending until `unstage` removes it, and a record per file in
    order. Raises StorageError if the store fails, OSError if a file cannot be read, LoadError if a
    file changes meanwhile.
    """
    prefix = f"staged/{secrets.token_hex(12)}"
    catalogue.reserve(garbage(prefix))
    try:
        root = os.path.commonpath([path.absolute().parent for path in paths])
        places = [os.path.relpath(path.absolute(), root) for path in paths]
        files = [
            _stage(store, f"{prefix}/{rank}", path, place)
            for rank, (path, place) in enumerate(zip(paths, places, strict=True))
        ]
        return prefix, files
    except BaseException:
        tidy(catalogue, store, prefix)
        raise


def unstage(catalogue: Catalogue, store: FrameStore, prefix: str) -> None:
    """Remove the copies with this prefix; if the store fails, a later sweep removes them."""
    tidy(catalogue, store, prefix)


@contextmanager
def fetch_copies(store: FrameStore, files: Sequence[StagedFile]) -> Iterator[list[Path]]:
    """Yield the paths of local copies of staged files, in order, with the relative paths and times
    of their originals.

    The copies are removed when the context ends. Raises StorageError if the store fails.
    """
    with scratch_folder() as folder:
        paths = []
        for file in files:
            path = folder / file.place
            path.parent.mkdir(parents=True, exist_ok=True)
            # `fetch` appends to the file.
            path.touch()
            try:
                store.files.fetch(file.key, path)
            except OSError as error:
                raise frames_failed(store.url, error) from error
            os.utime(path, (file.modified_s, file.modified_s))
            paths.append(path)
        yield paths


def _stage(store: FrameStore, key: str, path: Path, place: str) -> StagedFile:
    before = path.stat()
    path.open(
        "rb"
    ).close()  # an unreadable file raises OSError here and not as an error of the store
    try:
        store.files.put(key, path)
    except OSError as error:
        raise frames_failed(store.url, error) from error
    after = path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise LoadError("the file changed while it was read; ingest it again once it is written")
    return StagedFile(key, place, before.st_mtime)
