"""The state of the page of the audit log as a query string, both ways."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from storage.audit import ACTIONS

_LONGEST = 200
_MOST_DIGITS = 18


@dataclass(frozen=True)
class AuditState:
    """Which entries are shown: of a user or an action, "" for any, and older than an entry."""

    user: str = ""
    action: str = ""
    before: int | None = None

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        chosen = {"user": self.user, "action": self.action, "before": self.before}
        return urlencode({name: value for name, value in chosen.items() if value})


def parse(query: str) -> AuditState:
    """Return the state that a query string (with or without `?`) names; what is unknown or malformed is passed over."""
    chosen = dict(parse_qsl(query.removeprefix("?").encode("utf-8", "replace").decode()))
    before = chosen.get("before", "")
    known = before.isascii() and before.isdecimal() and len(before) <= _MOST_DIGITS
    return make(chosen.get("user"), chosen.get("action"), int(before) if known else None)


def make(user: str | None, action: str | None, before: int | None = None) -> AuditState:
    """Return the canonical state of what the page's controls hold."""
    name = " ".join((user or "").split())[:_LONGEST].strip()
    return AuditState(name, action if action in ACTIONS else "", before or None)
