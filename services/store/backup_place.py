"""Where backups lie: files of this machine, or objects at an address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from services.store.backup_file import BackupError
from storage.errors import StorageError
from storage.files import OBJECT_STORES, open_files


def is_address(place: str) -> bool:
    """Return whether a text names a place in object storage rather than on this machine."""
    return place.partition("://")[0] in OBJECT_STORES and "://" in place


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
    with TemporaryDirectory(prefix="tilescope-backup-") as folder:
        path = Path(folder, "backup.tar")
        try:
            open_files(place).fetch(name, path)
        except FileNotFoundError as error:
            raise BackupError(f"{source} is not there") from error
        except OSError as error:
            raise StorageError(f"{source} cannot be read: {error.strerror or error}") from error
        yield path
