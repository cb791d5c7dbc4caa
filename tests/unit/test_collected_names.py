"""Names of tests: workers that collect other names than each other run no test at all."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAIN = "addopts=--strict-markers --import-mode=importlib -p no:dash"


def collected(seed):
    """Return the names of all tests, as a process with this seed of hashes collects them."""
    command = [sys.executable, "-m", "pytest", "-o", PLAIN, "--collect-only", "-q", "tests"]
    # The worker that runs this test must not make a worker of the process.
    own = {name: os.environ[name] for name in os.environ if not name.startswith("PYTEST_")}
    found = subprocess.run(
        command,
        cwd=ROOT,
        env=own | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in found.stdout.splitlines() if "::" in line]


def test_names_depend_neither_on_the_time_nor_on_the_order_of_sets():
    names = collected("1")
    assert len(names) > 1_000
    assert names == collected("2")
