"""Mail to a server on this machine: what arrives, what is never sent in the clear, and when an attempt ends."""

import email
import email.policy
import socket
import threading
import time
from dataclasses import replace
from email.utils import parsedate_to_datetime

import pytest

from services.alerts.errors import SendError
from services.alerts.mail import (
    MailServer,
    is_mail_address,
    mail_message,
    parse_mail_server,
    send_mail,
)
from tests.support.certificates import make_certificate
from tests.support.mail_server import mail_server
from tests.support.receivers import full_listener

SENDER, RECEIVER = "tilescope@example.org", "ann@example.org"
PASSWORD = "hunter2:@/"  # noqa: S105 - of this test alone
LONG = 120.0


@pytest.fixture
def certificate(tmp_path, monkeypatch):
    """A certificate of localhost, which clients of this process trust."""
    made = make_certificate(tmp_path, "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(made[0]))
    return made


def message(**given):
    parts = {"subject": "Regressed", "text": "Zeile 1\n.\nZeile 3: 王芳\n"} | given
    return mail_message("d1", SENDER, RECEIVER, **parts)


def at(server, **given):
    return MailServer(**{"is_tls": False, "host": "localhost", "port": server.port} | given)


def send(place, timeout_s=LONG):
    send_mail(place, SENDER, RECEIVER, message(), timeout_s)


def test_a_message_arrives_whole_at_one_mailbox():
    with mail_server() as server:
        send(at(server))
    (got,) = server.got
    assert (got.sender, got.receivers, got.login, got.is_encrypted) == (
        SENDER,
        (RECEIVER,),
        None,
        False,
    )
    arrived = email.message_from_bytes(got.content, policy=email.policy.default)
    assert arrived.get_content().replace("\r\n", "\n") == "Zeile 1\n.\nZeile 3: 王芳\n"
    assert (arrived["From"], arrived["To"], arrived["Message-ID"]) == (
        SENDER,
        RECEIVER,
        "<d1@example.org>",
    )
    assert parsedate_to_datetime(arrived["Date"]).tzinfo is not None


def test_a_subject_stays_in_its_line_and_adds_no_header():
    made = message(subject="Regressed\r\nBcc: eve@example.org\x00 " + "x" * 500)
    assert made["Bcc"] is None
    assert len(made["Subject"].splitlines()) == 1
    assert len(made["Subject"]) <= 250


def test_the_id_of_a_message_is_the_same_in_every_attempt():
    assert message()["Message-ID"] == message(text="later")["Message-ID"]


@pytest.mark.parametrize("is_tls", [False, True])
def test_a_password_is_sent_encrypted_where_the_server_can(certificate, is_tls):
    with mail_server(certificate=certificate, is_tls=is_tls) as server:
        send(at(server, is_tls=is_tls, user="ann", password=PASSWORD))
    (got,) = server.got
    assert (got.login, got.is_encrypted) == (("ann", PASSWORD), True)
    assert ("STARTTLS" in server.verbs) is not is_tls


def test_a_password_goes_in_the_clear_to_this_machine_alone():
    with mail_server() as server:
        send(at(server, host="127.0.0.1", user="ann", password=PASSWORD))
    assert server.got[0].login == ("ann", PASSWORD)
    # an address that leads here, but is not among those that are known to
    with (
        mail_server(host="127.0.0.2") as other,
        pytest.raises(SendError, match="encryption") as refused,
    ):
        send(at(other, host="127.0.0.2", user="ann", password=PASSWORD))
    assert PASSWORD not in str(refused.value)
    assert other.verbs == ["EHLO"]


@pytest.mark.parametrize("is_tls", [False, True])
def test_a_server_that_nobody_vouches_for_gets_nothing(tmp_path, is_tls):
    made = make_certificate(tmp_path, "localhost")
    with mail_server(certificate=made, is_tls=is_tls) as server, pytest.raises(SendError):
        send(at(server, is_tls=is_tls, user="ann", password=PASSWORD))
    assert server.got == []
    assert "AUTH" not in server.verbs


@pytest.mark.parametrize("is_tls", [False, True])
def test_a_certificate_of_another_host_is_refused(tmp_path, monkeypatch, is_tls):
    made = make_certificate(tmp_path, "mail.example.org")
    monkeypatch.setenv("SSL_CERT_FILE", str(made[0]))
    with mail_server(certificate=made, is_tls=is_tls) as server, pytest.raises(SendError):
        send(at(server, is_tls=is_tls))
    assert server.got == []


@pytest.mark.parametrize(
    ("verb", "reply", "said"),
    [
        ("greeting", "554 no service", "554"),
        ("AUTH", "535 wrong password", "535"),
        ("MAIL", "530 sign in first", "530"),
        ("RCPT", "550 nobody of this name", "550"),
        ("DATA", "452 full", "452"),
    ],
)
def test_what_a_server_refuses_with_is_said_by_its_number(verb, reply, said):
    with mail_server() as server:
        server.replies[verb] = reply
        with pytest.raises(SendError, match=said) as refused:
            send(at(server, user="ann", password=PASSWORD))
    assert PASSWORD not in str(refused.value)
    assert server.got == []


@pytest.mark.parametrize("verb", ["greeting", "EHLO", "MAIL", "DATA"])
def test_a_server_that_hangs_up_fails_the_attempt(verb):
    with mail_server() as server:
        server.replies[verb] = "hang up"
        with pytest.raises(SendError):
            send(at(server))
    assert server.got == []


def test_a_server_that_is_not_there_fails_the_attempt():
    with mail_server() as server:
        place = at(server)
    with pytest.raises(SendError, match="localhost"):
        send(place)


@pytest.mark.parametrize("verb", ["greeting", "EHLO", "DATA"])
@pytest.mark.parametrize("manner", ["silence", "trickle"])
def test_an_attempt_ends_in_time_whatever_the_server_sends(verb, manner):
    with mail_server() as server:
        server.replies[verb] = manner
        with pytest.raises(SendError, match="in time"):
            send(at(server), timeout_s=0.15)
        assert not server.is_through, "the server would have gone on"
    assert server.got == []


def test_an_attempt_ends_in_time_if_the_name_of_the_server_is_not_resolved(monkeypatch):
    answers = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_more, **_named: answers.wait(LONG) and [])
    try:
        with pytest.raises(SendError, match="in time"):
            send(MailServer(False, "slow-mail.example.org", 25), timeout_s=0.05)
    finally:
        answers.set()


def test_an_attempt_ends_in_time_if_no_address_of_the_server_answers(monkeypatch):
    with full_listener("127.0.0.2") as port:
        rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.2", port))] * 40
        real = socket.getaddrinfo
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, *more, **named: rows if host == "many" else real(host, *more, **named),
        )
        begin = time.monotonic()
        with pytest.raises(SendError, match="in time"):
            send(MailServer(False, "many", port), timeout_s=0.5)
        assert time.monotonic() - begin < 40 * 0.5 / 2, "each address had the whole time"


@pytest.mark.parametrize("reply", ["hang up", "421 leave"])
def test_a_message_that_was_taken_is_delivered_however_the_server_parts(reply):
    with mail_server() as server:
        server.replies["QUIT"] = reply
        send(at(server))
    assert len(server.got) == 1


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example.org", MailServer(False, "mail.example.org", 25)),
        ("smtps://mail.example.org", MailServer(True, "mail.example.org", 465)),
        ("smtp://a%40b:p%3A%2F@[::1]:2525", MailServer(False, "::1", 2525, "a@b", "p:/")),
    ],
)
def test_an_address_of_a_server_has_its_user_and_password_in_percent_escapes(url, server):
    assert parse_mail_server(url) == server


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mail.example.org",
        "http://mail.example.org",
        "smtp://",
        "smtp://h:99999",
        "smtp://[::1",
        "smtp://h\x7f",
    ],
)
def test_what_is_no_address_of_a_server_is_refused(url):
    with pytest.raises(ValueError, match="smtp://user:password"):
        parse_mail_server(url)


def test_a_refusal_repeats_no_password():
    with pytest.raises(ValueError) as refused:
        parse_mail_server("smtp://ann:hunter2@mail.example.org:port")
    assert "hunter2" not in str(refused.value)


def test_a_password_is_in_no_text_of_a_server():
    assert "hunter2" not in repr(replace(parse_mail_server("smtp://ann:hunter2@h"), host="other"))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("ann@example.org", True),
        ("ann+ci@example", True),
        ("", False),
        ("ann", False),
        ("Ann <ann@example.org>", False),
        ("ann@example.org, eve@example.org", False),
        ("ann@example.org\r\nBcc: eve@example.org", False),
        ("ann@-", False),
        ("a" * 65 + "@example.org", False),
        ("ann@" + "e" * 251, False),
    ],
)
def test_an_address_is_that_of_one_mailbox(text, is_one):
    assert is_mail_address(text) is is_one
