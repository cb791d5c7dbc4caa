"""What a client gets, and who it is: whoever connects, or whom the trusted proxy names."""

import contextlib
import socket
import time

import pytest
from waitress import wasyncore
from waitress.task import ThreadedTaskDispatcher

from app.config.settings import Settings
from app.server.access.proxies import behind
from app.server.connections import Listener
from app.server.event_loop import EventLoop


def echo(environ, start_response):
    body = f"{environ['REMOTE_ADDR']} {environ.get('HTTP_X_FORWARDED_FOR', '-')}".encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]


@contextlib.contextmanager
def serving(settings, application):
    """Give a server of one thread, what takes a turn of its loop, and a connected client."""
    threads, loop = ThreadedTaskDispatcher(), EventLoop()
    threads.set_thread_count(1)
    with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as stack:
        info = (listener.family, listener.type, listener.proto, listener.getsockname())
        named = {"_sock": listener, "dispatcher": threads, "sockinfo": info, "bind_socket": False}
        server = Listener(
            settings, application, loop.connections, slow=threads, is_slow=lambda *_: False, **named
        )
        stack.callback(loop.close)
        stack.callback(server.trigger.close)
        stack.callback(threads.shutdown)
        stack.callback(wasyncore.close_all, loop.connections)
        client = stack.enter_context(socket.create_connection(listener.getsockname(), timeout=0.05))
        yield server, lambda: loop.turn(0.05), client


def received(turn, client):
    """Return what the server sends until it closes."""
    parts = []
    while not parts or parts[-1]:
        turn()
        with contextlib.suppress(TimeoutError):
            parts.append(client.recv(2**20))
    return b"".join(parts)


def asked(settings, header):
    """Return what one request by this header makes the application see."""
    with serving(settings, behind(settings.proxies, echo)) as (_, turn, client):
        client.sendall(
            f"GET / HTTP/1.1\r\nHost: x\r\n{header}\r\nConnection: close\r\n\r\n".encode()
        )
        return received(turn, client).partition(b"\r\n\r\n")[2].decode()


@pytest.mark.slow
def test_time_to_take_an_answer_begins_when_it_is_there(tmp_path):
    size = 2**24

    def application(_environ, start_response):
        start_response("200 OK", [("Content-Length", str(size))])
        return [b"x" * size]

    with serving(Settings(data=tmp_path, client_timeout_s=600), application) as (
        server,
        turn,
        client,
    ):
        wake = server.pull_trigger
        server.pull_trigger = lambda: (server.maintenance(time.time()), wake())
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert received(turn, client).count(b"x") == size


@pytest.mark.parametrize(
    ("proxy", "header", "seen"),
    [
        ("", "X-Forwarded-For: 10.1.1.1", "127.0.0.1 10.1.1.1"),
        ("", "X_Forwarded_For: 10.1.1.1", "127.0.0.1 -"),
        ("127.0.0.2, 10.0.0.0/8", "X-Forwarded-For: 10.1.1.1", "127.0.0.1 10.1.1.1"),
        ("127.0.0.0/8", "X-Forwarded-For: 10.1.1.1", "10.1.1.1"),
        ("127.0.0.1", "X-Forwarded-For: 6.6.6.6, 10.1.1.1", "10.1.1.1"),
    ],
)
def test_an_address_is_believed_to_the_proxy_alone(tmp_path, proxy, header, seen):
    assert asked(Settings(data=tmp_path, trusted_proxies=proxy), header).startswith(seen)
