"""A running server as users have it: processes of its own, on a port of its own."""

import contextlib
import http.client
import os
import signal
import socket
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_S, wait_until
from tests.support.warm_processes import SERVER, ForkedProcess, WarmProcess

WARM = WarmProcess(SERVER)
PATIENT = {"TILESCOPE_READER_CLOCK_S": "600"}
"""Raises a time limit that a busy machine could reach; a test can set another limit."""


@dataclass
class LiveServer:
    """A server in processes of its own on port `port` of this machine."""

    port: int
    data: Path
    log: Path
    arguments: list[str]
    environment: dict[str, str]
    process: ForkedProcess | None = field(init=False, default=None)

    def start(self):
        """Start the server in a process group of its own and wait until it responds."""
        with self.log.open("a") as output:
            self.process = WARM.fork(self.arguments, self.environment, output, output)
        wait_until(self.request, OSError, about=self.log.read_text)

    def kill(self):
        """Kill the server and its workers, whatever they are doing."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=PATIENCE_S)

    def request(self, path="/health", method="GET", body=None, headers=None):
        """Send a request on a connection of its own; return (status, headers, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def connect(self, data=b"", source="127.0.0.1"):
        """Open a connection from address `source` of this machine, send `data`, and return the open
        socket.
        """
        opened = socket.create_connection(
            ("127.0.0.1", self.port), timeout=PATIENCE_S, source_address=(source, 0)
        )
        opened.sendall(data)
        return opened


@contextlib.contextmanager
def running(folder, *arguments, environment=None, **settings):
    """Context with a server on a store in `folder`; `settings` are passed as environment variables
    by name.
    """
    port = free_port()
    command = ["app", "serve", "--data", str(folder / "data"), "--port", str(port), *arguments]
    named = {f"TILESCOPE_{name.upper()}": str(value) for name, value in settings.items()}
    everything = os.environ | PATIENT | named | (environment or {})
    server = LiveServer(port, folder / "data", folder / "server.log", command, everything)
    try:
        server.start()
        yield server
    finally:
        if server.process is not None:  # else it did not start, which is the error to report
            server.process.terminate()
            server.process.wait(timeout=PATIENCE_S)
