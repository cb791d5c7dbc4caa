"""Saved filters of the list of runs: checks, changes and entries of the audit log."""

from __future__ import annotations

import secrets

from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.saved_texts import SavedView, SavedViews

MAX_NAME = 100
"""Maximum characters of the name of a saved filter."""
MAX_QUERY_STRING = 4_000
"""Maximum characters of the query string of a saved filter."""


class ViewError(ValueError):
    """A saved filter is invalid; the message is a sentence for the user."""


def save_view(catalogue: Catalogue, name: str, query: str, user: str) -> SavedView:
    """Save the query string of a page (without `?`) under a name, and return it with its new id;
    another saved filter may have the same name.

    Raises ViewError if name or query is invalid.
    """
    name = name.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise ViewError(f"a view's name must have 1 to {MAX_NAME} printable characters")
    if len(query) > MAX_QUERY_STRING:
        raise ViewError(f"a view's address must have at most {MAX_QUERY_STRING} characters")
    view = SavedViews(catalogue).add(secrets.token_hex(8), name, query, user)
    Audit(catalogue).add(user, "view.save", view.view_id, view.name)
    return view


def delete_view(catalogue: Catalogue, view_id: str, user: str) -> bool:
    """Delete a saved filter and return True; False if it does not exist."""
    if not SavedViews(catalogue).delete(view_id):
        return False
    Audit(catalogue).add(user, "view.delete", view_id)
    return True
