"""What a wheel requires, which `requirements*.in` have, and the documentation where it has been built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_DOCUMENTATION = "build/docs"


class RequirementsHook(MetadataHookInterface):
    """Takes the dependencies from the files that the locked requirements are made of."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies, and those of the extras."""
        root = Path(self.root)
        metadata["dependencies"] = _requirements(root / "requirements.in")
        extras = ("full", "hosting")
        metadata["optional-dependencies"] = {
            one: _requirements(root / f"requirements-{one}.in") for one in extras
        }


class DocumentationHook(BuildHookInterface[Any]):
    """Puts the site that `make docs` has built beside the folders of the repository, where a server looks for it."""

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Add the site, where there is one, to a wheel."""
        site = Path(self.root) / _DOCUMENTATION
        if self.target_name == "wheel" and site.is_dir():
            build_data["force_include"][str(site)] = f"tilescope/_tree/{_DOCUMENTATION}"


def _requirements(file: Path) -> list[str]:
    lines = (line.strip() for line in file.read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith(("#", "-"))]
