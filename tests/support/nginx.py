"""nginx with the project's configuration in front of servers on this machine."""

import contextlib
import http.server
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.services import asked
from tests.support.waiting import PATIENCE_S, wait_until

DEPLOY = Path(__file__).parents[2] / "deploy"
_AROUND = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/upstreams.conf;
    include {folder}/tilescope.conf;
}}
"""


class _SignIn(http.server.BaseHTTPRequestHandler):
    """Responds as oauth2-proxy does: a request with the cookie `who=NAME` is signed in as NAME."""

    def do_GET(self):
        who = self.headers.get("Cookie", "").partition("who=")[2]
        if self.path == "/oauth2/auth":
            self.send_response(202 if who else 401)
            self.send_header("X-Auth-Request-Email", who or "nobody@example.org")
        else:
            self.send_response(302)
            self.send_header(
                "Location", f"/provider?back={self.headers.get('X-Auth-Request-Redirect')}"
            )
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def sign_in():
    """Context with the port of a stand-in for oauth2-proxy."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _SignIn)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def nginx(folder, servers, sign_in_port):
    """Context with the port of nginx in front of servers of Tilescope at the ports `servers`."""
    port, program = free_port(), shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.fail("nginx is missing: run `make services`")
    folder.mkdir()
    upstreams = (DEPLOY / "nginx-upstreams.conf").read_text()
    for written, real in (("8050", servers[0]), ("8051", servers[-1]), ("4180", sign_in_port)):
        upstreams = upstreams.replace(f"127.0.0.1:{written}", f"127.0.0.1:{real}")
    (folder / "upstreams.conf").write_text(upstreams)
    text = (DEPLOY / "nginx.conf").read_text().replace("listen 8080;", f"listen 127.0.0.1:{port};")
    (folder / "tilescope.conf").write_text(text)
    (folder / "nginx.conf").write_text(_AROUND.format(folder=folder))
    command = [program, "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"]
    process = subprocess.Popen([*map(str, command)])
    try:
        log = folder / "error.log"
        wait_until(
            lambda: asked(port, "GET", "/metrics"),
            OSError,
            about=lambda: log.exists() and log.read_text(),
        )
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
