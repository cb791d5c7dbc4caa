"""Uploads under way in the catalogue: how far each is, the files of what came so far, and how many a user began."""

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
    """A row of table `uploads`; its parts are files of the frame store, in the order of their bytes."""

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
        """Return where its parts are."""
        return f"uploads/{self.upload_id}"


class Uploads:
    """The uploads of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, upload: Upload) -> None:
        """Insert a new upload; raises QuotaError if there are too many under way, or too many bytes of them."""
        self._catalogue.create()
        with self._catalogue.begin() as connection:
            OPEN_UPLOADS.check(connection, upload.user_name)
            check_open_bytes(connection, upload.user_name, upload.size)
            connection.execute(insert(UPLOADS).values(asdict(upload) | {"touched_at": timestamp()}))

    def get(self, upload_id: str) -> Upload | None:
        """Return an upload under way."""
        if not self._catalogue.is_created():
            return None
        with self._catalogue.connect() as connection:
            row = connection.execute(select(UPLOADS).where(UPLOADS.c.upload_id == upload_id)).first()
        return Upload(**row._mapping) if row else None

    def grow(self, upload: Upload, part: str, size: int) -> bool:
        """Put down one more part; return False where another request changed the upload meanwhile."""
        here = (UPLOADS.c.upload_id == upload.upload_id) & (UPLOADS.c.offset == upload.offset)
        row = {"parts": [*upload.parts, part], "offset": upload.offset + size, "touched_at": timestamp()}
        with self._catalogue.begin() as connection:
            return connection.execute(update(UPLOADS).where(here).values(row)).rowcount > 0

    def remove(self, upload_id: str) -> None:
        """Take an upload out."""
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(UPLOADS).where(UPLOADS.c.upload_id == upload_id))

    def sums(self) -> tuple[int, int]:
        """Return how many uploads are under way, and the bytes that came of them."""
        if not self._catalogue.is_created():
            return 0, 0
        asked = select(func.count().label("uploads"), func.coalesce(func.sum(UPLOADS.c.offset), 0).label("bytes"))
        with self._catalogue.connect() as connection:
            row = connection.execute(asked.select_from(UPLOADS)).one()
        return row.uploads, int(row.bytes)

    def oldest(self, limit: int) -> list[Upload]:
        """Return the uploads under way that nothing came of for longest."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            rows = connection.execute(select(UPLOADS).order_by(UPLOADS.c.touched_at).limit(limit)).all()
        return [Upload(**row._mapping) for row in rows]

    def count_stale(self, after: timedelta) -> int:
        """Return how many uploads nothing came of for so long."""
        if not self._catalogue.is_created():
            return 0
        asked = select(func.count()).select_from(UPLOADS).where(UPLOADS.c.touched_at < timestamp(-after))
        with self._catalogue.connect() as connection:
            return connection.scalar(asked) or 0

    def stale(self, after: timedelta) -> list[Upload]:
        """Return the uploads that nothing came of for so long."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            rows = connection.execute(select(UPLOADS).where(UPLOADS.c.touched_at < timestamp(-after))).all()
        return [Upload(**row._mapping) for row in rows]


def count_upload(catalogue: Catalogue, user: str) -> tuple[int, int]:
    """Count one more upload of a user; return how many there were in this minute, and the seconds until the next.

    Over all servers of the catalogue.
    """
    now = time.time()
    minute, left = int(now // _MINUTE_S), int(_MINUTE_S - now % _MINUTE_S) + 1
    own = LIMITS.c.user_name == user[:255]
    here = own & (LIMITS.c.minute == minute)
    counted: list[int] = []

    def write(connection: Connection) -> None:
        more = update(LIMITS).where(here).values(uploads=LIMITS.c.uploads + 1)
        if connection.execute(more).rowcount == 0:
            connection.execute(delete(LIMITS).where(own & (LIMITS.c.minute < minute)))
            connection.execute(insert(LIMITS).values(user_name=user[:255], minute=minute, uploads=1))
        counted.append(connection.scalar(select(LIMITS.c.uploads).where(here)) or 1)

    catalogue.create()
    transact(catalogue, write)
    return counted[-1], left
