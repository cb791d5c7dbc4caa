"""Registries with one more record, as if its line were in the source."""

from __future__ import annotations

import sys

PACKAGES = (
    "app",
    "components",
    "services",
    "ingest",
    "storage",
    "analysis",
    "data_loaders",
    "schema",
)


def replace_registry(monkeypatch, old: object, new: object) -> None:
    """Let every module of the project that has a registry have another one in its place."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES:
            for attribute in [key for key, value in vars(module).items() if value is old]:
                monkeypatch.setattr(module, attribute, new)
