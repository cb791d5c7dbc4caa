"""An upload is cancelled while its files are read: by an id that the client chose, or that of its parts."""

import threading

import pytest

from app.server import upload_queue
from app.server.factory import create_app
from ingest.cancel import CANCELLED
from ingest.files import ingest
from storage.audit import Audit
from storage.uploads import Uploads
from tests.support.aie_trace import trace_text
from tests.support.waiting import PATIENCE_S, wait_until

HERE = {"Sec-Fetch-Site": "same-origin"}
ID = "0123456789abcdef" * 2


@pytest.fixture
def in_thread():
    """Send a request from another thread; returns the list that gets its response."""
    threads = []

    def send(request):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(request()))
        threads.append(thread)
        thread.start()
        return answers

    yield send
    for thread in threads:
        thread.join(PATIENCE_S)


@pytest.fixture
def slow(monkeypatch):
    """Let a reading begin only when it is cancelled, so that it cannot be over before that; gives an
    event that is set once the server is about to read.
    """
    about_to_read = threading.Event()

    def wait_first(*arguments, is_cancelled, **options):
        about_to_read.set()
        wait_until(is_cancelled)
        return ingest(*arguments, is_cancelled=is_cancelled, **options)

    monkeypatch.setattr(upload_queue, "ingest", wait_first)
    return about_to_read


def rows(dashboard):
    return Uploads(dashboard.repository.catalogue)


def runs(dashboard):
    return dashboard.repository.runs()


def cancel(dashboard, upload_id):
    wait_until(lambda: rows(dashboard).get(upload_id))
    answer = dashboard.http.delete(f"/api/v1/uploads/{upload_id}", headers=HERE)
    assert answer.status_code == 204


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("address", ["/api/v1/runs", "/api/upload"])
def test_a_request_with_an_id_is_cancelled_and_leaves_nothing(
    dashboard, settings, in_thread, address
):
    address = f"{address}?name=a.json"
    answers = in_thread(
        lambda: dashboard.app.server.test_client().post(
            address, data=trace_text(), headers=HERE | {"Upload-Id": ID}
        )
    )
    cancel(dashboard, ID)
    answer = wait_until(lambda: answers)[0]
    assert answer.status_code == 422
    assert [s["reason"] for s in answer.json["skipped"]] == [CANCELLED]
    assert runs(dashboard).empty
    assert rows(dashboard).get(ID) is None
    assert list((settings.data / "uploads").glob("*")) == []


def test_parts_are_cancelled_while_they_are_read(dashboard, in_thread, slow):
    content = trace_text().encode()
    new = {"name": "a.json", "size": len(content)}
    place = dashboard.http.post("/api/v1/uploads", json=new, headers=HERE).headers["Location"]
    sent = dashboard.http.patch(place, data=content, headers=HERE | {"Upload-Offset": "0"})
    assert sent.status_code == 204
    finish = {"uploads": [place.rpartition("/")[2]], "keep": True}
    answers = in_thread(
        lambda: dashboard.app.server.test_client().post(
            "/api/v1/uploads/finish", json=finish, headers=HERE
        )
    )
    assert slow.wait(PATIENCE_S)
    cancel(dashboard, place.rpartition("/")[2])
    assert wait_until(lambda: answers)[0].status_code == 422
    assert runs(dashboard).empty
    audit = Audit(dashboard.repository.catalogue)
    assert audit.entries(10) == [], "a cancel is no failure"


@pytest.mark.slow
def test_an_upload_is_cancelled_while_it_waits(dashboard, in_thread, monkeypatch):
    """All turns are taken: nothing would be read for two minutes."""
    monkeypatch.setattr(upload_queue, "_AT_ONCE", 0)
    server = dashboard.context.settings
    other = create_app(server).server
    answers = in_thread(
        lambda: other.test_client().post(
            "/api/v1/runs?name=a.json", data=trace_text(), headers=HERE | {"Upload-Id": ID}
        )
    )
    cancel(dashboard, ID)
    assert wait_until(lambda: answers)[0].status_code == 409
    assert rows(dashboard).get(ID) is None


@pytest.mark.slow
def test_the_row_is_gone_once_the_files_are_read(dashboard):
    answer = dashboard.http.post(
        "/api/v1/runs?name=a.json", data=trace_text(), headers=HERE | {"Upload-Id": ID}
    )
    assert answer.status_code == 201
    assert rows(dashboard).get(ID) is None
    assert rows(dashboard).sums() == (0, 0)


@pytest.mark.parametrize("text", ["x" * 24, "0" * 23, "0" * 33, "A" * 24, "../" * 10])
def test_an_id_of_another_form_is_refused(dashboard, text):
    answer = dashboard.http.post(
        "/api/v1/runs?name=a.json", data=trace_text(), headers=HERE | {"Upload-Id": text}
    )
    assert answer.status_code == 400
    assert runs(dashboard).empty


def test_an_id_in_use_is_refused(dashboard):
    new = {"name": "a.json", "size": 5}
    place = dashboard.http.post("/api/v1/uploads", json=new, headers=HERE).headers["Location"]
    used = place.rpartition("/")[2]
    answer = dashboard.http.post(
        "/api/v1/runs?name=a.json", data=trace_text(), headers=HERE | {"Upload-Id": used}
    )
    assert answer.status_code == 409
    assert rows(dashboard).get(used) is not None, "the other upload is not touched"
