"""Slow clients cost a connection and no thread: a real server, real sockets."""

import contextlib
import http.client
import json
import select
import signal

import pytest

from app.server.connections import MAX_CONNECTIONS, UPLOADS_AT_ONCE
from app.server.limits import CALLBACK_LIMIT, HEADER_LIMIT
from tests.support.aie_trace import trace_text
from tests.support.live_server import running
from tests.support.waiting import PATIENCE_S

HEADER = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
BODY = b"POST /_dash-update-component HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
UPLOAD = (
    b"POST /api/upload?name=a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n["
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of two threads that waits long for its clients."""
    with running(
        tmp_path_factory.mktemp("patient"), "--threads", "2", client_timeout_s=600, max_upload_mb=8
    ) as live:
        yield live


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """A server that waits a second."""
    with running(tmp_path_factory.mktemp("strict"), "--threads", "2", client_timeout_s=1) as live:
        yield live


@pytest.fixture
def opened(server):
    """Open connections that have sent a beginning."""
    with contextlib.ExitStack() as stack:
        yield lambda data, count: [stack.enter_context(server.connect(data)) for _ in range(count)]


def is_silent(connection):
    return not select.select([connection], [], [], 0)[0]


def closes(connection):
    """Return what the server sends until it closes."""
    connection.settimeout(PATIENCE_S)
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(2**16):
            received += part
    return received


@pytest.mark.parametrize(
    "beginning", [b"", HEADER, BODY], ids=["silent", "half a header", "half a body"]
)
def test_slow_clients_hold_no_thread(server, opened, beginning: bytes):
    slow = opened(beginning, 50)
    assert server.request()[0] == 200
    assert server.request("/_dash-layout")[0] == 200
    assert all(map(is_silent, slow)), "they are still there"


def test_one_byte_at_a_time_is_a_request_at_last(server, opened):
    slow = opened(b"", 1)[0]
    for byte in HEADER + b"Connection: close\r\n\r\n":
        slow.sendall(bytes([byte]))
    assert closes(slow).startswith(b"HTTP/1.1 200")


def test_more_connections_than_are_kept_leave_room_for_the_next(server, opened):
    first, *_ = opened(b"", MAX_CONNECTIONS + 20)
    assert server.request()[0] == 200
    assert closes(first) == b""


def test_an_answer_that_nobody_takes_holds_no_thread(server, opened):
    script = "/_dash-component-suites/plotly/package_data/plotly.min.js"
    assert len(server.request(script)[2]) > 2**20
    opened(f"GET {script} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), 20)
    assert server.request()[0] == 200


@pytest.mark.parametrize(
    "beginning", [b"", HEADER, BODY], ids=["silent", "half a header", "half a body"]
)
def test_who_is_too_slow_is_cut_off(strict, beginning: bytes):
    with strict.connect(beginning) as slow:
        assert closes(slow) == b""


def test_bytes_that_trickle_do_not_buy_time(strict):
    with strict.connect(BODY) as slow:
        slow.settimeout(0.05)
        with pytest.raises((ConnectionError, AssertionError)):
            for _ in range(20 * PATIENCE_S):
                with contextlib.suppress(TimeoutError):
                    assert slow.recv(1)
                slow.sendall(b" ")


def test_a_header_has_an_end(server):
    with server.connect(HEADER + b"X: " + b"x" * (HEADER_LIMIT + 1)) as endless:
        assert closes(endless).startswith(b"HTTP/1.0 431")


@pytest.mark.parametrize("path", ["/_dash-update-component", "/health", "/nonsense"])
def test_a_body_that_is_too_large_is_refused_before_it_is_sent(server, path: str):
    size = CALLBACK_LIMIT + 1
    with server.connect(
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode()
    ) as large:
        head, _, body = closes(large).partition(b"\r\n\r\n")
    assert b" 413 " in head.splitlines()[0]
    assert set(json.loads(body)) == {"type", "title", "status", "detail"}


def test_a_body_that_is_too_large_does_not_cost_the_answer(server):
    assert server.request("/api/upload?name=a.json", "POST", b"x" * (9 * 2**20))[0] == 413


def test_an_address_sends_a_bounded_number_of_uploads_at_once(server, opened):
    opened(UPLOAD, UPLOADS_AT_ONCE)
    status, headers, body = server.request(
        "/api/upload?name=a.json", "POST", trace_text().encode() * 2
    )
    assert status == 429
    assert int(headers["Retry-After"]) > 0
    assert set(json.loads(body)) == {"type", "title", "status", "detail"}
    assert server.request()[0] == 200


def test_a_large_file_arrives_whole(server):
    text = trace_text().encode().ljust(6 * 2**20)
    status, _, body = server.request("/api/upload?name=trace_mm_64_64_64.json", "POST", text)
    assert status == 200, body
    assert (
        server.request(f"/export/{json.loads(body)['runs'][0]['run_id']}/events.parquet")[0] == 200
    )


def test_a_chunked_upload_arrives_whole(server):
    parts = iter([trace_text().encode(), b" " * 70_000])
    headers = {"Transfer-Encoding": "chunked"}
    with contextlib.closing(
        http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    ) as connection:
        connection.request("POST", "/api/upload?name=t.json", parts, headers, encode_chunked=True)
        assert connection.getresponse().status == 200


def test_a_process_that_stops_finishes_what_was_begun(tmp_path):
    with running(tmp_path, "--workers", "2") as live:
        header = (
            UPLOAD.removesuffix(b"\r\n[").replace(b"1000", b"5") + b"Expect: 100-continue\r\n\r\n"
        )
        with live.connect(header) as begun:
            assert b" 100 " in begun.recv(100)
            live.process.send_signal(signal.SIGTERM)
            begun.sendall(b"[1,2]")
            assert b" 422 " in closes(begun).splitlines()[0]
        assert live.process.wait(PATIENCE_S) == 0
    assert "Traceback" not in live.log.read_text()


def test_what_a_killed_server_left_behind_is_gone_when_it_starts_again(tmp_path):
    scratch = tmp_path / "tmp"
    left = [
        tmp_path / "data" / "uploads" / "tilescope-upload",
        scratch / "tilescope-scratch-reader",
    ]
    for folder in left:
        folder.mkdir(parents=True)
        (folder / "part").write_text("half")
    with running(tmp_path, environment={"TMPDIR": str(scratch)}):
        assert not any(folder.exists() for folder in left)
