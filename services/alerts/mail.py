"""Mail of alerts through the server of setting `smtp_url`."""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from urllib.parse import unquote, urlsplit

from services.alerts.connections import connect_first, shut_down_at_deadline
from services.alerts.errors import AlertError, SendError
from services.alerts.resolve import resolve_name

_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?"
)
"""Addresses of a mailbox: ASCII, without display name or quoted parts."""
_PORTS = {"smtp": 25, "smtps": 465}
"""Default port by scheme."""
_LOCAL = ("127.0.0.1", "::1", "localhost")
"""Hosts to which a password may be sent without encryption."""


@dataclass(frozen=True)
class MailServer:
    """A mail server; without `user` there is no login. `repr` does not show the password."""

    is_tls: bool
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)


def is_mail_address(text: str) -> bool:
    """Whether a text is the ASCII address of a single mailbox (at most 254 characters), without a
    display name or quoted parts.
    """
    return len(text) <= 254 and _ADDRESS.fullmatch(text) is not None


def parse_mail_server(url: str) -> MailServer:
    """Parse `smtp[s]://user:password@host:port`; the port is by default 25 (465 for `smtps`), user
    and password are optional ("" if missing).

    Raises ValueError, whose message quotes no part of the address.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError("it is not of the form smtp://user:password@host:port") from error
    if parts.scheme not in _PORTS or not parts.hostname or not url.isprintable():
        raise ValueError("it is not of the form smtp://user:password@host:port")
    user = unquote(parts.username or "")
    password = unquote(parts.password or "")
    return MailServer(
        parts.scheme == "smtps", parts.hostname, port or _PORTS[parts.scheme], user, password
    )


def mail_message(
    delivery_id: str, sender: str, receiver: str, subject: str, text: str
) -> EmailMessage:
    """Build a plain-text message; its Message-ID is made from `delivery_id`, so that it is equal in
    all attempts.

    In the subject, unprintable characters become spaces; it is cut to 250 characters.
    """
    message = EmailMessage()
    message["Subject"] = "".join(char if char.isprintable() else " " for char in subject)[:250]
    message["From"], message["To"] = sender, receiver
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{delivery_id}@{sender.rpartition('@')[2]}>"
    message.set_content(text)
    return message


def send_mail(
    server: MailServer, sender: str, receiver: str, message: EmailMessage, timeout_s: float
) -> None:
    """Send a message to one mailbox. Raises SendError, after `timeout_s` at the latest."""
    until = time.monotonic() + timeout_s
    try:
        with _session(server, timeout_s, until) as session:
            session.send_message(message, sender, [receiver])
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise SendError(_reason(error, server, is_late=time.monotonic() >= until)) from error


def _reason(error: Exception, server: MailServer, *, is_late: bool) -> str:
    if is_late or isinstance(error, TimeoutError):
        return f"mail server {server.host} did not respond in time"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"mail server {server.host} returned {error.smtp_code}"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = ", ".join(str(code) for code, _ in error.recipients.values())
        return f"mail server {server.host} refused the recipient: {codes}"
    return f"mail server {server.host}: {getattr(error, 'strerror', None) or 'the conversation failed'}"


class _Session(smtplib.SMTP):
    """A session on an existing connection, encrypted or not; `host` is the name that a certificate
    must have.
    """

    def __init__(self, connection: socket.socket, host: str, timeout_s: float) -> None:
        self._connection = connection
        # the constructor calls `connect`, which must use the existing connection
        super().__init__(host, timeout=timeout_s)

    def connect(
        self, host: str = "", port: int = 0, source_address: object = None
    ) -> tuple[int, bytes]:
        """Use the existing connection and read the greeting; return its (status code, text), as the
        base class does.
        """
        self.sock = self._connection
        return self.getreply()


@contextmanager
def _session(server: MailServer, timeout_s: float, until: float) -> Iterator[smtplib.SMTP]:
    context = ssl.create_default_context()
    addresses = _addresses(server, timeout_s)
    with connect_first(addresses, server.port, until) as plain, shut_down_at_deadline(plain, until):
        line = context.wrap_socket(plain, server_hostname=server.host) if server.is_tls else plain
        with closing(line), closing(_Session(line, server.host, timeout_s)) as session:
            _sign_in(session, server, context)
            yield session
            # The server has accepted the message. If the farewell fails, the message must not be
            # sent again.
            with suppress(OSError, smtplib.SMTPException):
                session.quit()


def _addresses(server: MailServer, within_s: float) -> Sequence[str]:
    try:
        addresses = resolve_name(server.host, server.port, within_s)
    except AlertError as error:
        raise SendError(str(error)) from error
    if not addresses:
        raise SendError(f"mail server {server.host} has no address")
    return addresses


def _sign_in(session: smtplib.SMTP, server: MailServer, context: ssl.SSLContext) -> None:
    """Start TLS if the server supports it, and log in.

    Raises SendError if a password would be sent unencrypted to another host.
    """
    session.ehlo()
    is_safe = server.is_tls or server.host in _LOCAL
    if not server.is_tls and session.has_extn("starttls"):
        session.starttls(context=context)
        session.ehlo()
        is_safe = True
    if server.user:
        if not is_safe:
            raise SendError(
                f"mail server {server.host} does not support encryption, so the password was not sent"
            )
        session.login(server.user, server.password)
