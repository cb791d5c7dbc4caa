"""A receiver of webhooks on this machine."""

import http.server
import ssl
import threading
import time
from contextlib import contextmanager

from tests.support.waiting import wait_until


class Receiver(http.server.ThreadingHTTPServer):
    """Answers with what `plan` says, 200 at its end, after `delay` seconds; `got` has (path, headers, body) of each."""

    daemon_threads = True

    def __init__(self, certificate=None):
        self.got, self.plan, self.delay = [], [], 0.0
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, self.headers, body))
                time.sleep(receiver.delay)
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
        """Say nothing of clients that leave."""

    @property
    def host(self):
        return f"127.0.0.1:{self.server_port}"

    def wait_for_message(self):
        """Wait until a message came."""
        wait_until(lambda: self.got)


@contextmanager
def receiving(certificate=None):
    """Give a receiver that serves, with TLS where it has a certificate (see `make_certificate`)."""
    with Receiver(certificate) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()
