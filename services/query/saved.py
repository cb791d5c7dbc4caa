"""Saved queries: checks, changes and entries of the audit log."""

from __future__ import annotations

import secrets

from services.query.question import MAX_QUERY_CHARACTERS
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.saved_texts import SavedQueries, SavedQuery

MAX_NAME_CHARACTERS = 100
"""Maximum characters of the name of a saved query."""


class SavedQueryError(ValueError):
    """A query cannot be saved; the message is a sentence for the user."""


def save_query(catalogue: Catalogue, name: str, sql: str, user: str) -> SavedQuery:
    """Save a query under a name and return it with its new id; other queries may have the same
    name.

    Raises SavedQueryError if name or text is invalid.
    """
    name = name.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise SavedQueryError(
            f"a query's name must have 1 to {MAX_NAME_CHARACTERS} printable characters"
        )
    if not sql.strip() or len(sql) > MAX_QUERY_CHARACTERS:
        raise SavedQueryError(f"a query must have 1 to {MAX_QUERY_CHARACTERS:,} characters")
    query = SavedQueries(catalogue).add(secrets.token_hex(8), name, sql, user)
    Audit(catalogue).add(user, "query.save", query.query_id, query.name)
    return query


def delete_query(catalogue: Catalogue, query_id: str, user: str) -> bool:
    """Delete a saved query and return True; False if it does not exist."""
    if not SavedQueries(catalogue).delete(query_id):
        return False
    Audit(catalogue).add(user, "query.delete", query_id)
    return True
