"""A receiver of webhooks on this machine."""

import http.server
import threading
import time
from contextlib import contextmanager


class Receiver(http.server.ThreadingHTTPServer):
    """Answers with what `plan` says, 200 at its end, after `delay` seconds; `got` has (path, headers, body) of each."""

    daemon_threads = True

    def __init__(self):
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

    @property
    def host(self):
        return f"127.0.0.1:{self.server_port}"

    def wait_for_message(self, patience_s=60.0):
        """Wait until a message came."""
        end = time.monotonic() + patience_s
        while not self.got and time.monotonic() < end:
            time.sleep(0.05)


@contextmanager
def receiving():
    """Give a receiver that serves."""
    with Receiver() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
