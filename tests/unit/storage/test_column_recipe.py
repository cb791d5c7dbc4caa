"""CONTRIBUTING's recipe for a column of the list of runs, followed in a copy of the project, migration included."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schema.metrics import METRICS
from schema.run_columns import LISTED_COLUMNS, RUN_COLUMNS
from storage.revisions import HEAD

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = (
    "app",
    "analysis",
    "components",
    "data_loaders",
    "ingest",
    "schema",
    "services",
    "storage",
    "tilescope",
)
METRIC = next(name for name in METRICS if name not in {column.name for column in RUN_COLUMNS})
RECORD = f"""    metric_column("{METRIC}", "another", 70, topic=Topic.KERNELS, rank=65, bit={{bit}}),
"""
MIGRATION = '''"""The list of runs has another column."""

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"


def upgrade() -> None:
    op.add_column("listing", sa.Column("{name}", sa.Float))
    op.execute("DELETE FROM listing")
'''


def edit(path, pattern, text):
    """Replace the one match of a pattern in a file."""
    changed, count = re.subn(pattern, lambda _: text, path.read_text("utf-8"))
    assert count == 1
    path.write_text(changed, "utf-8")


@pytest.fixture
def copy(tmp_path):
    """A copy of the project with one more column, made by the four steps of the recipe."""
    ignored = shutil.ignore_patterns("__pycache__", "e2e")
    for name in (*PACKAGES, "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for name in ("pyproject.toml", "assets", "samples"):
        (tmp_path / name).symlink_to(ROOT / name)
    bit = 1 + max(column.bit for column in LISTED_COLUMNS if column.bit is not None)
    revision = f"{int(HEAD) + 1:04}"
    start = "RUN_COLUMNS: tuple[RunColumn, ...] = (\n"
    edit(tmp_path / "schema/run_columns.py", re.escape(start), start + RECORD.format(bit=bit))
    edit(tmp_path / "storage/revisions.py", rf'"{HEAD}"\)', f'"{HEAD}", "{revision}")')
    migration = MIGRATION.format(name=METRIC, revision=revision, before=HEAD)
    (tmp_path / f"storage/migrations/versions/r{revision}_another.py").write_text(
        migration, "utf-8"
    )
    end = '}\n"""Bits that rows of stores have."""'
    test = tmp_path / "tests/unit/storage/test_valued.py"
    edit(test, re.escape(end), f'    "{METRIC}": {bit},\n{end}')
    return tmp_path


@pytest.mark.slow
def test_the_recipe_keeps_the_tests_of_tables_and_of_columns(copy):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "tests/unit/storage/test_versions.py",
        "tests/unit/schema/test_run_columns.py",
        "tests/unit/storage/test_valued.py",
    ]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
