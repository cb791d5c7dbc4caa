"""The state of the page of the audit log; how its fields are declared says how an address has them."""

from __future__ import annotations

from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import OneOf, Whole, Words
from storage.audit import ACTIONS

_LONGEST = 200


@dataclass(frozen=True)
class AuditState(Addressed):
    """Which entries are shown: of a user or an action, "" for any, and older than an entry."""

    safe = ""

    user: str = param(Words(_LONGEST), "")
    action: str = param(OneOf(ACTIONS), "")
    before: int | None = param(Whole(accepts=lambda entry: entry > 0))


def parse(query: str) -> AuditState:
    """Return the state that a query string (with or without `?`) names; what is unknown or malformed is passed over."""
    return parse_query(AuditState, query)


def make(user: str | None, action: str | None) -> AuditState:
    """Return the canonical state of what the page's controls hold."""
    return read_state(AuditState, [("user", user or ""), ("action", action or "")])
