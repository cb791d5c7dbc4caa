"""Why a question in SQL has no answer; each message is one sentence for a person."""

from __future__ import annotations


class QueryError(Exception):
    """A question without an answer."""


class QueryRefusedError(QueryError):
    """Wrong SQL, or SQL that may not be asked; the message begins `line L, column C:`."""


class QueryTextError(QueryError):
    """A text with a character that text may not have."""


class QueryLengthError(QueryTextError):
    """A text that is too long."""


class QueryLimitError(QueryError):
    """Time, memory, or the size of the answer ran out; the message says which."""


class QueryFailedError(QueryError):
    """The process of the query fell over by a fault of its own."""
