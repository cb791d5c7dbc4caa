"""Connections to sockets of this machine that end in time."""

import socket
import time

import pytest

from services.alerts.connections import connect_first, shut_down_at_deadline
from tests.support.receivers import full_listener, holding

pytestmark = pytest.mark.own_clock
LONG = 30.0


def test_the_next_address_is_connected_to_if_one_never_answers():
    with holding() as server, full_listener("127.0.0.2", server.port) as port:
        line = connect_first(["127.0.0.2", "127.0.0.1"], port, time.monotonic() + 4.0)
        with line:
            assert line.getpeername() == ("127.0.0.1", server.port)


def test_connecting_ends_in_time_if_no_address_answers():
    with full_listener("127.0.0.2") as port, pytest.raises(TimeoutError):
        connect_first(["127.0.0.2"], port, time.monotonic() + 0.1)


def test_nothing_is_connected_to_after_the_time():
    with holding() as server:
        with pytest.raises(TimeoutError):
            connect_first(["127.0.0.1"], server.port, time.monotonic() - 1.0)
        assert server.count() == 0


def test_a_read_ends_at_the_moment_although_the_socket_has_no_timeout():
    with (
        holding() as server,
        connect_first(["127.0.0.1"], server.port, time.monotonic() + LONG) as line,
    ):
        line.settimeout(None)
        with shut_down_at_deadline(line, time.monotonic() + 0.05):
            assert line.recv(1) == b""


def test_the_end_costs_nothing_if_the_connection_ended_before():
    near, far = socket.socketpair()
    with far, shut_down_at_deadline(near, time.monotonic() - 1.0):
        near.close()
        assert far.recv(1) == b""
