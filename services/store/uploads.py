"""Uploads in parts.

Parts are kept in the store, so they survive a restart, and any server can continue an upload.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from schema.plurals import plural
from storage.errors import StorageError
from storage.failures import frames_failed
from storage.files import Files
from storage.repository import Repository
from storage.uploads import Upload, Uploads

_LOG = logging.getLogger(__name__)
_KEPT = timedelta(hours=24)
"""Uploads that received no part for this time are removed."""
_CHUNK = 2**20
"""Bytes that are hashed at a time."""
MAX_PARTS = 10_000
"""Maximum number of parts of an upload: each is a file of the store, and the list of their names is
rewritten with each part."""
MAX_SETTINGS_BYTES = 2**14
"""Maximum bytes of the settings of an upload as JSON."""
_NONE = "there is no such unfinished upload"


class UploadError(Exception):
    """An upload cannot continue as requested; the message is a sentence for the user."""


class UploadNotFoundError(UploadError):
    """The user has no such upload."""


class OffsetError(UploadError):
    """The part does not begin at the current end of the upload."""


class SettingsSizeError(UploadError):
    """The settings of an upload are too large."""


class TooManyPartsError(UploadError):
    """An upload has reached the maximum number of parts."""


class DigestError(UploadError):
    """The received bytes do not have the announced hash."""


@dataclass(frozen=True)
class PartedUploads:
    """The uploads of a store."""

    repository: Repository

    def begin(
        self, user: str, name: str, size: int, sha256: str | None, settings: Mapping[str, str]
    ) -> Upload:
        """Begin an upload without parts and return it.

        Uploads that received no part for a day are removed first, so that they free their quota.
        Raises SettingsSizeError, and QuotaError if too many uploads or bytes are in progress.
        """
        if len(json.dumps(dict(settings))) > MAX_SETTINGS_BYTES:
            raise SettingsSizeError(
                f"the settings of an upload must have at most {MAX_SETTINGS_BYTES // 2**10} KiB"
            )
        self._sweep()
        upload = Upload(secrets.token_hex(12), user, name, size, sha256, dict(settings), [], 0)
        self._rows.add(upload)
        return upload

    def get(self, upload_id: str, *names: str) -> Upload:
        """Return an upload by its id if its user has a name of `names`.

        Raises UploadNotFoundError if there is no such upload.
        """
        upload = self._rows.get(upload_id)
        if upload is None or upload.user_name not in names:
            raise UploadNotFoundError(_NONE)
        return upload

    def append(self, upload: Upload, offset: int, part: Path) -> int:
        """Add a part, a local file, to an upload and return the new end of the upload in bytes; an
        empty part changes nothing.

        Raises OffsetError if the part does not begin at the end of the upload or would exceed its
        size, TooManyPartsError, and StorageError.
        """
        size = part.stat().st_size
        if offset != upload.offset:
            raise OffsetError(
                f"the upload has received {plural(upload.offset, 'byte')}, so the part cannot begin at {offset}"
            )
        if not size:
            return offset
        if offset + size > upload.size:
            raise OffsetError(
                f"the upload has {plural(upload.size, 'byte')}, and this part would end at {offset + size}"
            )
        if len(upload.parts) >= MAX_PARTS:
            raise TooManyPartsError(
                f"an upload can have at most {MAX_PARTS:,} parts; start again with larger parts"
            )
        folder = f"{upload.folder}/{offset:015}-{secrets.token_hex(4)}"
        place = f"{folder}/part"
        try:
            self._files.put(place, part)
        except OSError as error:
            raise frames_failed(self.repository.store.url, error) from error
        if not self._rows.grow(upload, place, size):
            # another request added a part at the same offset
            self.repository.store.remove(folder)
            raise OffsetError("another request changed the upload at the same time")
        return offset + size

    def gather(self, upload: Upload, target: Path) -> None:
        """Write the whole upload to the file `target`. Raises OffsetError if it is incomplete.

        Raises DigestError if the content differs from the announced hash; the upload is then
        removed, as no further part can mend it. Raises UploadNotFoundError if another request
        removes it meanwhile.
        """
        if upload.offset != upload.size:
            raise OffsetError(
                f"the upload is incomplete: {upload.offset} of {plural(upload.size, 'byte')} received"
            )
        # an upload of 0 bytes has no parts
        target.touch()
        try:
            for part in upload.parts:
                self._files.fetch(part, target)
        except FileNotFoundError as error:
            raise UploadNotFoundError(_NONE) from error
        except OSError as error:
            raise frames_failed(self.repository.store.url, error) from error
        if upload.sha256 and _digest(target) != upload.sha256.lower():
            self.remove(upload)
            raise DigestError("the upload's SHA-256 differs from the announced one; send it again")

    def remove(self, upload: Upload) -> None:
        """Remove an upload. Its parts are removed before its row, so no part is left
        without a row.
        """
        self.repository.store.remove(upload.folder)
        self._rows.remove(upload.upload_id)

    def _sweep(self) -> None:
        for upload in self._rows.stale(_KEPT):
            try:
                self.remove(upload)
            except StorageError as error:
                _LOG.warning("upload %s could not be removed: %s", upload.upload_id, error)

    @property
    def _rows(self) -> Uploads:
        return Uploads(self.repository.catalogue)

    @property
    def _files(self) -> Files:
        return self.repository.store.files


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
