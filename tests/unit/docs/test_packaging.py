"""What is installed is what the tree has."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NOT_INSTALLED = {"samples"}


def test_every_package_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = project["tool"]["setuptools"]["packages"]
    roots = project["tool"]["importlinter"]["root_packages"]
    folders = {module.parent for root in {*roots} - NOT_INSTALLED for module in (ROOT / root).rglob("*.py")}
    assert listed == sorted(".".join(folder.relative_to(ROOT).parts) for folder in folders)
