"""Receivers of webhooks on this machine: some answer, some accept connections and hang."""

import http.server
import socket
import ssl
import threading
import time
from contextlib import closing, contextmanager

from tests.support.waiting import PATIENCE_S, wait_until


class Receiver(http.server.ThreadingHTTPServer):
    """A webhook receiver that responds with the statuses of `plan`, then 200, after `delay` seconds
    and when `gate` is set.

    `got` has path, headers and body of each message.
    """

    daemon_threads = True

    def __init__(self, certificate=None):
        self.got, self.plan, self.delay = [], [], 0.0
        self.gate = threading.Event()
        self.gate.set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, self.headers, body))
                time.sleep(receiver.delay)
                receiver.gate.wait(60.0)
                self.send_response(receiver.plan.pop(0) if receiver.plan else 200)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def handle_error(self, request, client_address):
        """Do not report clients that disconnect."""

    @property
    def host(self):
        return f"127.0.0.1:{self.server_port}"

    def wait_for_message(self):
        """Wait until a message has arrived."""
        self.wait_for_messages(1)

    def wait_for_messages(self, count):
        """Wait until `count` messages have arrived."""
        wait_until(lambda: len(self.got) >= count)


@contextmanager
def receiving(certificate=None):
    """Context with a running receiver, with TLS if it gets a `certificate` (see
    `make_certificate`).
    """
    with Receiver(certificate) as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        yield server
        server.shutdown()


class HangingServer:
    """Accepts connections and never responds."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lines = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def port(self):
        return self._listener.getsockname()[1]

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def count(self):
        """Number of connections accepted so far."""
        with self._changed:
            return len(self._lines)

    def wait_for(self, count, patience_s=PATIENCE_S):
        """Wait until `count` connections are accepted."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._lines) >= count, patience_s)

    def close(self):
        """Stop accepting connections, and close the accepted connections."""
        if self._listener.fileno() < 0:
            return
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread, which closing does not
        self._thread.join()
        self._listener.close()
        with self._changed:
            for line in self._lines:
                line.close()

    def _accept(self):
        while True:
            try:
                line = self._listener.accept()[0]
            except OSError:
                return
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()


def holding():
    """Context with a server that accepts connections and never responds."""
    return closing(HangingServer())


@contextmanager
def full_listener(host, port=0):
    """Context with the port of a socket whose queue is full: connections neither succeed nor fail."""
    with socket.create_server((host, port), backlog=0) as listener:
        address = listener.getsockname()[:2]
        with socket.create_connection(address, 30.0):  # fills the queue, nobody accepts it
            yield address[1]
