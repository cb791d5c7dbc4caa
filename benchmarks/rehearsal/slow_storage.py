"""A proxy in front of an object storage that delays requests and refuses some of them."""

from __future__ import annotations

import http.client
import http.server
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

_HOP = frozenset({"connection", "keep-alive", "transfer-encoding"})
"""Headers that a proxy does not forward."""
_REFUSAL = b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"


@dataclass
class SlowStorage:
    """An object storage behind a proxy.

    `delay_s` and `failing` (a share of requests) may be changed while it runs. `requests` and
    `refused` count requests.
    """

    upstream: str
    delay_s: float = 0.0
    failing: float = 0.0
    endpoint: str = ""
    requests: int = 0
    refused: int = 0


@contextmanager
def slow_storage(upstream: str) -> Iterator[SlowStorage]:
    """Start a proxy, at first without delay and refusals, and yield its storage."""
    storage = SlowStorage(upstream)
    drawn = random.Random(5)  # noqa: S311 - no secret
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                storage.requests += 1
                is_refused = drawn.random() < storage.failing
                storage.refused += is_refused
            time.sleep(storage.delay_s)
            if is_refused:
                self.reply(503, [("Content-Type", "application/xml")], _REFUSAL)
            else:
                self.reply(*self.upstream_response(body))

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward  # noqa: N815 - what the base class looks for

        def upstream_response(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
            connection = http.client.HTTPConnection(urlsplit(storage.upstream).netloc, timeout=60)
            try:
                connection.request(self.command, self.path, body, dict(self.headers))
                response = connection.getresponse()
                return response.status, response.getheaders(), response.read()
            except OSError:
                return 502, [], b""
            finally:
                connection.close()

        def reply(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            names = {name.lower() for name, _ in headers}
            for name, value in headers:
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            # HTTP/1.1 keeps the connection, so that only the length tells where the body ends.
            if "content-length" not in names:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            # A client would read a body after HEAD as the beginning of the next response.
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        storage.endpoint = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield storage
        server.shutdown()
