"""A mail server on this machine."""

import base64
import socketserver
import ssl
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass

_TRICKLED, _SILENT_S = 3_000, 60.0
"""Bytes of a slow reply, and seconds of silence instead of a reply."""


@dataclass(frozen=True)
class Mail:
    """A received message; `login` is the (user, password) of its sign-in, None without sign-in."""

    sender: str
    receivers: tuple
    content: bytes
    login: tuple | None
    is_encrypted: bool


class Conversation(socketserver.BaseRequestHandler):
    """One connection; `server.replies` maps a verb to the reply that replaces the usual reply."""

    def handle(self):
        self.line, self.login, self.is_encrypted = self.request, None, False
        with suppress(OSError):
            if self.server.is_tls:
                self.encrypt()
            self.converse()

    def finish(self):
        self.line.close()

    def encrypt(self):
        self.line = self.server.context.wrap_socket(self.line, server_side=True)
        self.is_encrypted = True

    def say(self, text):
        self.line.sendall(text.encode() + b"\r\n")

    def read(self):
        line = b""
        while not line.endswith(b"\n"):
            byte = self.line.recv(1)
            if not byte:
                raise ConnectionError
            line += byte
        return line

    def converse(self):
        if not self.answers_otherwise("greeting"):
            self.say("220 mail.example.org")
        while True:
            words = self.read().decode().split()
            verb = words[0].upper()
            self.server.verbs.append(verb)
            if not self.answers_otherwise(verb):
                getattr(self, f"on_{verb.lower()}")(words)
            if verb == "QUIT":
                return

    def answers_otherwise(self, verb):
        reply = self.server.replies.get(verb)
        if reply == "hang up":
            raise ConnectionError
        if reply == "trickle":
            for _ in range(_TRICKLED):
                self.line.sendall(b"2")
                self.server.is_ended.wait(0.02)
        if reply == "silence":
            self.server.is_ended.wait(_SILENT_S)
        if reply in ("trickle", "silence"):
            self.server.is_through = True
        elif reply:
            self.say(reply)
        return bool(reply)

    def on_ehlo(self, _words):
        can_encrypt = self.server.has_starttls and not self.is_encrypted
        offers = ["mail.example.org", "AUTH PLAIN", *(["STARTTLS"] if can_encrypt else [])]
        for offer in offers:
            self.say(f"250-{offer}")
        self.say("250 8BITMIME")

    def on_starttls(self, _words):
        self.say("220 go on")
        self.encrypt()

    def on_auth(self, words):
        self.login = tuple(base64.b64decode(words[2]).decode().split("\0")[1:])
        self.say("235 welcome")

    def on_mail(self, words):
        self.sender, self.receivers = words[1].partition(":")[2].strip("<>"), []
        self.say("250 yes")

    def on_rcpt(self, words):
        self.receivers.append(words[1].partition(":")[2].strip("<>"))
        self.say("250 yes")

    def on_rset(self, _words):
        self.say("250 yes")

    def on_data(self, _words):
        self.say("354 go on")
        lines = []
        while (line := self.read()) != b".\r\n":
            lines.append(line.removeprefix(b"."))
        mail = Mail(
            self.sender, tuple(self.receivers), b"".join(lines), self.login, self.is_encrypted
        )
        self.server.got.append(mail)
        self.say("250 taken")

    def on_quit(self, _words):
        self.say("221 bye")


class MailServer(socketserver.ThreadingTCPServer):
    """`got` has the received messages, `verbs` the commands of clients; `certificate` is a result
    of `make_certificate`.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, certificate=None, is_tls=False, host="127.0.0.1"):
        self.got, self.verbs, self.replies = [], [], {}
        self.is_tls, self.has_starttls = is_tls, certificate is not None and not is_tls
        self.is_ended, self.is_through = threading.Event(), False
        if certificate is not None:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)
        super().__init__((host, 0), Conversation)

    @property
    def port(self):
        return self.server_address[1]

    def handle_error(self, request, client_address):
        """Do not report clients that disconnect."""


@contextmanager
def mail_server(**given):
    """Context with a running mail server."""
    with MailServer(**given) as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        yield server
        server.is_ended.set()
        server.shutdown()
