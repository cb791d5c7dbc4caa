"""The view state of the audit log; the declarations of its fields define its address."""

from __future__ import annotations

from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import OneOf, Whole, Words
from storage.audit import ACTIONS

_MAX_LENGTH = 200


@dataclass(frozen=True)
class AuditState(Addressed):
    """Filters of the entries: user and action ("" for any), and the entry that they precede."""

    safe = ""

    user: str = param(Words(_MAX_LENGTH), "")
    action: str = param(OneOf(ACTIONS), "")
    before: int | None = param(Whole(accepts=lambda entry: entry > 0))


def parse(query: str) -> AuditState:
    """Parse a query string, with or without `?`; unknown and malformed fields are ignored."""
    return parse_query(AuditState, query)


def make(user: str | None, action: str | None) -> AuditState:
    """Build the state from the values of the page's controls, without a place in the log; unknown
    actions are ignored.
    """
    return read_state(AuditState, [("user", user or ""), ("action", action or "")])
