"""What people and programs may do: each role includes those before it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class Role(IntEnum):
    """Viewers read; editors change runs as well; admins manage tokens, retention and the audit log as well."""

    NOBODY = 0
    VIEWER = 1
    EDITOR = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        """Return the role as it is written in settings and answers."""
        return self.name.lower()


SCOPES: Mapping[str, Role] = MappingProxyType({"read": Role.VIEWER, "write": Role.EDITOR, "admin": Role.ADMIN})
"""Scope of a token -> the role that it gives."""
