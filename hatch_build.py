"""What a wheel requires: the direct requirements, which `requirements*.in` have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class RequirementsHook(MetadataHookInterface):
    """Takes the dependencies from the files that the locked requirements are made of."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies, and those of the extra `hosting`."""
        root = Path(self.root)
        metadata["dependencies"] = _requirements(root / "requirements.in")
        metadata["optional-dependencies"] = {"hosting": _requirements(root / "requirements-hosting.in")}


def _requirements(file: Path) -> list[str]:
    lines = (line.strip() for line in file.read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith(("#", "-"))]
