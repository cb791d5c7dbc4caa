"""Roles of users and tokens; each role has all rights of the roles before it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class Role(IntEnum):
    """Viewers read; editors also change runs; admins also manage tokens, retention and the audit
    log.
    """

    NOBODY = 0
    VIEWER = 1
    EDITOR = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        """The role's name in settings and responses, in lower case: nobody, viewer, editor or
        admin.
        """
        return self.name.lower()


SCOPES: Mapping[str, Role] = MappingProxyType(
    {"read": Role.VIEWER, "write": Role.EDITOR, "admin": Role.ADMIN}
)
"""Scope of a token -> the role that it grants."""
