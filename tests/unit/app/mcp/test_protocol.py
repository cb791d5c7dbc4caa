"""Messages of every revision are answered by themselves."""

import json

import pytest

from app.mcp.protocol import OLDER, REVISION, Protocol

META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
PROTOCOL = Protocol(
    lambda: [{"name": "one"}], lambda name, arguments: {"called": [name, arguments]}
)


def ask(method, params=None, headers=None, **more):
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}} | more
    return PROTOCOL.reply(json.dumps(message).encode(), headers or {})


def modern(method, **params):
    return ask(
        method, params | {"_meta": META}, {"mcp-protocol-version": REVISION, "mcp-method": method}
    )


@pytest.mark.parametrize("revision", OLDER)
def test_older_revisions_begin_with_initialize(revision):
    result = ask("initialize", {"protocolVersion": revision}).body["result"]
    assert result["protocolVersion"] == revision
    assert "tools" in result["capabilities"]
    assert "resultType" not in result


def test_an_unknown_revision_is_offered_the_newest_that_begins_so():
    assert (
        ask("initialize", {"protocolVersion": "1999-01-01"}).body["result"]["protocolVersion"]
        == OLDER[-1]
    )


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
def test_the_newest_revision_says_how_long_an_answer_is_kept(method):
    result = modern(method).body["result"]
    assert result["resultType"] == "complete"
    assert result["ttlMs"] > 0
    assert result["cacheScope"] == "public"


def test_a_tool_is_called_with_its_arguments():
    for reply in (
        modern("tools/call", name="one", arguments={"a": 1}),
        ask("tools/call", {"name": "one", "arguments": {"a": 1}}),
    ):
        assert reply.body["result"]["called"] == ["one", {"a": 1}]


@pytest.mark.parametrize(
    "content",
    [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
)
def test_what_wants_no_answer_gets_none(content):
    reply = PROTOCOL.reply(content)
    assert (reply.status, reply.body) == (202, None)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{x", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 200_000, -32700),
        (b'{"x": 1}', -32600),
        (b"[]", -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": 3}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "nosuch"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
    ],
)
def test_what_is_wrong_has_the_code_of_json_rpc(content, code):
    reply = PROTOCOL.reply(content)
    assert reply.body["error"]["code"] == code
    assert reply.status >= 400


def test_headers_and_message_say_the_same():
    assert ask("tools/list", {}, {"mcp-protocol-version": "1999-01-01"}).status == 400
    assert (
        ask("tools/list", {"_meta": META}, {"mcp-protocol-version": OLDER[0]}).body["error"]["code"]
        == -32020
    )
    wrong = {"mcp-protocol-version": REVISION, "mcp-method": "tools/call"}
    assert ask("tools/list", {"_meta": META}, wrong).body["error"]["code"] == -32020
    assert ask("tools/list", {}, {"mcp-protocol-version": REVISION}).body["error"]["code"] == -32602
