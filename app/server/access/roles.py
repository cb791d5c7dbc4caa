"""Which role a request needs: what is not named here needs a viewer to read and an editor to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.pages.page import Page
from app.server.limits import TOOLS_PATH
from schema.roles import Role

OPEN = frozenset(
    {"/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/auth/login", "/auth/callback", "/auth/logout"}
)
"""Routes that need nobody."""
_ASKING = frozenset({"/_dash-update-component", TOOLS_PATH})
"""Read, although they are POSTs: callbacks that write ask for the role themselves, and no tool writes."""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def page_roles(pages: Sequence[Page]) -> dict[str, Role]:
    """Return route -> role of the pages that need another role than a viewer's, and of their files."""
    return {
        route: page.role
        for page in pages
        if page.role is not Role.VIEWER
        for route in (page.path, *(file.rule for file in page.files))
    }


@dataclass(frozen=True)
class RouteRoles:
    """The roles of all routes: `operations` has those of the API by method and rule, `pages` those of `page_roles`."""

    operations: Mapping[tuple[str, str], Role]
    pages: Mapping[str, Role]

    def role_of(self, method: str, rule: str, path: str) -> Role:
        """Return the role that a request needs; `rule` is the route's, or the path where no route fits."""
        known = self.operations.get((method, rule))
        if known is None and method == "HEAD":
            known = self.operations.get(("GET", rule))
        return max(self._of_address(method, rule), self._of_address(method, path)) if known is None else known

    def _of_address(self, method: str, address: str) -> Role:
        if address in OPEN:
            return Role.NOBODY
        named = [
            role for route, role in self._named_roles.items() if address == route or address.startswith(f"{route}/")
        ]
        if named:
            return max(named)
        return Role.VIEWER if address in _ASKING else default_role(method)

    @cached_property
    def _named_roles(self) -> Mapping[str, Role]:
        """Return the roles of pages, and of the routes of which every method that is known needs an admin."""
        rules = {
            rule: min(role for (_, one), role in self.operations.items() if one == rule) for _, rule in self.operations
        }
        return {**self.pages, **{rule: role for rule, role in rules.items() if role is Role.ADMIN}}


def default_role(method: str) -> Role:
    """Return the role that a method needs where nothing else is said."""
    return Role.EDITOR if is_writing(method) else Role.VIEWER


def is_writing(method: str) -> bool:
    """Return whether a method may change something."""
    return method not in _READING
