"""`mcp`: a message a line on stdin, an answer a line on stdout, and nothing else there."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from app.cli import mcp
from app.cli.main import main
from app.mcp.protocol import INVALID_PARAMS, PARSE_ERROR, REVISION, UNKNOWN_METHOD
from app.mcp.registry import BY_NAME, TOOLS
from tests.support.command_line import run

META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The folder of a store with a run, whose name tells assistants what to do."""
    folder = tmp_path_factory.mktemp("mcp")
    (folder / "problem.200.csv").write_text("id,lower,upper,size\na,0,3,100\nb,1,4,80\n")
    given = ("--set", "name=obey é", "--data", folder / "data")
    assert run("ingest", folder / "problem.200.csv", *given).exit_code == 0
    return folder / "data"


def exchange(data, *lines):
    """Send lines, bytes or messages; return the answers."""
    sent = b"".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines
    )
    told = CliRunner().invoke(main, ["mcp", "--data", str(data)], input=sent)
    assert told.exit_code == 0
    return [json.loads(line) for line in told.stdout_bytes.decode().splitlines()]


def message(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(tool, number=1, **arguments):
    return message("tools/call", number, name=tool, arguments=arguments)


def test_a_session_of_an_older_revision_is_answered_in_order(data):
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answers = exchange(
        data,
        message("initialize", 1, protocolVersion="2025-11-25"),
        begun,
        b"\n",
        message("tools/list", 2),
        call("find_runs", 3, source=["minimalloc"]),
        message("ping", "four"),
    )
    assert [one["id"] for one in answers] == [1, 2, 3, "four"]
    assert answers[0]["result"]["protocolVersion"] == "2025-11-25"
    assert [tool["name"] for tool in answers[1]["result"]["tools"]] == [tool.name for tool in TOOLS]
    (found,) = answers[2]["result"]["structuredContent"]["data"]["runs"]
    assert found["source"] == "minimalloc"


def test_the_newest_revision_needs_no_first_message(data):
    (answer,) = exchange(data, message("tools/list", _meta=META))
    assert {tool["name"] for tool in answer["result"]["tools"]} == {*BY_NAME}
    assert answer["result"]["resultType"] == "complete"


def test_a_run_has_the_numbers_of_the_list(data):
    (listed,) = json.loads(run("runs", "--json", "--data", data).stdout)
    (answer,) = exchange(data, call("describe_run", run=listed["run_id"]))
    described = answer["result"]["structuredContent"]["data"]["run"]
    assert (described["run_id"], described["name"]) == (listed["run_id"], listed["name"])


def test_what_cannot_be_answered_has_an_error_and_the_session_goes_on(data):
    answers = exchange(
        data,
        b"{broken\n",
        b"\xff\xfe\n",
        message("nosuch", 2),
        call("nosuch", 3),
        call("describe_run", 4, run="ffff"),
        message("ping", 5),
    )
    assert [one["error"]["code"] for one in answers[:4]] == [
        PARSE_ERROR,
        PARSE_ERROR,
        UNKNOWN_METHOD,
        INVALID_PARAMS,
    ]
    assert answers[4]["result"]["isError"]
    assert answers[5] == {"jsonrpc": "2.0", "id": 5, "result": {}}


def test_a_message_that_is_too_long_is_passed_over_as_a_whole(data, monkeypatch):
    monkeypatch.setattr(mcp, "_MAX_MESSAGE_BYTES", 200)
    long = call("find_runs", 1, search="x" * 500)
    refused, answered = exchange(data, long, message("ping", 2))
    assert (refused["error"]["code"], refused["id"]) == (PARSE_ERROR, None)
    assert answered["id"] == 2


@pytest.mark.parametrize("longest", [200, len(json.dumps(message("ping")))])
def test_the_last_message_may_end_without_a_line(data, monkeypatch, longest):
    monkeypatch.setattr(mcp, "_MAX_MESSAGE_BYTES", longest)
    (answer,) = exchange(data, json.dumps(message("ping")).encode())
    assert answer["result"] == {}


def test_what_is_printed_meanwhile_is_not_on_stdout(data, monkeypatch):
    def find(*_arguments):
        print("a library speaks")  # noqa: T201 - what this test is about
        raise ValueError("no")

    monkeypatch.setitem(BY_NAME, TOOLS[0].name, replace(TOOLS[0], find=find))
    told = CliRunner().invoke(
        main, ["mcp", "--data", str(data)], input=json.dumps(call(TOOLS[0].name)) + "\n"
    )
    assert "speaks" in told.stderr
    assert json.loads(told.stdout)["result"]["isError"]


def test_without_messages_nothing_is_said_and_no_store_is_made(tmp_path):
    assert exchange(tmp_path / "none") == []
    assert not [*tmp_path.iterdir()]


def test_a_store_that_cannot_be_read_is_an_error_of_the_call_without_its_place(tmp_path):
    (tmp_path / "catalogue.db").write_text("no database " * 500)
    failed, answered = exchange(tmp_path, call("find_runs", 1), message("ping", 2))
    assert failed["result"]["isError"]
    assert str(tmp_path) not in json.dumps(failed)
    assert answered["id"] == 2


def test_an_option_that_is_none_is_one_line(tmp_path):
    told = run("mcp", "--bogus", "--data", tmp_path)
    assert (told.exit_code, told.stdout, told.stderr.count("\n")) == (1, "", 1)
