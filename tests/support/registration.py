"""Registries with an additional record, as if its line were in the source."""

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
    """Replace the registry `old` by `new` in every module of the project that refers to it."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES:
            for attribute in [key for key, value in vars(module).items() if value is old]:
                monkeypatch.setattr(module, attribute, new)
