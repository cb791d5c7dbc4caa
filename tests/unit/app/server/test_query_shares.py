"""Queries in SQL on a running server: whatever the door, one user leaves places to the others."""

import http.client
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from urllib.parse import urlencode

import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from app.server.render.rendering import MAX_QUERIES_OF_ONE, QUERIES_AT_ONCE, QUERIES_WAITING
from tests.support.dash_client import DashClient
from tests.support.live_server import PATIENCE_S, running

ENDLESS = "SELECT sum(hash(range)) AS v FROM range(1000000000000)"
"""Runs for an hour, in little memory."""
SHORT = "SELECT 41 + 1 AS v"
ANN, BEN = "127.0.0.2", "127.0.0.3"
SENT = 8
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A server on which nobody signs in: an address is a user.

    On a slow machine a test may take longer than the time that a query waits by default.
    """
    limits = {"query_seconds": 2 * PATIENCE_S, "wait_seconds": 2 * PATIENCE_S}
    with running(tmp_path_factory.mktemp("live"), **limits) as server:
        yield server


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """An application like that of the server, to make the bodies of its callbacks."""
    return DashClient(create_app(Settings(data=tmp_path_factory.mktemp("page"))))


@pytest.fixture
def doors(page):
    """Door -> what turns a text into the arguments of its request."""

    def callback(sql):
        body = page.body("sql-answer.children", **{"sql-view.data": urlencode({"sql": sql})})
        return (
            "POST",
            "/_dash-update-component",
            json.dumps(body),
            JSON | {"Sec-Fetch-Site": "same-origin"},
        )

    def tool(sql):
        call = {"name": "query", "arguments": {"sql": sql}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        return "POST", "/mcp", json.dumps(message), JSON

    return {
        "api": lambda sql: ("POST", "/api/v1/query", json.dumps({"sql": sql}), JSON),
        "csv": lambda sql: ("GET", f"/sql.csv?{urlencode({'sql': sql})}", None, {}),
        "parquet": lambda sql: ("GET", f"/sql.parquet?{urlencode({'sql': sql})}", None, {}),
        "page": callback,
        "tool": tool,
    }


class Sender:
    """Sends requests from addresses, and takes back those that are not answered."""

    def __init__(self, port):
        self._port = port
        self._open = set()

    def send(self, address, asked):
        """Return status, headers and text of the response, None if it was taken back."""
        with socket.create_connection(
            ("127.0.0.1", self._port), timeout=2 * PATIENCE_S, source_address=(address, 0)
        ) as opened:
            self._open.add(opened)
            connection = http.client.HTTPConnection("127.0.0.1", self._port)
            connection.sock = opened
            try:
                connection.request(*asked)
                with connection.getresponse() as response:
                    return (
                        response.status,
                        response.headers,
                        response.read().decode("utf-8", "replace"),
                    )
            except (OSError, http.client.HTTPException):
                return None
            finally:
                self._open.discard(opened)

    def take_back(self):
        for opened in [*self._open]:
            opened.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def sender(live, doors):
    made = Sender(live.port)
    yield made
    made.take_back()
    until = time.monotonic() + PATIENCE_S  # until the places of the queries are free again
    while not all(is_free(made, doors, BEN) for _ in range(QUERIES_AT_ONCE)) or not is_free(
        made, doors, ANN
    ):
        assert time.monotonic() < until


def is_free(sender, doors, address):
    answer = sender.send(address, doors["api"](SHORT))
    return answer is not None and answer[0] == 200


def is_refused(answer):
    """Return whether an answer says in its door's way that a share is used up."""
    status, headers, text = answer
    sentence = f"{MAX_QUERIES_OF_ONE} queries of yours"
    if status == 200:
        return sentence in text
    return (
        status == 429 and int(headers["Retry-After"]) > 0 and sentence in json.loads(text)["detail"]
    )


def test_a_share_leaves_processes_and_places_in_the_line():
    assert 1 <= MAX_QUERIES_OF_ONE <= QUERIES_AT_ONCE - 1 + QUERIES_WAITING - 1


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("busy", [["api"], ["tool"], ["csv", "parquet", "page", "tool"]])
def test_another_user_is_answered_while_one_has_sent_eight_long_queries(sender, doors, busy):
    with ThreadPoolExecutor(SENT) as clients:
        sent = [
            clients.submit(sender.send, ANN, doors[busy[at % len(busy)]](ENDLESS))
            for at in range(SENT)
        ]
        refused = [
            future.result() for future in islice(as_completed(sent), SENT - MAX_QUERIES_OF_ONE)
        ]
        answers = {door: sender.send(BEN, asked(SHORT)) for door, asked in doors.items()}
        more = {door: sender.send(ANN, asked(SHORT)) for door, asked in doors.items()}
        still = [future for future in sent if not future.done()]
        sender.take_back()
    assert all(map(is_refused, refused))
    assert len(still) == MAX_QUERIES_OF_ONE
    assert {door: status for door, (status, _, _) in answers.items()} == dict.fromkeys(doors, 200)
    assert all("42" in text for door, (_, _, text) in answers.items() if door != "parquet")
    assert all(map(is_refused, more.values()))
