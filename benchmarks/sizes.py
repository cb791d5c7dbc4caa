"""Sizes of an installation and of snapshots of 4x4 captures: `python -m benchmarks.sizes STORE`.

STORE has the samples.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from benchmarks.pages import list_runs
from benchmarks.report import check, note
from benchmarks.serving import ROOT

_INSTALLED_BUDGET_MB = 500
"""Budget of the required packages, with the locked requirements, in MB."""
_SNAPSHOT_BUDGET_MB = 1.9
"""Budget of a snapshot in MB."""


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


def snapshot_mb(store: Path, run_id: str) -> float:
    """Return the size of a run's snapshot in MB."""
    with tempfile.TemporaryDirectory(prefix="tilescope-snapshots-") as folder:
        file = Path(folder) / "snapshot.html"
        command = [
            sys.executable,
            "-m",
            "app",
            "snapshot",
            run_id,
            "--data",
            str(store),
            "--output",
            str(file),
        ]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return file.stat().st_size / 1e6


def _check_packages() -> None:
    check(
        "installed packages, without the optional ones",
        installed_mb(locked_packages()),
        _INSTALLED_BUDGET_MB,
        "MB",
    )
    for kind in ("-full", "-hosting"):
        note(
            f"requirements{kind}.txt beside: {installed_mb(locked_packages(kind) - locked_packages()):.0f} MB"
        )


def _check_snapshots(store: Path) -> None:
    for run in list_runs(store):
        if (run["rows"], run["cols"]) == (4, 4):
            check(
                f"snapshot of {run['name']}",
                snapshot_mb(store, str(run["run_id"])),
                _SNAPSHOT_BUDGET_MB,
                "MB",
            )


def main() -> None:
    """Print the sizes with their budgets, and those of the optional packages."""
    _check_packages()
    _check_snapshots(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
