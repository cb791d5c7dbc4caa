"""The drill: a store of samples, backed up by schedule, damaged, restored into one of the other kind."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select, update

from app.config.settings import load_settings
from app.server.backups import take_round
from app.server.factory import create_app
from ingest.files import ingest
from services.run.tile_version import tile_version
from services.store.backup import frame_member
from services.store.backups import stored_backups
from services.store.verify import verify
from storage.alert_tables import ALERT_TURNS
from storage.files import open_files
from storage.tokens import Tokens
from storage.work_tables import JOBS
from tests.support.backups import add_all, damage_member, files_of, remake, rows_of
from tests.support.command_line import run
from tests.support.dash_client import DashClient

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ("outputs", "deeploy", "minimalloc", "torch_snapshot")


@pytest.fixture(scope="module")
def backups(new_database, new_place):
    """A place for backups."""
    place = new_place()
    if "://" not in place:
        Path(place).mkdir()
    return place


@pytest.fixture(scope="module")
def source(new_database, new_place, backups, samples, tmp_path_factory):
    """Settings of a store of several sources, to which people added something of every kind."""
    made = load_settings(
        data=tmp_path_factory.mktemp("source"),
        database_url=new_database(),
        frames_url=new_place(),
        backup_to=backups,
        backup_every="1h",
        backup_keep=2,
    )
    with opened(made) as repository:
        found = ingest(repository, [samples / name for name in SAMPLES], {}).runs
        add_all(repository, [run.run_id for run in found])
    return made


@contextmanager
def opened(settings):
    """Give the repository of settings, closed afterwards."""
    repository = settings.repository()
    try:
        yield repository
    finally:
        repository.catalogue.close()


def let_a_year_pass(repository):
    with repository.catalogue.begin() as connection:
        for job in connection.execute(select(JOBS.c.job_id, JOBS.c.created_at)).all():
            before = f"{int(job.created_at[:4]) - 1}{job.created_at[4:]}"
            connection.execute(
                update(JOBS).where(JOBS.c.job_id == job.job_id).values(created_at=before)
            )
        connection.execute(update(ALERT_TURNS).values(next_at=0.0))


@pytest.fixture(scope="module")
def kept(source):
    """The rows of the store as they were, and the newest of three backups, of which two are left."""
    with opened(source) as repository:
        for _ in range(3):
            rows = rows_of(repository)
            assert take_round(source, repository.catalogue)
            assert not take_round(source, repository.catalogue)
            let_a_year_pass(repository)
        names = [one.name for one in stored_backups(repository.catalogue, source.backup_plan())]
    assert len(names) == 2
    return rows, names[0]


@pytest.fixture
def file(kept, backups, tmp_path):
    """The newest backup as a file of this machine."""
    open_files(backups).fetch(kept[1], tmp_path / "backup.tar")
    return tmp_path / "backup.tar"


@pytest.fixture
def target(source, postgres, object_storage, tmp_path):
    """Settings of an empty store whose database and place are of the other kind."""
    is_embedded = source.database_url.startswith("sqlite")
    return load_settings(
        data=tmp_path / "target",
        database_url=postgres.new() if is_embedded else f"sqlite:///{tmp_path}/target.db",
        frames_url=str(tmp_path / "frames") if "://" in source.frames_url else object_storage.new(),
    )


def app(settings, *args):
    """Run a command on the store of settings; return its exit code and what it says of errors."""
    store = {
        "TILESCOPE_DATABASE_URL": settings.database_url,
        "TILESCOPE_FRAMES_URL": settings.frames_url,
    }
    command = [sys.executable, "-m", "app", *map(str, args)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | store, capture_output=True, text=True, check=False
    )
    assert done.stderr.count("\n") == (done.returncode != 0)
    return done.returncode


def answers(settings):
    """Return what pages and API say of each run, but for where its frames lie, which is each store's own."""
    client, said = DashClient(create_app(settings)), {}
    with opened(settings) as repository:
        runs = repository.catalogue.runs()
    for stored in runs:
        told = client.get(f"/api/v1/runs/{stored.run_id}")
        assert told.status_code == 200
        parts = (
            json.dumps(told.json),
            client.open(f"/run/{stored.run_id}"),
            json.dumps(client.drawn(stored.run_id)),
        )
        # addresses of tiles have a digest of where the frames lie
        said[stored.run_id] = [
            part.replace(stored.prefix, "").replace(tile_version(stored), "") for part in parts
        ]
    client.repository.catalogue.close()
    return said


def test_a_whole_backup_is_at_its_address(source, kept, backups):
    result = run("backup", "--verify", "--json", f"{backups}/{kept[1]}")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["problems"]) == (0, [])
    with opened(source) as repository:
        assert (found["runs"], found["files"]) == (len(kept[0]["runs"]), len(files_of(repository)))


def flip(file, member):
    damage_member(file, member)
    return member


def cut(file, _member):
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 2 // 3])
    return "cut off"


def leave_out(file, member):
    shutil.move(remake(file, leave_out=[member]), file)
    return member


def forget(file, member):
    """Leave a frame out of the manifest as well: only its run knows of it."""
    shutil.move(remake(file, leave_out=[member], signed=True), file)
    return member.split("/")[1]


@pytest.mark.parametrize("damage", [flip, cut, leave_out, forget])
def test_damage_is_found_where_it_is(damage, kept, file, backups):
    row = kept[0]["runs"][1]
    place = damage(file, frame_member(row["run_id"], next(iter(row["frames"]))))
    open_files(backups).put("damaged.tar", file)
    for address in (str(file), f"{backups}/damaged.tar"):
        result = run("backup", "--verify", address)
        assert result.exit_code == 1
        (line,) = result.stderr.splitlines()
        assert line.startswith(f"Error: {address} ")
        assert place in line


def test_a_damaged_backup_is_refused_and_the_one_before_is_whole(
    kept, file, target, source, backups
):
    row = kept[0]["runs"][0]
    damage_member(file, frame_member(row["run_id"], next(iter(row["frames"]))))
    with opened(source) as before, opened(target) as after:
        assert app(target, "restore", file) == 1
        assert not after.catalogue.is_created()
        older = stored_backups(before.catalogue, source.backup_plan())[1]
        assert app(target, "restore", f"{backups}/{older.name}") == 0
        assert after.count() == before.count()


def test_what_is_restored_is_the_store_as_it_was(kept, source, target, backups, tmp_path):
    address = f"{backups}/{kept[1]}"
    assert app(target, "restore", address) == 0
    assert app(target, "restore", address) == 1
    assert app(target, "backup", tmp_path / "again.tar") == 0
    with opened(source) as before, opened(target) as after:
        assert rows_of(after) == kept[0]
        assert files_of(after) == files_of(before)
        assert all(map(after.is_whole, after.catalogue.runs()))
        assert [token.token_id for token in Tokens(after.catalogue).all()] == ["t1"]
    assert answers(target) == answers(source)
    first, again = verify(address), verify(tmp_path / "again.tar")
    assert (again.problems, again.runs, again.files) == ((), first.runs, first.files)
