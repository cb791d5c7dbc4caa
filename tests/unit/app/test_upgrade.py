"""A store that release 0.1.0 wrote, of all samples: everything that can be asked of it is answered."""

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli.main import main
from app.config.settings import Settings
from app.server.factory import create_app
from app.views.tables import table_names
from components.runs.list_address import LIST_PATH
from schema.frames import FRAMES
from tests.support.dash_client import DashClient

STORE = Path(__file__).resolve().parents[2] / "data" / "stores" / "0.1.0.zip"
SOURCES = {"aie", "deeploy", "minimalloc", "tinygrad", "tpu_mlir"}


def stored_runs() -> list[tuple[str, str]]:
    """Return source and id of the runs, read without this release's code."""
    with zipfile.ZipFile(STORE) as archive, closing(sqlite3.connect(":memory:")) as connection:
        content = bytearray(archive.read("catalogue.db"))
        content[18:20] = b"\x01\x01"  # a database in memory has no write-ahead log
        connection.deserialize(bytes(content))
        return connection.execute(
            "select source, run_id from runs order by source, run_id"
        ).fetchall()


RUNS = [pytest.param(run_id, id=f"{source}-{run_id}") for source, run_id in stored_runs()]
ONE_OF_EACH = [pytest.param(run_id, id=source) for source, run_id in dict(stored_runs()).items()]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> DashClient:
    folder = tmp_path_factory.mktemp("store")
    with zipfile.ZipFile(STORE) as archive:
        archive.extractall(folder)
    return DashClient(create_app(Settings(data=folder)))


def context(old: DashClient):
    return old.context


def test_the_store_has_runs_of_every_source():
    assert {source for source, _ in stored_runs()} == SOURCES


@pytest.mark.slow
def test_the_list_has_every_run(old):
    page = old.open(LIST_PATH)
    for _, run_id in stored_runs():
        assert run_id in page
    assert old.get("/health").json == {"status": "ok", "runs": len(RUNS)}
    assert set(context(old).repository.runs()["source"]) == SOURCES


@pytest.mark.slow
def test_the_command_line_lists_the_runs(tmp_path):
    with zipfile.ZipFile(STORE) as archive:
        archive.extractall(tmp_path)
    listed = CliRunner().invoke(main, ["runs", "--json", "--data", str(tmp_path)])
    assert (
        sorted((run["source"], run["run_id"]) for run in json.loads(listed.stdout)) == stored_runs()
    )


@pytest.mark.quick_every(10)
@pytest.mark.parametrize("run_id", RUNS)
def test_the_page_of_a_run_is_drawn(old, run_id: str):
    page = old.open(f"/run/{run_id}")
    assert "run-strip" in page
    assert "run-health" in page


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("run_id", ONE_OF_EACH)
def test_every_frame_is_exported(old, run_id: str):
    stored = context(old).repository.catalogue.get(run_id)
    names = context(old).data.get(run_id, "robust", {}).frames
    assert set(stored.frames) <= set(names)
    for name in set(names) & set(FRAMES):
        answer = old.get(f"/export/{run_id}/{name}.parquet")
        assert answer.status_code == 200, (name, answer.text)
    for name, rows in stored.frames.items():
        frame = context(old).repository.frame(run_id, name)
        assert len(frame) == rows
        assert list(frame.columns) == [
            column.name for column in FRAMES[name].required_columns(set(frame.columns))
        ]


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("run_id", ONE_OF_EACH)
def test_every_table_is_exported(old, run_id: str):
    data = context(old).data.get(run_id, "robust", {})
    for name in table_names(data):
        answer = old.get(f"/table/{run_id}.csv?table={name}")
        assert answer.status_code == 200, (name, answer.text)


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("run_id", ONE_OF_EACH)
def test_the_snapshot_has_the_run(old, run_id: str):
    answer = old.get(f"/snapshot?run={run_id}")
    assert answer.status_code == 200
    assert run_id in answer.text
