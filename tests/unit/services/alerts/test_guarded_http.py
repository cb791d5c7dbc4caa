"""POSTs to servers on this machine: what arrives, and when an attempt fails."""

import socket
import threading
from contextlib import contextmanager

import pytest

from services.alerts.addresses import Target, parse_target
from services.alerts.errors import SendError
from services.alerts.guarded_http import post, request
from tests.support.certificates import make_certificate
from tests.support.receivers import receiving

HERE = "127.0.0.1,localhost,::1"
LONG = 120.0
LASTING = 3_000
"""Number of parts that take a minute to send."""
BODY = b'{"a": 1}'


def target_of(server, scheme="http", host="127.0.0.1"):
    return parse_target(f"{scheme}://{host}:{server.server_port}/hidden?x=1", HERE)


@contextmanager
def answering(*parts, pause_s=0.0):
    """Give the target of a server that answers one connection with these bytes and hangs up."""
    ended = threading.Event()

    def serve():
        with listener.accept()[0] as line:
            try:
                line.recv(65_536)
                for part in parts:
                    line.sendall(part)
                    if ended.wait(pause_s):
                        return
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield Target("http", "127.0.0.1", listener.getsockname()[1], "/")
        ended.set()
        thread.join(LONG)


def test_body_path_and_headers_arrive():
    with receiving() as server:
        post(target_of(server), HERE, BODY, {"X-Own": "1"}, LONG)
    ((path, headers, body),) = server.got
    assert (path, headers["X-Own"], body) == ("/hidden?x=1", "1", BODY)
    assert headers["Host"] == f"127.0.0.1:{server.server_port}"


def test_a_listed_name_is_asked_by_name():
    with receiving() as server:
        post(target_of(server, host="localhost"), HERE, BODY, {}, LONG)
    assert server.got[0][1]["Host"] == f"localhost:{server.server_port}"


def test_the_next_address_of_a_name_is_asked_where_one_does_not_answer(monkeypatch):
    rows = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 0))
        for host in ("127.0.0.2", "127.0.0.1")
    ]
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *more, **named: rows if host == "two.test" else real(host, *more, **named),
    )
    with receiving() as server:
        hosts = "two.test,127.0.0.0/8"
        target = parse_target(f"http://two.test:{server.server_port}/", hosts)
        post(target, hosts, BODY, {}, LONG)
    assert len(server.got) == 1


def test_a_name_that_leads_to_an_address_that_is_not_listed_is_not_asked():
    with receiving() as server:
        with pytest.raises(SendError, match="not public"):
            post(target_of(server, host="localhost"), "localhost", BODY, {}, LONG)
        assert server.got == []


@pytest.mark.parametrize("status", [300, 301, 400, 503])
def test_a_status_that_is_no_success_fails_and_nothing_else_is_asked(status):
    with receiving() as server:
        server.plan = [status]
        with pytest.raises(SendError, match=str(status)) as failed:
            post(target_of(server), HERE, BODY, {}, LONG)
    assert len(server.got) == 1
    assert "hidden" not in str(failed.value)


def test_no_proxy_is_asked(monkeypatch):
    with receiving() as server, receiving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        post(target_of(server), HERE, BODY, {}, LONG)
    assert (len(server.got), proxy.got) == (1, [])


@pytest.mark.parametrize(
    "answer", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 " + b"x" * 70_000]
)
def test_what_is_no_answer_of_http_fails(answer):
    with answering(answer) as target, pytest.raises(SendError, match=target.host):
        post(target, HERE, BODY, {}, LONG)


@pytest.mark.parametrize(
    "parts", [[b"HTTP/1.1 100 Continue\r\n\r\n"] * LASTING, [b"H"] * LASTING, [b""] * LASTING]
)
def test_an_answer_that_does_not_end_fails_in_time(parts):
    with answering(*parts, pause_s=0.02) as target, pytest.raises(SendError, match="in time"):
        post(target, HERE, BODY, {}, 0.1)


def test_nobody_is_asked_after_the_time():
    with receiving() as server:
        with pytest.raises(SendError, match="in time"):
            post(target_of(server), HERE, BODY, {}, 0.0)
        assert server.got == []


def test_a_server_that_is_not_there_is_named_by_its_place():
    with receiving() as server:
        target = target_of(server)
    with pytest.raises(SendError, match=target.place) as failed:
        post(target, HERE, BODY, {}, LONG)
    assert "hidden" not in str(failed.value)


class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path):
        return make_certificate(tmp_path, "localhost")

    def test_a_message_arrives_where_the_certificate_names_the_host(self, certificate, monkeypatch):
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        with receiving(certificate) as server:
            post(target_of(server, "https", "localhost"), HERE, BODY, {}, LONG)
            with pytest.raises(SendError, match="TLS"):
                post(target_of(server, "https"), HERE, BODY, {}, LONG)
        assert [body for _, _, body in server.got] == [BODY]

    def test_a_certificate_that_nobody_vouches_for_is_refused(self, certificate):
        with receiving(certificate) as server, pytest.raises(SendError, match="TLS"):
            post(target_of(server, "https", "localhost"), HERE, BODY, {}, LONG)
        assert server.got == []

    def test_a_server_that_speaks_no_tls_is_refused(self):
        with answering(b"HTTP/1.1 200 OK\r\n\r\n") as target, pytest.raises(SendError):
            post(Target("https", *(target.host, target.port, "/")), HERE, BODY, {}, LONG)

    # Python's ssl leaves a socket to be collected whose connection was reset just before the handshake.
    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    @pytest.mark.parametrize(
        "parts", [[b""] * LASTING, [b"\x16\x03\x03\x3f\xff", *[b"\x02"] * LASTING]]
    )
    def test_a_handshake_that_does_not_end_fails_in_time(self, parts):
        with answering(*parts, pause_s=0.02) as target, pytest.raises(SendError, match="in time"):
            post(Target("https", *(target.host, target.port, "/")), HERE, BODY, {}, 0.1)


def read(target, max_bytes):
    return request("GET", target, HERE, body=b"", headers={}, timeout_s=LONG, max_bytes=max_bytes)


def test_a_body_is_read_up_to_a_maximum():
    whole = b"HTTP/1.1 404 Not Found\r\nX-Own: 1\r\nContent-Length: 4\r\n\r\nbody"
    with answering(whole) as target:
        response = read(target, 4)
    assert (response.status, response.headers["x-own"], response.body) == (404, "1", b"body")
    with answering(whole) as target, pytest.raises(SendError):
        read(target, 3)


def test_a_body_that_ends_early_is_a_failure():
    with (
        answering(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]") as target,
        pytest.raises(SendError),
    ):
        read(target, 100)
