"""Names of tests: workers that collect other names than each other run no test at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAIN = "addopts=--strict-markers --import-mode=importlib -p no:dash"


def collected(seed):
    """Return the names of all tests, as a process with this seed of hashes collects them."""
    command = [sys.executable, "-m", "pytest", "-o", PLAIN, "--collect-only", "-q", "tests"]
    # The worker that runs this test must not make a worker of the process.
    own = {name: os.environ[name] for name in os.environ if not name.startswith("PYTEST_")}
    env = own | {"PYTHONHASHSEED": seed}
    found = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return [line for line in found.stdout.splitlines() if "::" in line]


def own_names(session, left_out):
    """Return the names that this process collected, by a seed of its own; None if it collected only a part."""
    items = [*session.items, *left_out]
    return sorted(item.nodeid for item in items) if session.config.args == ["tests"] else None


@pytest.mark.slow
def test_names_depend_neither_on_the_time_nor_on_the_order_of_sets(request, left_out):
    names = collected("1")
    assert len(names) > 1_000
    # Collecting takes 12 s of processor time, and a worker of a whole run has done it.
    own = own_names(request.session, left_out)
    if own is None:
        assert names == collected("2")
    else:
        assert sorted(names) == own
