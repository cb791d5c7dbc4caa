"""Where backups lie: files of this machine, or objects at an address."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from data_loaders.reading.scratch import scratch_folder
from services.store.backup_file import BackupError
from storage.errors import StorageError
from storage.files import OBJECT_STORES, open_files

_NAME = re.compile(r"tilescope-\d{8}-\d{6}-[0-9a-f]{8}\.tar")


def is_address(place: str) -> bool:
    """Return whether a text names a place in object storage rather than on this machine."""
    return "://" in place and place.partition("://")[0] in OBJECT_STORES


def backup_name(created_at: str, job_id: str) -> str:
    """Return the name of a backup that is kept: the time as jobs have it, and whose it is."""
    day, _, clock = created_at[:19].partition("T")
    return f"tilescope-{day.replace('-', '')}-{clock.replace(':', '')}-{job_id[:8]}.tar"


@contextmanager
def local_backup(source: str | Path) -> Iterator[Path]:
    """Give a backup as a file of this machine; an object is copied to the folder of temporary files for the block.

    Raises BackupError where it is no file, StorageError and OSError where it cannot be had.
    """
    if not is_address(str(source)):
        path = Path(source)
        if path.exists() and not path.is_file():
            raise BackupError(f"{source} is not a regular file")
        yield path
        return
    place, _, name = str(source).rpartition("/")
    if not name or place.endswith(":/"):
        raise BackupError(f"{source} is not the address of a file")
    with scratch_folder() as folder:
        path = folder / "backup.tar"
        try:
            open_files(place).fetch(name, path)
        except FileNotFoundError as error:
            raise BackupError(f"{source} is not there") from error
        except OSError as error:
            raise StorageError(f"{source} cannot be read: {error.strerror or error}") from error
        yield path


@dataclass(frozen=True)
class BackupPlace:
    """A folder or an address where backups are kept, by names that `backup_name` gives.

    Raises StorageError where the place cannot be used; a folder or bucket is never made, for what is not mounted is
    no place for a backup.
    """

    url: str

    @contextmanager
    def workshop(self, name: str) -> Iterator[Path]:
        """Give a folder of this machine to make a backup in: beside it, or that of temporary files for an object.

        What an earlier attempt left behind that was killed is removed.
        """
        if is_address(self.url):
            with scratch_folder() as passing:
                yield passing
            return
        folder = self._part(name)
        with self._sentences():
            rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            rmtree(folder, ignore_errors=True)

    def publish(self, path: Path, name: str) -> None:
        """Give a whole backup its name; an object is read back, and is gone again unless it is the file that was sent.

        The file itself is gone afterwards.
        """
        with self._sentences():
            if not is_address(self.url):
                path.replace(Path(self.url, name))
                return
            files, digest = open_files(self.url), _digest(path)
            files.put(name, path)
            path.unlink()
            files.fetch(name, path)
            if _digest(path) != digest:
                files.delete(name)
                raise BackupError(f"{self.url}/{name} was not stored as it was sent")
            path.unlink()

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each backup that is kept, by its name, oldest first."""
        found = {}
        with self._sentences():
            files = open_files(self.url)
            for name in sorted(filter(_NAME.fullmatch, files.names())):
                with suppress(FileNotFoundError):  # another server may remove it at this moment
                    found[name] = files.size(name)
        return found

    def remove(self, name: str) -> None:
        """Remove a backup; nothing happens where it is gone. Raises ValueError for a name of something else."""
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a backup")
        with self._sentences(), suppress(FileNotFoundError):
            open_files(self.url).delete(name)

    def tidy(self, name: str) -> None:
        """Remove what a killed attempt at a backup left behind."""
        if not is_address(self.url):
            rmtree(self._part(name), ignore_errors=True)

    def _part(self, name: str) -> Path:
        return Path(self.url, f".{name}.part")

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise StorageError(f"backups cannot be kept at {self.url}: it is not there") from error
        except OSError as error:
            raise StorageError(f"backups cannot be kept at {self.url}: {error.strerror or error}") from error


def _digest(path: Path) -> bytes:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
