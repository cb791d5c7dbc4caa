"""Temporary folders do not outlive a killed process: every one is of `data_loaders/reading/scratch.py`."""

import ast

import pytest

from tests.support.packages import PACKAGES, ROOT

NAMED = {"mkdtemp", "mkstemp", "TemporaryDirectory", "NamedTemporaryFile"}
"""Calls of `tempfile` whose result has a name, and stays if the process is killed."""
SWEPT_OTHERWISE = {
    "services/store/backup.py",  # within a scratch folder
    "services/run/placement_files.py",  # within the folder of a search, which is removed as a whole when its beat stops
    "storage/own_files.py",  # counted among the files of a bounded folder, the oldest of which are removed
}


def modules():
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def called(path):
    calls = [
        node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    ]
    return {getattr(func, "attr", getattr(func, "id", "")) for func in calls}


@pytest.mark.slow
def test_temporary_folders_are_scratch_folders():
    users = {str(path.relative_to(ROOT)) for path in modules() if called(path) & NAMED}
    assert users == SWEPT_OTHERWISE
