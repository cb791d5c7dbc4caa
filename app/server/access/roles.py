"""Which role a request needs: what is not named here needs a viewer to read and an editor to write."""

from __future__ import annotations

from schema.roles import Role

OPEN = frozenset(
    {"/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/auth/login", "/auth/callback", "/auth/logout"}
)
"""Routes that need nobody."""
_ADMINS = ("/audit", "/api/v1/tokens", "/api/v1/audit", "/api/v1/retention")
"""Routes, with what is below them, that need an admin."""
_CALLBACKS = "/_dash-update-component"
"""Reads, although it is a POST: callbacks that write ask for the role themselves."""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def needed(method: str, rule: str) -> Role:
    """Return the role that a request needs; `rule` is the route's, or the path where no route fits."""
    if rule in OPEN:
        return Role.NOBODY
    if any(rule == route or rule.startswith(f"{route}/") for route in _ADMINS):
        return Role.ADMIN
    return Role.VIEWER if method in _READING or rule == _CALLBACKS else Role.EDITOR


def is_writing(method: str) -> bool:
    """Return whether a method may change something."""
    return method not in _READING
