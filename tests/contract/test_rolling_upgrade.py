"""A rolling upgrade, on both kinds of catalogue: this release and a made-up next one work on one store, one by one."""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from storage.revisions import HEAD
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_S, wait_until

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "schema",
    "data_loaders",
    "storage",
    "analysis",
    "ingest",
    "components",
    "services",
    "app",
    "assets",
)
NEXT = f"{int(HEAD) + 1:04}"
MIGRATION = f"""
import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{HEAD}"


def upgrade():
    op.add_column("runs", sa.Column("made_up", sa.Text))
    op.create_table("made_up", sa.Column("name", sa.String(32), primary_key=True))
"""


@pytest.fixture(scope="module")
def next_release(tmp_path_factory):
    """The folder of a release whose migration adds a column and a table, and which works beside this one."""
    folder = tmp_path_factory.mktemp("next")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "storage" / "migrations" / "versions" / f"r{NEXT}_made_up.py").write_text(MIGRATION)
    path = folder / "storage" / "revisions.py"
    grown = f'REVISIONS = (*REVISIONS, "{NEXT}")\nHEAD = "{NEXT}"\nWORKS_BESIDE = ("{HEAD}",)\n'
    path.write_text(path.read_text() + grown)
    return folder


@pytest.fixture
def environment(new_database, tmp_path):
    """The settings of both releases."""
    database = {
        "TILESCOPE_DATABASE_URL": new_database(),
        "TILESCOPE_FRAMES_URL": str(tmp_path / "frames"),
    }
    return (
        os.environ
        | database
        | {"TILESCOPE_DATA": str(tmp_path / "data"), "TILESCOPE_RENDER_PROCESSES": "0"}
    )


def command(release, environment, *arguments):
    """Run a command of a release; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=release,
        env=environment | {"PYTHONPATH": str(release)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def status(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=PATIENCE_S) as answer:
        return answer.status


@contextmanager
def serving(release, environment):
    """Serve a release; give what asks it for the number of its runs."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "serve", "--port", str(port), "--workers", "1"],
        cwd=release,
        env=environment | {"PYTHONPATH": str(release)},
        stdout=subprocess.DEVNULL,
    )

    def count():
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/api/v1/runs", timeout=PATIENCE_S
        ) as answer:
            return len(json.load(answer)["runs"])

    try:
        wait_until(lambda: status(port) == 200, OSError)
        yield count
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)


def ingest(release, environment, folder, name):
    """Ingest a problem of its own by a release."""
    path = folder / f"{name}.200.csv"
    path.write_text(f"id,lower,upper,size\n{name},0,3,100\nb,1,4,80\n")
    command(release, environment, "ingest", str(path))


def test_servers_of_both_releases_work_on_one_store_until_the_last_old_one_is_gone(
    next_release, environment, tmp_path
):
    ingest(ROOT, environment, tmp_path, "before")
    with ExitStack() as stack:
        first, second = (stack.enter_context(ExitStack()) for _ in range(2))
        old = first.enter_context(serving(ROOT, environment))
        other = second.enter_context(serving(ROOT, environment))
        assert (old(), other()) == (1, 1)
        assert NEXT in command(next_release, environment, "db", "upgrade")
        ingest(ROOT, environment, tmp_path, "by the old release")
        assert (old(), other()) == (2, 2)
        first.close()
        new = first.enter_context(serving(next_release, environment))
        ingest(next_release, environment, tmp_path, "by the new release")
        assert (new(), other()) == (3, 3)
        second.close()
        with serving(
            ROOT, environment
        ) as again:  # a server of the old release may start once more meanwhile
            assert again() == 3
        last = second.enter_context(serving(next_release, environment))
        ingest(next_release, environment, tmp_path, "after")
        assert (new(), last()) == (4, 4)
