"""The route of the tools: one method, the roles and origins of every route, no session."""

import pytest

from tests.support.access import MODES, SAME, Served

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
FOREIGN = {"Origin": "https://evil.example"}


@pytest.fixture(scope="module")
def open_server(tmp_path_factory):
    return Served(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def closed_server(tmp_path_factory):
    return Served(tmp_path_factory.mktemp("data"), **MODES["proxy"])


def test_tools_are_listed_without_a_session(open_server):
    answer = open_server.ask("POST", "/mcp", json=LIST)
    assert answer.status_code == 200
    assert answer.json["result"]["tools"]
    assert "Mcp-Session-Id" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_other_methods_are_refused(open_server, method):
    answer = open_server.ask(method, "/mcp", SAME)
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"


def test_a_call_is_answered(open_server):
    call = LIST | {
        "method": "tools/call",
        "params": {"name": "describe_run", "arguments": {"run": "ffff"}},
    }
    assert open_server.ask("POST", "/mcp", json=call).json["result"]["isError"]
    hotspots = LIST | {
        "method": "tools/call",
        "params": {"name": "hotspots", "arguments": {"run": "ffff"}},
    }
    assert open_server.ask("POST", "/mcp", json=hotspots).json["result"]["isError"]


def test_a_notification_is_accepted_in_silence(open_server):
    answer = open_server.ask(
        "POST", "/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}
    )
    assert (answer.status_code, answer.data) == (202, b"")


def test_a_reader_may_ask_and_nobody_else_without_a_name(closed_server):
    assert closed_server.ask("POST", "/mcp", json=LIST).status_code == 401
    assert (
        closed_server.ask("POST", "/mcp", {"Authorization": "Bearer x"}, json=LIST).status_code
        == 401
    )
    assert (
        closed_server.ask("POST", "/mcp", closed_server.token("read"), json=LIST).status_code == 200
    )


def test_pages_of_other_sites_are_refused_with_a_token_too(open_server, closed_server):
    assert open_server.ask("POST", "/mcp", FOREIGN, json=LIST).status_code == 403
    assert (
        closed_server.ask(
            "POST", "/mcp", closed_server.token("read") | FOREIGN, json=LIST
        ).status_code
        == 403
    )
