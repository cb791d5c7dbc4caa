"""Errors of queries; each message is a sentence for the user."""

from __future__ import annotations


class QueryError(Exception):
    """A query has no result."""


class QueryRefusedError(QueryError):
    """Invalid SQL, or SQL that is not allowed; the message begins `line L, column C:`."""


class QueryTextError(QueryError):
    """A text contains a character that text may not have."""


class QueryLengthError(QueryTextError):
    """A text is too long."""


class QueryLimitError(QueryError):
    """A query exceeded its time, its memory, or the size of its result; the message names the
    limit.
    """


class QueryFailedError(QueryError):
    """The process of the query failed because of a fault of its own."""
