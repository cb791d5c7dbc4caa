"""Baseline rules over the API: list, set and delete them."""

from __future__ import annotations

from flask import Response, jsonify
from pydantic import BaseModel, Field

from app.request.errors import request_errors
from app.request.user import current_user
from app.server.api.operation import ApiServer, Body, Operation
from schema.comparison import MAX_RUNS
from services.baselines.members import BaselineError
from services.status.rules import delete_rule, set_rule
from storage.errors import RuleNotFound
from storage.rules import Rule, Rules

_ONE = "/rules/<text:name>"


class NewRule(Body):
    """A baseline rule: a run is compared with the `last` older runs of its key on `branch`.

    The other members select keys by their values; a member that is left out matches any value.
    """

    last: int = Field(description=f"1 to {MAX_RUNS}.")
    branch: str = ""
    source: str = ""
    hwid: str = ""
    M: int | None = None
    K: int | None = None
    N: int | None = None


class ListedRules(BaseModel):
    """The rules by name."""

    rules: list[dict[str, object]]


def _list_rules(server: ApiServer) -> Response:
    return jsonify(
        {"rules": [rule.record() for rule in Rules(server.context.repository.catalogue).all()]}
    )


def _set_rule(server: ApiServer, name: str, body: NewRule) -> Response:
    with request_errors(422, BaselineError):
        set_rule(server.context.repository, Rule(name, **body.model_dump()), current_user().name)
    return Response(status=204)


def _delete_rule(server: ApiServer, name: str) -> Response:
    with request_errors(404, RuleNotFound):
        delete_rule(server.context.repository, name, current_user().name)
    return Response(status=204)


LIST_RULES = Operation(
    "GET", "/rules", "listRules", "List the baseline rules.", _list_rules, {200: ListedRules}
)
SET_RULE = Operation(
    "PUT",
    _ONE,
    "setRule",
    "Create a baseline rule or replace the rule of this name.",
    _set_rule,
    {204: None},
    body=NewRule,
)
DELETE_RULE = Operation(
    "DELETE",
    _ONE,
    "deleteRule",
    "Delete a baseline rule and its acknowledgements; runs are not deleted.",
    _delete_rule,
    {204: None},
)
