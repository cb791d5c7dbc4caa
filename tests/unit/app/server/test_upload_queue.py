"""Uploads at once: two are ingested, few wait, and all others are refused."""

import queue
import threading
from types import SimpleNamespace

import pytest
from flask import Flask

from app.config.settings import Settings
from app.request.errors import RequestError
from app.server import upload_queue as taking
from app.server.upload_queue import UploadQueue
from tests.support.waiting import PATIENCE_S


@pytest.mark.parametrize("threads", [3, 8])
def test_while_two_are_ingested_others_are_refused_and_leave_no_place_taken(
    tmp_path, monkeypatch, threads
):
    monkeypatch.setattr(taking, "_BRIEFLY_S", 0.01)
    monkeypatch.setattr(taking, "_MAX_WAIT_S", 0.01)
    line = UploadQueue(SimpleNamespace(settings=Settings(data=tmp_path, threads=threads)))
    client = Flask("test").test_request_context(environ_base={"REMOTE_ADDR": "10.0.0.1"})
    with client, line.turn(), line.turn():
        for _ in range(12):
            with pytest.raises(RequestError) as refused, line.turn():
                pytest.fail("a third was let in")
            assert (refused.value.status, refused.value.retry_after_s) == (429, 5)
    with Flask("test").test_request_context(), line.turn(), line.turn():
        pass


@pytest.mark.parametrize("threads", range(2, 9))
def test_one_thread_is_left_for_pages_whoever_waits(tmp_path, monkeypatch, threads):
    monkeypatch.setattr(taking, "_BRIEFLY_S", 0.01)
    line = UploadQueue(SimpleNamespace(settings=Settings(data=tmp_path, threads=threads)))
    app, ended, done = Flask("test"), threading.Event(), queue.SimpleQueue()

    def come(address):
        with app.test_request_context(environ_base={"REMOTE_ADDR": address}):
            try:
                with line.turn():
                    ended.wait()
            except RequestError as refused:
                done.put(refused.status)

    many = [
        threading.Thread(target=come, args=(f"10.0.0.{number}",)) for number in range(2 * threads)
    ]
    for thread in many:
        thread.start()
    try:
        refused = [done.get(timeout=PATIENCE_S) for _ in range(threads + 1)]
        assert refused == [429] * len(refused)
    finally:
        ended.set()
        for thread in many:
            thread.join()
