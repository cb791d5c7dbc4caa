"""An operation is two edits: its record with handler, and its line in the registry."""

from typing import Literal

import pytest
from flask import jsonify
from pydantic import Field

from app.server.api import documented, registry
from app.server.api.operation import Body, Operation
from schema.roles import Role
from tests.support.access import Team


class Listing(Body):
    """A query with each kind of field: a list, a list that may be missing, and a text whose type has "list" in it."""

    names: list[str] = Field(default_factory=list)
    more: list[str] | None = None
    listed: Literal["list", "all"] = "all"


class Echo(Body):
    """What is said back."""

    word: str


def echo(server, run_id, body):
    return jsonify({"word": f"{run_id} {body.word} {server.context.settings.auth}"})


def list_names(_server, query):
    return jsonify(query.model_dump())


def whisper(_server, run_id):
    return jsonify({"word": run_id})


SAID = Operation(
    "POST", "/runs/<run_id>/echo", "echoRun", "Say a word back.", echo, {200: Echo}, body=Echo
)
SECRET = Operation(
    "GET", "/runs/<run_id>/secret", "whisper", "Whisper.", whisper, {200: Echo}, role=Role.ADMIN
)
LIST = Operation(
    "GET", "/names", "listNames", "List names.", list_names, {200: Listing}, query=Listing
)
READ = Operation(
    "POST",
    "/runs/<run_id>/read",
    "readRun",
    "Read by a POST.",
    whisper,
    {200: Echo},
    role=Role.VIEWER,
)


@pytest.fixture(autouse=True)
def operations(monkeypatch):
    monkeypatch.setattr(registry, "OPERATIONS", (*registry.OPERATIONS, SAID, SECRET, READ, LIST))


@pytest.fixture
def team(operations, tmp_path):
    return Team(tmp_path / "data")


def test_it_answers_checks_its_body_and_asks_for_its_role(team):
    assert team("POST", "/runs/a/echo", {"word": "b"}, scope="write").json == {"word": "a b proxy"}
    assert team("POST", "/runs/a/echo", {"words": "b"}, scope="write").status_code == 422
    assert team("POST", "/runs/a/echo", {"word": "b"}, scope="read").status_code == 403


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_role_of_its_record_is_what_the_gate_asks_for(team, method):
    statuses = {
        scope: team(method, "/runs/a/secret", scope=scope).status_code
        for scope in ("read", "write", "admin")
    }
    assert statuses == {"read": 403, "write": 403, "admin": 200}


def test_a_field_that_is_a_list_takes_every_value_of_its_name(team):
    answer = team("GET", "/names?names=a&names=b&more=c&listed=list", scope="read")
    assert answer.json == {"names": ["a", "b"], "more": ["c"], "listed": "list"}


def test_a_record_can_let_viewers_send(team):
    assert team("POST", "/runs/a/read", scope="read").json == {"word": "a"}


@pytest.mark.slow
def test_the_description_and_the_document_have_it(team):
    described = team("GET", "/openapi.json").json
    operation = described["paths"]["/api/v1/runs/{run_id}/secret"]["get"]
    assert operation["operationId"] == "whisper"
    assert "admin" in operation["description"]
    assert "Echo" in described["components"]["schemas"]
    assert (
        "| `GET /runs/{run_id}/secret` | Whisper. | admin | - | 200 `Echo` |"
        in documented.markdown()
    )
    assert "| `Echo` | `word` | text | - |" in documented.markdown()


def test_names_and_routes_are_of_one_operation_each():
    known = registry.OPERATIONS
    assert len({operation.name for operation in known}) == len(known)
    assert len({(operation.method, operation.path) for operation in known}) == len(known)
