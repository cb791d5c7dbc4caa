"""Size of snapshots of 4x4 captures: `python -m benchmarks.snapshots STORE`.

STORE has the samples.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.pages import list_runs
from benchmarks.report import check
from benchmarks.serving import ROOT

_BUDGET_MB = 1.9
"""Budget of a snapshot in MB."""


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


def main() -> None:
    """Print the sizes with their budget."""
    store = Path(sys.argv[1])
    for run in list_runs(store):
        if (run["rows"], run["cols"]) == (4, 4):
            check(
                f"snapshot of {run['name']}",
                snapshot_mb(store, str(run["run_id"])),
                _BUDGET_MB,
                "MB",
            )


if __name__ == "__main__":
    main()
