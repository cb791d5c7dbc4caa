"""Size of an installation with the locked requirements: `python -m benchmarks.installed`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from benchmarks.report import check, note

ROOT = Path(__file__).resolve().parents[1]
_BUDGET_MB = 500


def installed_mb(names: Iterable[str]) -> float:
    """Return the size of the packages' files in MB."""
    return sum(map(_installed_bytes, names)) / 1e6


def locked_packages(kind: str = "") -> set[str]:
    """Return the packages of a file of locked requirements.

    `kind` is its suffix, such as -hosting.
    """
    return set(
        re.findall(r"^([\w.-]+)==", (ROOT / f"requirements{kind}.txt").read_text(), re.MULTILINE)
    )


def _installed_bytes(name: str) -> int:
    # `files` is None if a package was installed without a list of its files.
    files = (Path(str(file.locate())) for file in distribution(name).files or ())
    return sum(file.stat().st_size for file in files if file.is_file())


def main() -> None:
    """Print the sizes of the required and of the optional packages."""
    check(
        "installed packages, without the optional ones",
        installed_mb(locked_packages()),
        _BUDGET_MB,
        "MB",
    )
    for kind in ("-full", "-hosting"):
        note(
            f"requirements{kind}.txt beside: {installed_mb(locked_packages(kind) - locked_packages()):.0f} MB"
        )


if __name__ == "__main__":
    main()
