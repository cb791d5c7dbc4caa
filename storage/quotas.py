"""Limits for the rows that users create: the list of all limits, and the check before each insert.

Requests that insert at the same moment may exceed a limit by one row each; the limit bounds the
table and is not exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Column, Connection, Table, delete, func, select

from schema.plurals import plural
from storage.alert_tables import ALERTS
from storage.bisection_tables import BISECTIONS
from storage.errors import QuotaError
from storage.people_tables import SAVED_QUERIES, SAVED_VIEWS, SESSIONS, TOKENS
from storage.rule_tables import RULES
from storage.tables import BASELINES
from storage.work_tables import UPLOADS


@dataclass(frozen=True)
class Quota:
    """Maximum number of rows of a table, and per user if `owner` is the column with the user's
    name.

    `thing` is the noun for a row; `advice` ends the error message.
    """

    thing: str
    table: Table
    per_store: int
    advice: str = "delete one first"
    owner: Column[str] | None = None
    per_user: int = 0

    def check(self, connection: Connection, user: str = "") -> None:
        """Raise QuotaError if another row would exceed the maximum of the table, or of user `user`.

        Users have a maximum only if rows have owners; "" is a user like any other.
        """
        if self.owner is not None and self._count(connection, user) >= self.per_user:
            raise QuotaError(
                f"you have {plural(self.per_user, self.thing)}, the limit of a user; {self.advice}"
            )
        if self._count(connection) >= self.per_store:
            raise QuotaError(
                f"the store has {plural(self.per_store, self.thing)}, its limit; {self.advice}"
            )

    def check_name(self, connection: Connection, name: str) -> None:
        """Raise QuotaError if a row of this name does not exist and would exceed the maximum of the
        table.
        """
        (key,) = self.table.primary_key.columns
        if connection.execute(select(key).where(key == name)).first() is None:
            self.check(connection)

    def _count(self, connection: Connection, user: str | None = None) -> int:
        query = select(func.count()).select_from(self.table)
        if user is not None and self.owner is not None:
            query = query.where(self.owner == user)
        return connection.scalar(query) or 0


OPEN_UPLOADS = Quota(
    "open upload",
    UPLOADS,
    20_000,
    "finish or cancel an upload, or wait a day",
    UPLOADS.c.user_name,
    5_000,
)
"""A folder of 5,000 files is ingested together, and each file may be an upload in several parts."""
VIEWS = Quota("saved view", SAVED_VIEWS, 2_000, owner=SAVED_VIEWS.c.created_by, per_user=500)
QUERIES = Quota("saved query", SAVED_QUERIES, 1_000, owner=SAVED_QUERIES.c.created_by, per_user=200)
NAMED_BASELINES = Quota("baseline", BASELINES, 1_000)
NAMED_RULES = Quota("baseline rule", RULES, 100)
NAMED_ALERTS = Quota("alert", ALERTS, 100)
STORED_BISECTIONS = Quota("bisection", BISECTIONS, 500)
MAX_SESSIONS, MAX_TOKENS = 100, 2_000
"""Maximum sessions of a user and tokens of a store.

A further row replaces the user's oldest session, or the token that was revoked first.
"""
MAX_ENDED_JOBS = 200
"""Maximum number of ended jobs per kind of job; older jobs are deleted when a new job begins."""
MAX_OPEN_BYTES_PER_USER, MAX_OPEN_BYTES = 2**38, 2**40
"""Maximum announced bytes of all open uploads of a user, and of a store; a single upload may exceed
it.
"""


def check_open_bytes(connection: Connection, user: str, size: int) -> None:
    """Raise QuotaError if an upload of `size` bytes would exceed the announced bytes of open
    uploads.

    The maximum is 256 GiB of a user and 1 TiB of the store. The first open upload may have any
    size.
    """
    announced = select(func.coalesce(func.sum(UPLOADS.c.size), 0))
    of_user = connection.scalar(announced.where(UPLOADS.c.user_name == user)) or 0
    if of_user and of_user + size > MAX_OPEN_BYTES_PER_USER:
        most = MAX_OPEN_BYTES_PER_USER // 2**30
        raise QuotaError(f"your unfinished uploads would exceed {most} GiB; {OPEN_UPLOADS.advice}")
    of_all = connection.scalar(announced) or 0
    if of_all and of_all + size > MAX_OPEN_BYTES:
        raise QuotaError(
            f"all unfinished uploads would exceed {MAX_OPEN_BYTES // 2**30} GiB; try again later"
        )


def end_old_sessions(connection: Connection, user_key: str) -> None:
    """Delete the oldest sessions of a user, so that at most 99 (MAX_SESSIONS - 1) are left."""
    own = SESSIONS.c.user_key == user_key
    newest = (
        select(SESSIONS.c.secret_hash)
        .where(own)
        .order_by(SESSIONS.c.created_at.desc(), SESSIONS.c.secret_hash)
    )
    kept = [*connection.scalars(newest.limit(MAX_SESSIONS - 1))]
    connection.execute(delete(SESSIONS).where(own, SESSIONS.c.secret_hash.not_in(kept)))


def forget_revoked_token(connection: Connection) -> None:
    """Make room for another token: if there are 2,000 (MAX_TOKENS), delete the token that was
    revoked first.

    Raises QuotaError if there are that many and no token is revoked.
    """
    if (connection.scalar(select(func.count()).select_from(TOKENS)) or 0) < MAX_TOKENS:
        return
    revoked = select(TOKENS.c.token_id).where(TOKENS.c.revoked_at.is_not(None))
    first = connection.scalar(revoked.order_by(TOKENS.c.revoked_at, TOKENS.c.token_id).limit(1))
    if first is None:
        raise QuotaError(
            f"the store has {plural(MAX_TOKENS, 'token')}, its limit; revoke a token first"
        )
    connection.execute(delete(TOKENS).where(TOKENS.c.token_id == first))
