"""From the page of a run into Perfetto, for which a window stands in that speaks the handshake."""

import json
import queue
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import serving

UI = b"""<!doctype html><title>Perfetto</title><script>
addEventListener("message", (event) => {
    if (event.data === "PING") {
        event.source.postMessage("PONG", event.origin);
    } else if (event.data.perfetto) {
        const { buffer, title, url } = event.data.perfetto;
        const bytes = new Uint8Array(buffer);
        const told = { size: bytes.length, gzip: bytes[0] === 31 && bytes[1] === 139, title, url };
        fetch("/got", { method: "POST", body: JSON.stringify(told) });
    }
});
</script>"""


@contextmanager
def stand_in():
    """Serve the stand-in; give its address, and a queue of what it was handed."""
    handed = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_words):
            """Say nothing."""

        def do_GET(self):
            self._answer(UI)

        def do_POST(self):
            handed.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer(b"")

        def _answer(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handed
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def perfetto():
    with stand_in() as (address, handed):
        yield address, handed


@pytest.fixture(scope="module")
def linked(data, perfetto):
    """A server that opens runs in the stand-in."""
    with serving(data, perfetto_url=perfetto[0]) as address:
        yield address


@pytest.mark.slow
def test_a_run_opens_in_perfetto(tabs, linked, perfetto):
    ui, handed = perfetto
    with tabs.watched(linked, beside=(ui,)) as page:
        run = page.request.get("/api/v1/runs?source=aie").json()["runs"][0]["run_id"]
        page.goto(f"/run/{run}")
        with page.context.expect_page() as bridge:
            page.get_by_role("link", name="Open in Perfetto").click()
        with page.context.expect_page():
            bridge.value.get_by_role("button", name="Open in Perfetto").click()
        told = handed.get(timeout=60)
        assert told["gzip"]
        assert told["size"] > 100  # of whatever small capture comes first in the list
        assert told["url"] == f"{linked}/run/{run}"
        assert told["title"]
        expect(bridge.value.get_by_role("status")).to_contain_text("has the trace")
