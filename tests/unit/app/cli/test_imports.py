"""What a command imports: commands that read no frames start without the libraries that do."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
_HEAVY = {"pandas", "numpy", "pyarrow", "plotly", "dash", "flask", "alembic", "onnx"}
_RUN = """
import sys
from app.cli.main import main
try:
    main(sys.argv[1:], prog_name="app")
finally:
    print("imported", *sorted(name for name in sys.modules if "." not in name), file=sys.stderr)
"""


def imported(*arguments):
    """Run a command and return the packages that its process has imported."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *arguments],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    )
    return set(done.stderr.rpartition("imported")[2].split())


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("ingest", "--help"), ("serve", "--help")]
)
def test_help_and_version_import_neither_settings_nor_storage(arguments):
    assert not imported(*arguments) & (_HEAVY | {"pydantic", "sqlalchemy", "asyncio"})


def test_the_list_of_runs_imports_nothing_that_frames_need(tmp_path):
    data = str(tmp_path / "data")
    assert not imported("runs", "--data", data) & _HEAVY
    subprocess.run(
        [sys.executable, "-m", "app", "ingest", "samples/minimalloc", "--data", data],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert not imported("runs", "--data", data) & (_HEAVY | {"sqlalchemy"})
    assert not imported("runs", "--json", "--data", data) & (_HEAVY | {"sqlalchemy"})


def test_an_upgrade_of_a_catalogue_of_today_needs_no_alembic(tmp_path):
    assert not imported("db", "upgrade", "--data", str(tmp_path)) & _HEAVY
