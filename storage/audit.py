"""The audit log in the catalogue: user, action and object of every change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import func, insert, select

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import AUDIT
from storage.text import plain_text

Action = Literal[
    "login",
    "logout",
    "ingest",
    "upload",
    "upload.fail",
    "update",
    "delete",
    "retention",
    "baseline.set",
    "baseline.delete",
    "rule.set",
    "rule.delete",
    "alert.set",
    "alert.delete",
    "alert.test",
    "alert.retry",
    "status.acknowledge",
    "status.unacknowledge",
    "view.save",
    "view.delete",
    "query.save",
    "query.delete",
    "token.create",
    "token.revoke",
    "job.start",
    "job.cancel",
    "answer.keep",
    "answer.remove",
    "backup.make",
    "backup.fail",
    "backup.remove",
    "orphans.remove",
    "embed.sign",
    "bisection.start",
    "bisection.skip",
]
ACTIONS: tuple[str, ...] = get_args(Action)
"""Every action that is recorded."""
_MAX_TEXT_LENGTH = 2_000
"""Maximum number of characters of each text of an entry."""


@dataclass(frozen=True)
class Entry:
    """A row of table `audit`; `at` is ISO 8601 in UTC."""

    entry_id: int
    at: str
    user: str
    action: str
    object: str
    detail: str


class Audit:
    """The audit log of a catalogue; entries are added and never changed."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, user: str, action: Action, what: str, detail: str = "") -> None:
        """Add an entry: `user` did `action` to the object named `what`; it gets the current time.

        Each text is cut at 2,000 characters (_MAX_TEXT_LENGTH).
        """
        texts = {"user_name": user, "object": what, "detail": detail}
        row = {name: plain_text(text)[:_MAX_TEXT_LENGTH] for name, text in texts.items()}
        # A removal on a full disk is recorded too, so that its entry needs the reserve as well.
        with self._catalogue.begin_removal() as connection:
            connection.execute(insert(AUDIT).values(at=timestamp(), action=action, **row))

    def count(self, action: Action, since: str) -> int:
        """Count the entries of an action at or after a time (ISO 8601 in UTC); 0 if there is no
        catalogue.
        """
        if not self._catalogue.is_created():
            return 0
        here = AUDIT.c.at >= since, AUDIT.c.action == action
        with self._catalogue.connect() as connection:
            return connection.scalar(select(func.count()).select_from(AUDIT).where(*here)) or 0

    def entries(
        self, limit: int = 500, before: int | None = None, action: str = "", user: str = ""
    ) -> list[Entry]:
        """List the newest entries first, at most `limit`; empty if there is no catalogue.

        `before` is the id of an entry: only older entries are listed. `action` and `user` filter if
        they are not empty.
        """
        if not self._catalogue.is_created():
            return []
        query = select(AUDIT).order_by(AUDIT.c.entry_id.desc()).limit(limit)
        if before is not None:
            query = query.where(AUDIT.c.entry_id < before)
        named = ((AUDIT.c.action, action), (AUDIT.c.user_name, user))
        with self._catalogue.connect() as connection:
            rows = connection.execute(
                query.where(*(column == value for column, value in named if value))
            ).all()
        return [
            Entry(row.entry_id, row.at, row.user_name, row.action, row.object, row.detail)
            for row in rows
        ]
