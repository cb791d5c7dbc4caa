"""Clients that want in, or to do harm, on the wire of a real server where people sign in."""

import contextlib
import json

import pytest

from app.config.settings import Settings
from app.server.connections import UPLOADS_AT_ONCE
from app.server.limits import CALLBACK_LIMIT
from services.store.tokens import make_token
from tests.support.live_server import running
from tests.support.waiting import PATIENCE_S

LARGE = CALLBACK_LIMIT + 1
UPLOADS = ["/api/upload?name=a.json", "/api/v1/runs?name=a.json", "/api/v1/uploads/abc"]


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A server behind a proxy at 127.0.0.2; whoever comes from 127.0.0.1 is a stranger."""
    settings = {
        "auth": "proxy",
        "trusted_proxies": "127.0.0.2",
        "admins": "carol",
        "log_format": "json",
    }
    with running(
        tmp_path_factory.mktemp("live"), "--threads", "2", client_timeout_s=600, **settings
    ) as server:
        yield server


@pytest.fixture(scope="module")
def token(live):
    catalogue = Settings(data=live.data).catalogue()
    text = make_token(catalogue, "ci", "write", "command line tests")[1]
    catalogue.close()
    return text.encode()


@pytest.fixture
def tell(live):
    """Send bytes from an address and return the answers' first lines and the last body."""

    def send(data, source="127.0.0.1"):
        with live.connect(data, source) as connection:
            connection.settimeout(PATIENCE_S)
            received = b""
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(2**16):
                    received += part
        return received

    return send


def asking(*lines, start=b"GET /api/v1/me HTTP/1.1", host=b"Host: localhost", body=b""):
    return b"\r\n".join([start, host, *lines, b"Connection: close", b"", body])


def status(answer):
    return int(answer.split(b" ", 2)[1])


def told(answer):
    return json.loads(answer.rpartition(b"\r\n\r\n")[2])


PROXY = "127.0.0.2"


class TestNames:
    def test_the_proxy_names_people(self, tell):
        answer = tell(asking(b"X-Forwarded-User: carol"), PROXY)
        assert (status(answer), told(answer)["role"]) == (200, "admin")

    @pytest.mark.parametrize(
        "lines",
        [
            (b"X-Forwarded-User: alice", b"X-Forwarded-User: carol"),
            (b"X-Forwarded-User: carol", b"x-forwarded-user: carol"),
            (b"X-Forwarded-User: alice", b" carol"),
            (b"X-Forwarded-User: ca\x00rol",),
            (b"X-Forwarded-User: carol\xc2\xa0",),
            (b"X-Forwarded-User : carol",),
            (b"X-Forwarded-User: alice\rX-Forwarded-User: carol",),
            (b"X-Forwarded-User: alice\nX-Forwarded-User: carol",),
        ],
    )
    def test_a_doubled_or_broken_name_is_no_admin(self, tell, lines):
        answer = tell(asking(*lines), PROXY)
        assert status(answer) in (200, 400, 401)
        assert b"admin" not in answer

    @pytest.mark.parametrize(
        "lines",
        [
            (b"X_Forwarded_User: carol",),
            (b"X-Forwarded_User: carol",),
            (b"HTTP_X_FORWARDED_USER: carol",),
            (b"tilescope.trusted: 1", b"tilescope.peer: 127.0.0.2"),
        ],
    )
    def test_what_looks_like_the_header_is_not_it(self, tell, lines):
        assert status(tell(asking(*lines), PROXY)) == 401
        both = tell(asking(*lines, b"X-Forwarded-User: alice"), PROXY)
        assert (status(both), told(both)["user"]) == (200, "alice")

    @pytest.mark.parametrize("name", [b"X-Forwarded-For", b"X-Real-IP", b"Forwarded", b"Via"])
    def test_a_stranger_is_no_proxy(self, tell, name):
        assert status(tell(asking(b"X-Forwarded-User: carol", name + b": 127.0.0.2"))) == 401


class TestSmuggling:
    HIDDEN = b"GET /api/v1/audit HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-User: carol\r\n\r\n"

    @pytest.mark.parametrize(
        "lines",
        [
            (b"Transfer-Encoding: chunked", b"Content-Length: 4"),
            (b"Content-Length: 4", b"Transfer-Encoding: chunked"),
            (b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"),
            (b"Transfer-Encoding: xchunked",),
            (b"Transfer-Encoding:\x0bchunked",),
            (b"Transfer-Encoding : chunked",),
            (b"Content-Length: 4", b"Content-Length: 9"),
            (b"Content-Length: +4",),
            (b"Content-Length: -1",),
            (b"Content-Length: 0x4",),
            (b"Content-Length: 4, 9",),
        ],
    )
    def test_a_body_has_one_length(self, tell, lines):
        """What follows the body is read as another request only where every proxy would read it so."""
        start = b"POST /api/v1/views HTTP/1.1"
        answer = tell(
            b"\r\n".join([start, b"Host: localhost", *lines, b"", b"0\r\n\r\n" + self.HIDDEN])
        )
        assert answer.count(b"HTTP/1.") <= 2
        assert b'"entries"' not in answer

    @pytest.mark.parametrize("version", [b"1.0", b"0.9", b"2.0", b"1.2"])
    def test_chunks_are_of_one_version(self, tell, version):
        start = b"POST /api/v1/views HTTP/" + version
        body = b"0\r\n\r\n" + self.HIDDEN
        answer = tell(asking(b"Transfer-Encoding: chunked", start=start, body=body))
        assert (status(answer), answer.count(b"HTTP/1.1 ") + answer.count(b"HTTP/1.0 ")) == (400, 1)

    def test_an_upgrade_is_none(self, tell):
        answer = tell(
            asking(b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAAP__", b"Upgrade: websocket")
        )
        assert status(answer) == 401

    @pytest.mark.parametrize(
        "target",
        [
            b"http://localhost/api/v1/audit",
            b"http://evil.example/api/v1/audit",
            b"//evil.example/api/v1/audit",
            b"/api/v1/audit#/healthz",
            b"/healthz/..;/api/v1/audit",
            b"/api/v1/audit\x00/healthz",
            b"healthz/../api/v1/audit",
            b"*",
            b"?/healthz",
        ],
    )
    @pytest.mark.parametrize("method", [b"GET", b"OPTIONS"])
    def test_no_form_of_an_address_opens_it(self, tell, target, method):
        start = method + b" " + target + b" HTTP/1.1"
        assert status(tell(asking(start=start))) in (400, 401, 404, 421)

    @pytest.mark.parametrize(
        "start",
        [b"GET /api/v1/audit", b"GET /api/v1/audit HTTP/0.9", b"get /api/v1/audit HTTP/1.1"],
    )
    def test_no_form_of_a_request_opens_it(self, tell, start):
        assert status(tell(asking(start=start))) in (400, 401)

    @pytest.mark.parametrize(
        "host",
        [
            b"Host: evil.example",
            b"Host: localhost\r\nHost: evil.example",
            b"Host: localhost@evil.example",
            b"Host: ",
        ],
    )
    def test_other_names_are_not_answered(self, tell, token, host):
        answer = tell(asking(b"Authorization: Bearer " + token, host=host))
        assert status(answer) in (400, 421)


class TestBodiesOfNobody:
    @pytest.mark.parametrize("path", UPLOADS)
    @pytest.mark.parametrize(
        "lines",
        [
            (),
            (b"Authorization: Basic YTpi",),
            (b"Authorization: Bearer x",),
            (b"X-Forwarded-User: carol",),
            (b"Cookie: tilescope-session=x",),
        ],
    )
    def test_a_large_file_is_refused_before_it_comes(self, tell, path, lines):
        length = b"Content-Length: %d" % LARGE
        answer = tell(asking(*lines, length, start=f"POST {path} HTTP/1.1".encode()))
        assert status(answer) == 401
        assert b"www-authenticate: bearer" in answer.lower()
        assert set(told(answer)) == {"type", "title", "status", "detail"}

    def test_a_large_file_of_unknown_length_is_refused_on_its_way(self, live):
        start = b"POST /api/v1/runs?name=a.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        with live.connect(start) as sender:
            sender.settimeout(PATIENCE_S)
            with contextlib.suppress(ConnectionError):
                for _ in range(CALLBACK_LIMIT // 2**16 + 2):
                    sender.sendall(b"%x\r\n" % 2**16 + b"x" * 2**16 + b"\r\n")
            assert status(sender.recv(2**16)) == 401

    def test_a_small_one_is_refused_by_the_application(self, tell):
        answer = tell(
            asking(b"Content-Length: 2", start=b"POST /api/v1/runs?name=a HTTP/1.1", body=b"[]")
        )
        assert status(answer) == 401
        assert b"x-request-id" in answer.lower()

    def test_a_token_or_a_proxys_name_may_send_it(self, live, token):
        for line, source in (
            (b"Authorization: Bearer " + token, "127.0.0.1"),
            (b"X-Forwarded-User: carol", PROXY),
        ):
            start = b"POST /api/v1/runs?name=a.json HTTP/1.1\r\nHost: localhost\r\n"
            head = start + line + b"\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % LARGE
            with live.connect(head, source) as sender:
                sender.settimeout(PATIENCE_S)
                assert status(sender.recv(2**16)) == 100

    def test_clients_behind_a_proxy_do_not_take_each_others_places(self, live):
        def begin(stack, client):
            lines = (
                f"X-Forwarded-For: {client}".encode(),
                b"X-Forwarded-User: alice",
                b"Content-Length: 1000",
            )
            start = b"POST /api/upload?name=a.json HTTP/1.1"
            opened = live.connect(asking(*lines, start=start, body=b"["), PROXY)
            opened.settimeout(PATIENCE_S)
            return stack.enter_context(opened)

        with contextlib.ExitStack() as stack:
            for _ in range(UPLOADS_AT_ONCE):
                begin(stack, "198.51.100.4")
            assert status(begin(stack, "198.51.100.4").recv(2**16)) == 429
            other = begin(stack, "198.51.100.5")
            other.sendall(b"1" * 998 + b"]")
            assert status(other.recv(2**16)) == 403


class TestLogs:
    def test_no_secret_is_in_the_log(self, live, tell, token):
        tell(asking(b"Authorization: Bearer " + token, b"Cookie: tilescope-session=hidden-session"))
        tell(
            asking(
                b"Authorization: Bearer tsc_aaaaaaaa_" + b"b" * 48,
                start=b"GET /api/v1/me?token=hidden-token HTTP/1.1",
            )
        )
        log = live.log.read_bytes()
        assert b"/api/v1/me" in log
        assert not [
            secret for secret in (token.split(b"_")[-1], b"b" * 48, b"hidden") if secret in log
        ]

    def test_a_line_of_the_log_is_one_request(self, live, tell):
        tell(asking(start=b"GET /x%0a%7b%22level%22:%22forged%22%7d%0d%0a HTTP/1.1"))
        lines = [line for line in live.log.read_text().splitlines() if "forged" in line]
        assert [json.loads(line)["level"] for line in lines] == ["info"]

    def test_made_up_methods_make_no_series_of_their_own(self, live, tell):
        for number in range(5):
            tell(asking(start=b"MADEUP%d /healthz HTTP/1.1" % number))
        assert b"MADEUP" not in live.request("/metrics")[2]
