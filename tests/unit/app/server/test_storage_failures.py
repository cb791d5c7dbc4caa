"""Storage that fails is the server's: 503, one sentence that names no place of it, and what was stored before."""

import io
import shutil
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import event
from werkzeug.datastructures import MultiDict

from app.server.factory import create_app
from components.runs.list_address import LIST_PATH
from storage import engine
from tests.support import frame_files
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient


@pytest.fixture
def quick(monkeypatch, dashboard, settings):
    """The application on a catalogue that is not waited for."""
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_S", 0.05)
    return DashClient(create_app(settings))


def send(dashboard, *iterations):
    form = [
        ("file", (io.BytesIO(trace_text(iterations=n).encode()), f"trace_{n}.json"))
        for n in iterations
    ]
    return dashboard.http.post(
        "/api/upload", data=MultiDict(form), content_type="multipart/form-data"
    )


def repository(dashboard):
    return dashboard.repository


def check(answer, settings, word):
    """Check that an answer blames the storage, in words of its own."""
    assert answer.status_code == 503, answer.text
    assert "server's storage" in answer.json["detail"]
    assert word in answer.json["detail"]
    for place in (str(settings.data), "sqlite", "Traceback"):
        assert place not in answer.text


def damage(settings):
    path = settings.data / "catalogue.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    path.write_bytes(b"\xff" * path.stat().st_size)


def vanish(settings):
    shutil.rmtree(settings.data)


@pytest.mark.parametrize(("happens", "word"), [(damage, "damaged"), (vanish, "no longer exists")])
def test_health_is_not_ok(dashboard, upload, settings, happens, word):
    upload()
    assert dashboard.get("/health").status_code == 200
    happens(settings)
    check(dashboard.get("/health"), settings, word)


def test_health_is_not_ok_without_the_frames(dashboard, upload, settings):
    upload()
    shutil.rmtree(settings.data / "frames")
    check(dashboard.get("/health"), settings, "no longer exists")


@pytest.mark.slow
def test_health_is_not_ok_in_a_process_that_never_saw_the_catalogue(dashboard, settings):
    vanish(settings)
    check(DashClient(create_app(settings)).get("/health"), settings, "no longer exists")


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "path", ["/export/{run}/events.csv", "/table/{run}.csv", "/snapshot?run={run}"]
)
def test_what_needs_the_catalogue_says_that_it_is_damaged(dashboard, upload, settings, path):
    run = upload().json["runs"][0]["run_id"]
    damage(settings)
    check(dashboard.get(path.format(run=run)), settings, "damaged")


@pytest.mark.slow
def test_a_frame_that_is_damaged_is_named(dashboard, upload, settings):
    run = upload().json["runs"][0]["run_id"]
    frame_files.damage(repository(dashboard), run, "events")
    answer = dashboard.get(f"/export/{run}/events.csv")
    check(answer, settings, run)
    assert "frame events" in answer.json["detail"]
    page = dashboard.open(f"/run/{run}")
    assert "frame events" in page
    assert str(settings.data) not in page


def test_a_list_that_cannot_be_read_is_told_on_the_page(dashboard, upload, settings):
    upload()
    damage(settings)
    answer = dashboard.post(
        "_pages_content.children",
        **{"_pages_location.pathname": LIST_PATH, "_pages_location.search": ""},
    )
    assert "catalogue is damaged" in answer.text
    assert str(settings.data) not in answer.text


@pytest.mark.slow
def test_an_upload_tells_what_was_stored_before_the_disk_was_full(dashboard, settings, full_disk):
    full_disk(after=1)  # the frames of the first run
    answer = send(dashboard, 2, 3)
    check(answer, settings, "disk is full")
    assert [run["file"] for run in answer.json["runs"]] == ["trace_2.json"]
    assert [(entry["path"], entry["reason"]) for entry in answer.json["skipped"]] == [
        ("trace_3.json", answer.json["detail"])
    ]
    assert repository(dashboard).runs()["file"].tolist() == ["trace_2.json"]


def test_an_upload_that_cannot_be_received_blames_the_disk(dashboard, settings, monkeypatch):
    from werkzeug.datastructures import FileStorage

    def save(self, _path):
        with open("/dev/full", "wb", 0) as full:  # noqa: PTH123
            full.write(self.read())

    monkeypatch.setattr(FileStorage, "save", save)
    check(send(dashboard, 2), settings, "disk is full")


@pytest.mark.slow
def test_a_catalogue_that_another_process_holds_is_said(quick, settings):
    with closing(sqlite3.connect(settings.data / "catalogue.db")) as other:
        other.execute("begin immediate")
        check(send(quick, 2), settings, "locked")
        assert quick.get("/health").status_code == 200, "it can be read"
        other.rollback()
    assert send(quick, 2).status_code == 200
    assert repository(quick).catalogue.pending() == []


@pytest.mark.slow
def test_a_catalogue_whose_disk_is_full_is_said(dashboard, settings):
    @event.listens_for(repository(dashboard).catalogue._engine, "checkout")
    def fill(connection, *_):
        connection.execute("pragma max_page_count = 1")  # raised by SQLite to what there is

    answer = send(dashboard, *range(2, 10))  # the first fit into the pages that there are
    check(answer, settings, "no space left")
    assert 0 < repository(dashboard).count() == len(answer.json["runs"]) < 8


@pytest.mark.slow
def test_a_damaged_row_is_listed_beside_the_others(dashboard, settings):
    damaged, other = [run["run_id"] for run in send(dashboard, 2, 3).json["runs"]]
    with closing(sqlite3.connect(settings.data / "catalogue.db")) as connection, connection:
        connection.execute('update runs set run = \'{"name": "torn\' where run_id = ?', (damaged,))
    page = dashboard.open(LIST_PATH)
    assert f"{damaged}: damaged" in page
    assert other in page
    assert "torn" not in page
    assert damaged in dashboard.open(f"/run/{damaged}")
    assert "torn" not in dashboard.open(f"/run/{damaged}")
    check(dashboard.get(f"/export/{damaged}/events.csv"), settings, damaged)
    assert dashboard.get(f"/export/{other}/events.csv").status_code == 200
    assert dashboard.get("/health").status_code == 200, "one run is not the store"
