"""The dashboard as users run it: processes of its own, on a port of its own."""

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
"""A machine under load is slow, not wrong."""


@dataclass
class LiveServer:
    """A server that runs; `options` of `request` are those of http.client."""

    port: int
    data: Path
    log: Path
    process: subprocess.Popen

    def request(self, path="/health", method="GET", body=None, headers=None):
        """Return status, headers and body of one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def connect(self, data=b"", source="127.0.0.1"):
        """Return a connection from an address of this machine that has sent these bytes and no more."""
        opened = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S, source_address=(source, 0))
        opened.sendall(data)
        return opened


@contextlib.contextmanager
def running(folder, *arguments, environment=None, **settings):
    """Start a server on a store in `folder`, with settings by name, and end it afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "app", "serve", "--data", str(folder / "data"), "--port", str(port), *arguments]
    named = {f"TILESCOPE_{name.upper()}": str(value) for name, value in settings.items()}
    log = folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | named | (environment or {}), stdout=output, stderr=output
        )
    server = LiveServer(port, folder / "data", log, process)
    try:
        _wait_for(server)
        yield server
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=PATIENCE_S)


def _wait_for(server):
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            server.request()
            return
        time.sleep(0.05)
    raise TimeoutError(server.log.read_text())
