"""Roles that routes require: by default a viewer may read and an editor may write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.pages.page import Page
from app.request.signing import SIGNED
from app.server.limits import TOOLS_PATH
from schema.roles import Role

OPEN = frozenset(
    {
        "/healthz",
        "/readyz",
        "/metrics",
        "/api/v1/openapi.json",
        "/auth/login",
        "/auth/callback",
        "/auth/logout",
    }
)
"""Routes that need no sign-in; neither do those below SIGNED, which check their signature."""
_ASKING = frozenset({"/_dash-update-component", TOOLS_PATH})
"""Routes that only read although their method is POST.

Callbacks that write check the role themselves, and no tool of the MCP server writes.
"""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def page_roles(pages: Sequence[Page]) -> dict[str, Role]:
    """Map routes of pages and their files to roles, for pages that require more than a viewer;
    other pages are left out.
    """
    roles: dict[str, Role] = {}
    for page in pages:
        if page.role is not Role.VIEWER:
            roles[page.path] = page.role
            roles |= dict.fromkeys((file.rule for file in page.files), page.role)
    return roles


@dataclass(frozen=True)
class RouteRoles:
    """Roles of all routes.

    `operations` has the roles of API operations by method and route, `pages` comes from
    `page_roles`.
    """

    operations: Mapping[tuple[str, str], Role]
    pages: Mapping[str, Role]

    def required_role(self, method: str, rule: str, path: str) -> Role:
        """Return the role that a request requires, NOBODY if it needs no sign-in.

        `rule` is its route, or its path if no route matches. An API operation decides by itself;
        else the higher role of route and path counts.
        """
        role = self.operations.get((method, rule))
        if role is None and method == "HEAD":
            role = self.operations.get(("GET", rule))
        if role is not None:
            return role
        return max(self._address_role(method, rule), self._address_role(method, path))

    def _address_role(self, method: str, address: str) -> Role:
        """Return the highest role of the known routes that an address begins with; NOBODY for OPEN
        routes and signed addresses.

        Of other addresses the role is VIEWER for routes that only read by POST, else the default of
        the method.
        """
        if address in OPEN or address.startswith(SIGNED):
            return Role.NOBODY
        named = [
            role
            for route, role in self._named_roles.items()
            if address == route or address.startswith(f"{route}/")
        ]
        if named:
            return max(named)
        # A default for unknown addresses: a route that nobody registered here must not be open.
        return Role.VIEWER if address in _ASKING else default_role(method)

    @cached_property
    def _named_roles(self) -> Mapping[str, Role]:
        """Routes of pages that require more than a viewer, and of the API if every method requires
        an admin, with these roles.
        """
        lowest: dict[str, Role] = {}
        for (_, rule), role in self.operations.items():
            lowest[rule] = min(role, lowest.get(rule, role))
        for_admins = {rule: role for rule, role in lowest.items() if role is Role.ADMIN}
        return {**self.pages, **for_admins}


def default_role(method: str) -> Role:
    """Return the role for a method if no other is declared: viewer for GET, HEAD and OPTIONS, else
    editor.
    """
    return Role.EDITOR if is_writing(method) else Role.VIEWER


def is_writing(method: str) -> bool:
    """Whether requests of a method may change something: all but GET, HEAD and OPTIONS."""
    return method not in _READING
