"""Saved questions, checked and put down in the audit log."""

from __future__ import annotations

import secrets

from services.query.question import LONGEST_TEXT
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.saved_queries import SavedQueries, SavedQuery

LONGEST_NAME = 100


class SavedQueryError(ValueError):
    """A question that cannot be saved; the message is one sentence."""


def save_query(catalogue: Catalogue, name: str, sql: str, user: str) -> SavedQuery:
    """Save a question under a name; raises SavedQueryError."""
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise SavedQueryError(f"a query's name has 1 to {LONGEST_NAME} printable characters")
    if not sql.strip() or len(sql) > LONGEST_TEXT:
        raise SavedQueryError(f"a query has 1 to {LONGEST_TEXT:,} characters")
    query = SavedQueries(catalogue).add(secrets.token_hex(8), name, sql, user)
    Audit(catalogue).add(user, "query.save", query.query_id, query.name)
    return query


def delete_query(catalogue: Catalogue, query_id: str, user: str) -> bool:
    """Take a question out; return False where there is none."""
    if not SavedQueries(catalogue).delete(query_id):
        return False
    Audit(catalogue).add(user, "query.delete", query_id)
    return True
