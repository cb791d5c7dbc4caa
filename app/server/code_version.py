"""The version of the code that renders pages, because another version may render a page differently."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from app import __version__
from schema.plugin_api import LOADERS, VIEWS

_ROOT = Path(__file__).parents[2]
_CODE = ("app", "components", "services", "ingest", "storage", "analysis", "data_loaders", "schema")
"""Packages whose source code may change a response."""


@cache
def code_version() -> str:
    """Return a hash, 16 hex digits, of the release, the source code and the installed plugins."""
    digest = hashlib.sha256(__version__.encode())
    for group in (LOADERS, VIEWS):
        for point in entry_points(group=group):
            digest.update(
                repr((group, point.name, point.value, point.dist and point.dist.version)).encode()
            )
    # The version alone does not change while somebody edits the code of a checkout.
    for package in _CODE:
        for file in sorted((_ROOT / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
