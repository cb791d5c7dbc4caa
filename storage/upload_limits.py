"""How many uploads a user began in this minute, over all servers of the catalogue."""

from __future__ import annotations

import time

from sqlalchemy import Connection, delete, insert, select, update

from storage.catalogue import Catalogue
from storage.people_tables import LIMITS
from storage.upsert import transact

_MINUTE_S = 60


def count_upload(catalogue: Catalogue, user: str) -> tuple[int, int]:
    """Count one more upload of a user; return how many there were in this minute, and the seconds until the next."""
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
