"""Places of backups: local files and folders, or objects in object storage."""

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
"""Names of scheduled backups; other files at the place are never touched."""


def is_address(place: str) -> bool:
    """Whether a text is an address in object storage, such as `s3://bucket/folder`, and not a local
    path.
    """
    return "://" in place and place.partition("://")[0] in OBJECT_STORES


def backup_name(created_at: str, job_id: str) -> str:
    """Name of a scheduled backup, `tilescope-YYYYMMDD-HHMMSS-ID.tar`, from the creation time (ISO
    8601) and the first eight digits of the job's id.
    """
    day, _, clock = created_at[:19].partition("T")
    return f"tilescope-{day.replace('-', '')}-{clock.replace(':', '')}-{job_id[:8]}.tar"


@contextmanager
def local_backup(source: str | Path) -> Iterator[Path]:
    """Provide the path of a backup as a local file; an object is downloaded to a temporary folder
    for the block.

    Raises BackupError if the source is not a file or the object is missing, StorageError if it
    cannot be downloaded. A missing local file is not noticed here.
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
            raise BackupError(f"{source} does not exist") from error
        except OSError as error:
            raise StorageError(f"{source} cannot be read: {error.strerror or error}") from error
        yield path


@dataclass(frozen=True)
class BackupPlace:
    """A folder or an address of backups with names of `backup_name`.

    A missing folder or bucket is never created: it may be a disk that is not mounted. Raises
    StorageError if the place cannot be used.
    """

    url: str

    @contextmanager
    def workshop(self, name: str) -> Iterator[Path]:
        """Provide a local folder to make the backup `name` in: below the place, or a temporary
        folder for object storage. It is removed after the block.

        The remains of an attempt that was killed are removed first.
        """
        if is_address(self.url):
            with scratch_folder() as passing:
                yield passing
            return
        folder = self._part(name)
        with self._sentences():
            rmtree(folder, ignore_errors=True)
            # A backup contains hashes of tokens: only its owner may read it.
            folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            rmtree(folder, ignore_errors=True)

    def publish(self, path: Path, name: str) -> None:
        """Move a complete backup to its name at the place; the local file no longer exists
        afterwards.

        An object is downloaded again and compared: if it differs, it is deleted and BackupError is
        raised.
        """
        with self._sentences():
            if not is_address(self.url):
                path.replace(Path(self.url, name))
                return
            files = open_files(self.url)
            digest = _digest(path)
            files.put(name, path)
            path.unlink()
            # `fetch` appends to a file, so that the local file has to be removed before.
            files.fetch(name, path)
            if _digest(path) != digest:
                files.delete(name)
                raise BackupError(f"{self.url}/{name} was stored with other content than was sent")
            path.unlink()

    def sizes(self) -> dict[str, int]:
        """Map the name of each backup at the place to its bytes, oldest first; empty if there are
        no backups. Other files are ignored.
        """
        size_by_name = {}
        with self._sentences():
            files = open_files(self.url)
            for name in sorted(filter(_NAME.fullmatch, files.names())):
                # another server may remove a backup at this moment
                with suppress(FileNotFoundError):
                    size_by_name[name] = files.size(name)
        return size_by_name

    def remove(self, name: str) -> None:
        """Remove a backup from the place; a missing backup is ignored.

        Raises ValueError if the name is not that of a backup.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a backup")
        with self._sentences(), suppress(FileNotFoundError):
            open_files(self.url).delete(name)

    def tidy(self, name: str) -> None:
        """Remove the files that a killed attempt to make the backup `name` left at the place;
        object storage has no such files.
        """
        if not is_address(self.url):
            rmtree(self._part(name), ignore_errors=True)

    def _part(self, name: str) -> Path:
        return Path(self.url, f".{name}.part")

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise StorageError(
                f"backups cannot be stored at {self.url}: it does not exist"
            ) from error
        except OSError as error:
            raise StorageError(
                f"backups cannot be stored at {self.url}: {error.strerror or error}"
            ) from error


def _digest(path: Path) -> bytes:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
