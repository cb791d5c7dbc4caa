"""Placeholders in responses that users share, in place of the parts of a page that depend on the user."""

from __future__ import annotations

from flask import request

_KEY = "tilescope.user_parts"
"""Key of the WSGI environment of the text with which placeholders begin.

Render processes get the environment, and clients cannot set it.
"""


def expect_placeholders(token: str) -> None:
    """Let the placeholders of the current request begin with `token`, which nobody can guess: names
    in files would otherwise be taken for placeholders.
    """
    request.environ[_KEY] = token


def placeholder(name: str) -> str:
    """Return the text in place of the part `name` of the page of the current request."""
    return join_placeholder(request.environ.get(_KEY, ""), name)


def join_placeholder(token: str, name: str) -> str:
    """Return the placeholder of the part `name` of a request with this token."""
    return f"{token}:{name}"
