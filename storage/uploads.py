"""Open uploads in the catalogue: progress and stored parts of each, and the rate of each user."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta

from sqlalchemy import Connection, delete, func, insert, select, update

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import LIMITS
from storage.quotas import OPEN_UPLOADS, check_open_bytes
from storage.upsert import transact
from storage.work_tables import UPLOADS

_MINUTE_S = 60


@dataclass(frozen=True)
class Upload:
    """A row of table `uploads`: a file of `size` bytes, of which `offset` bytes were received.

    `parts` names files of the frame store in the order of their bytes.
    """

    upload_id: str
    user_name: str
    name: str
    size: int
    sha256: str | None
    settings: Mapping[str, str]
    parts: list[str]
    offset: int
    touched_at: str = ""

    @property
    def folder(self) -> str:
        """Prefix of the upload's parts in the frame store: `uploads/<upload id>`."""
        return f"uploads/{self.upload_id}"


class Uploads:
    """Reads and writes the open uploads of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, upload: Upload) -> None:
        """Insert an upload, with `touched_at` the current time.

        Raises QuotaError if the user or the store has too many open uploads, or too many announced
        bytes.
        """
        self._catalogue.create()
        with self._catalogue.begin() as connection:
            OPEN_UPLOADS.check(connection, upload.user_name)
            check_open_bytes(connection, upload.user_name, upload.size)
            connection.execute(insert(UPLOADS).values(asdict(upload) | {"touched_at": timestamp()}))

    def get(self, upload_id: str) -> Upload | None:
        """Look up an open upload; None if it does not exist or there is no catalogue."""
        if not self._catalogue.is_created():
            return None
        with self._catalogue.connect() as connection:
            row = connection.execute(
                select(UPLOADS).where(UPLOADS.c.upload_id == upload_id)
            ).first()
        return Upload(**row._mapping) if row else None

    def grow(self, upload: Upload, part: str, size: int) -> bool:
        """Record another part of `size` bytes at the end of an upload; return True.

        Returns False, without a change, if another request has changed or removed the upload since
        `upload` was read.
        """
        # The offset is compared, so that a part that is sent twice is appended once.
        here = (UPLOADS.c.upload_id == upload.upload_id) & (UPLOADS.c.offset == upload.offset)
        row = {
            "parts": [*upload.parts, part],
            "offset": upload.offset + size,
            "touched_at": timestamp(),
        }
        with self._catalogue.begin() as connection:
            return connection.execute(update(UPLOADS).where(here).values(row)).rowcount > 0

    def remove(self, upload_id: str) -> None:
        """Delete the row of an upload, not its parts; an unknown id is ignored."""
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(UPLOADS).where(UPLOADS.c.upload_id == upload_id))

    def sums(self) -> tuple[int, int]:
        """Return the number of open uploads, and the bytes received for them; (0, 0) if there is no
        catalogue.
        """
        if not self._catalogue.is_created():
            return 0, 0
        query = select(
            func.count().label("uploads"),
            func.coalesce(func.sum(UPLOADS.c.offset), 0).label("bytes"),
        )
        with self._catalogue.connect() as connection:
            row = connection.execute(query.select_from(UPLOADS)).one()
        return row.uploads, int(row.bytes)

    def oldest(self, limit: int) -> list[Upload]:
        """List at most `limit` open uploads, in descending order of the time since their last part;
        empty if there is no catalogue.
        """
        rows = self._catalogue.rows(select(UPLOADS).order_by(UPLOADS.c.touched_at).limit(limit))
        return [Upload(**row._mapping) for row in rows]

    def count_stale(self, after: timedelta) -> int:
        """Count the open uploads that received no part within `after`; 0 if there is no catalogue."""
        if not self._catalogue.is_created():
            return 0
        query = (
            select(func.count())
            .select_from(UPLOADS)
            .where(UPLOADS.c.touched_at < timestamp(-after))
        )
        with self._catalogue.connect() as connection:
            return connection.scalar(query) or 0

    def stale(self, after: timedelta) -> list[Upload]:
        """List the open uploads that received no part within `after`, in no particular order; empty
        if there is no catalogue.
        """
        rows = self._catalogue.rows(select(UPLOADS).where(UPLOADS.c.touched_at < timestamp(-after)))
        return [Upload(**row._mapping) for row in rows]


def count_upload(catalogue: Catalogue, user: str) -> tuple[int, int]:
    """Count an upload of a user, for all servers of the catalogue together.

    Returns the number of the user's uploads in this minute, including this upload, and the seconds
    (1 to 60) until the next minute.
    """
    now = time.time()
    minute = int(now // _MINUTE_S)
    left = int(_MINUTE_S - now % _MINUTE_S) + 1
    # The column's length; SQLite would not enforce it.
    own = LIMITS.c.user_name == user[:255]
    here = own & (LIMITS.c.minute == minute)
    counted: list[int] = []

    def write(connection: Connection) -> None:
        more = update(LIMITS).where(here).values(uploads=LIMITS.c.uploads + 1)
        if connection.execute(more).rowcount == 0:
            connection.execute(delete(LIMITS).where(own & (LIMITS.c.minute < minute)))
            connection.execute(
                insert(LIMITS).values(user_name=user[:255], minute=minute, uploads=1)
            )
        counted.append(connection.scalar(select(LIMITS.c.uploads).where(here)) or 1)

    catalogue.create()
    transact(catalogue, write)
    return counted[-1], left
