"""Models of the API's bodies about a team: saved filters, tokens, audit log, current user."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from app.server.api.operation import Body, QueryString
from services.store.saved_filters import MAX_NAME, MAX_QUERY_STRING


class AuditQuery(QueryString):
    """Filters of the audit log."""

    limit: int = Field(500, ge=1, le=5_000)
    before: int | None = Field(None, ge=0, le=2**63 - 1)
    action: str = ""
    user: str = ""


class NewView(Body):
    """Name and query string of a saved filter: filters, sorting and columns of the list of runs."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    query: str = Field(
        max_length=MAX_QUERY_STRING + 1,
        description="Query string of the page's address, such as `?hwid=npu2`.",
    )

    @model_validator(mode="after")
    def _is_query(self) -> Self:
        if self.query and not self.query.startswith("?"):
            raise ValueError("query must begin with a question mark")
        return self


class NewToken(Body):
    """A token of the API."""

    name: str = Field(min_length=1, max_length=100)
    scope: Literal["read", "write", "admin"]
    expires: str = Field("", description="An age such as 30d; empty for never.")


class View(BaseModel):
    """A saved filter."""

    id: str
    name: str
    query: str
    created_at: str
    created_by: str


class Views(BaseModel):
    """Saved filters by name."""

    views: list[View]


class Token(BaseModel):
    """A token without its text."""

    id: str
    name: str
    scope: str
    created_at: str
    created_by: str
    expires_at: str | None
    used_at: str | None
    revoked_at: str | None


class MadeToken(Token):
    """A token with its text, which is shown once."""

    token: str


class Tokens(BaseModel):
    """Tokens, newest first."""

    tokens: list[Token]


class Entry(BaseModel):
    """An entry of the audit log: time, user, action and object."""

    id: int
    at: str
    user: str
    action: str
    object: str
    detail: str


class Audit(BaseModel):
    """Entries of the audit log, newest first."""

    entries: list[Entry]


class Me(BaseModel):
    """Name and role of the user of the request."""

    user: str
    role: str
