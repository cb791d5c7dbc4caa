"""Who a client is: whoever connects, or whom the trusted proxy names."""

from __future__ import annotations

import contextlib
import socket

import pytest
from waitress import wasyncore
from waitress.task import ThreadedTaskDispatcher

from app.server.connections import Server
from app.settings import Settings


def echo(environ, start_response):
    body = f"{environ['REMOTE_ADDR']} {environ.get('HTTP_X_FORWARDED_FOR', '-')}".encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def asked(settings, header):
    """Return what one request by this header makes the application see."""
    threads, connections = ThreadedTaskDispatcher(), {}
    threads.set_thread_count(1)
    with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as stack:
        info = (listener.family, listener.type, listener.proto, listener.getsockname())
        named = {"_sock": listener, "dispatcher": threads, "sockinfo": info, "bind_socket": False}
        server = Server(settings, echo, connections, **named)
        stack.callback(threads.shutdown)
        stack.callback(wasyncore.close_all, connections)
        client = stack.enter_context(socket.create_connection(listener.getsockname(), timeout=0.05))
        client.sendall(f"GET / HTTP/1.1\r\nHost: x\r\n{header}\r\nConnection: close\r\n\r\n".encode())
        received = b""
        while not received.partition(b"\r\n\r\n")[2]:
            wasyncore.loop(timeout=0.05, use_poll=True, map=connections, count=1)
            with contextlib.suppress(TimeoutError):
                received += client.recv(4096)
        server.trigger.close()
    return received.partition(b"\r\n\r\n")[2].decode()


@pytest.mark.parametrize(
    ("proxy", "header", "seen"),
    [
        ("", "X-Forwarded-For: 10.1.1.1", "127.0.0.1 -"),
        ("", "X_Forwarded_For: 10.1.1.1", "127.0.0.1 -"),
        ("127.0.0.2", "X-Forwarded-For: 10.1.1.1", "127.0.0.1 -"),
        ("127.0.0.1", "X-Forwarded-For: 10.1.1.1", "10.1.1.1"),
        ("127.0.0.1", "X-Forwarded-For: 6.6.6.6, 10.1.1.1", "10.1.1.1"),
    ],
)
def test_an_address_is_believed_to_the_proxy_alone(tmp_path, proxy, header, seen):
    assert asked(Settings(data=tmp_path, trusted_proxy=proxy), header).startswith(seen)
