"""Uploads at once: two are ingested, few wait, and all others are refused."""

from types import SimpleNamespace

import pytest
from flask import Flask

from app.errors import RequestError
from app.server import taking
from app.server.taking import Taking
from app.settings import Settings


@pytest.mark.parametrize("threads", [3, 8])
def test_while_two_are_ingested_others_are_refused_and_leave_no_place_taken(tmp_path, monkeypatch, threads):
    monkeypatch.setattr(taking, "_BRIEFLY_S", 0.01)
    monkeypatch.setattr(taking, "_LONGEST_WAIT_S", 0.01)
    line = Taking(SimpleNamespace(settings=Settings(data=tmp_path, threads=threads)))
    client = Flask("test").test_request_context(environ_base={"REMOTE_ADDR": "10.0.0.1"})
    with client, line.turn(), line.turn():
        for _ in range(12):
            with pytest.raises(RequestError) as refused, line.turn():
                pytest.fail("a third was let in")
            assert (refused.value.status, refused.value.retry_after_s) == (429, 5)
    with Flask("test").test_request_context(), line.turn(), line.turn():
        pass
