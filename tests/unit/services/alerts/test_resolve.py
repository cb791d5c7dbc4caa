"""Look-ups of names that take long."""

import socket
import threading

import pytest

from services.alerts.errors import AlertError
from services.alerts.resolve import resolve_name
from tests.support.waiting import PATIENCE_S, wait_until


@pytest.mark.parametrize("name", ["no-such-host.invalid", "a" * 70 + ".example.org"])
def test_a_name_without_an_address_has_none(name):
    assert resolve_name(name, 80, 30.0) == ()


def test_a_name_of_this_machine_has_an_address():
    assert "127.0.0.1" in resolve_name("localhost", 80, 30.0)


def test_zones_of_addresses_are_left_out(monkeypatch):
    rows = [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("fe80::1%eth0", 80, 0, 2))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_more, **_named: rows)
    assert resolve_name("near.example.org", 80, 30.0) == ["fe80::1"]


def test_attempts_for_a_name_share_one_look_up_that_hangs(monkeypatch):
    asked, answers = [], threading.Event()

    def hang(name, *_more, **_named):
        asked.append(name)
        answers.wait(PATIENCE_S)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    for _ in range(3):
        with pytest.raises(AlertError, match="in time"):
            resolve_name("slow.example.org", 80, 0.02)
    wait_until(lambda: asked)
    assert asked == ["slow.example.org"]
    answers.set()
    assert resolve_name("slow.example.org", 80, PATIENCE_S) == ["192.0.2.1"]


def test_a_thread_that_cannot_start_spoils_no_later_attempt(monkeypatch):
    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            resolve_name("localhost", 80, 30.0)
    assert resolve_name("localhost", 80, 30.0)
