"""`GET /api/v1/openapi.json`: the OpenAPI 3.1 description, made from the operations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from app import __version__
from app.request.errors import PROBLEM
from app.server.api.operation import Operation
from schema.command import COMMAND
from schema.roles import Role

_REF = "#/components/schemas/{model}"
PART = re.compile(r"<(?:\w+:)?(\w+)>")
"""A variable part of a route, with its converter if it has one."""
_ERRORS = {"default": {"$ref": "#/components/responses/Problem"}}
_PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "Error message, one sentence."},
    },
    "required": ["type", "title", "status", "detail"],
}


def describe_api(operations: Sequence[Operation]) -> dict[str, Any]:
    """Build the OpenAPI 3.1 document of the operations as a dict of JSON types."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        path = PART.sub(r"{\1}", operation.rule)
        paths.setdefault(path, {})[operation.method.lower()] = _describe_operation(operation)
    bearer = {
        "type": "http",
        "scheme": "bearer",
        "description": f"A token of `{COMMAND} token create`.",
    }
    problem = {"description": "Error.", "content": {PROBLEM: {"schema": _PROBLEM}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tilescope", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": _schemas(operations),
            "responses": {"Problem": problem},
            "securitySchemes": {"token": bearer},
        },
        "security": [{"token": []}],
    }


def _schemas(operations: Sequence[Operation]) -> dict[str, Any]:
    models = {model for operation in operations for model in _models(operation)}
    ordered = sorted(models, key=lambda model: model.__name__)
    definitions = models_json_schema(
        [(model, "validation") for model in ordered], ref_template=_REF
    )[1]
    return dict(definitions["$defs"])


def _models(operation: Operation) -> list[type[BaseModel]]:
    responses = [model for model in operation.responses.values() if isinstance(model, type)]
    return [*responses, *([operation.body] if operation.body else [])]


def _describe_operation(operation: Operation) -> dict[str, Any]:
    role = operation.needed_role
    description = f"Needs the role {role.label}." if role is not Role.NOBODY else "Needs nobody."
    entry: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": description,
    }
    parameters = [*_path_parameters(operation), *_query_parameters(operation)]
    entry |= {"parameters": parameters} if parameters else {}
    entry |= {"requestBody": _request_body(operation)} if operation.body or operation.takes else {}
    responses = {
        str(status): _response(status, model) for status, model in operation.responses.items()
    }
    return entry | {"responses": responses | _ERRORS}


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    names = PART.findall(operation.path)
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ]


def _query_parameters(operation: Operation) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    schema = operation.query.model_json_schema()
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": value}
        for name, value in schema["properties"].items()
    ]


def _request_body(operation: Operation) -> dict[str, Any]:
    if operation.body is None:
        return {
            "required": True,
            "content": {operation.takes: {"schema": {"type": "string", "format": "binary"}}},
        }
    return {
        "required": True,
        "content": {"application/json": {"schema": _reference(operation.body)}},
    }


def _response(status: int, model: type[BaseModel] | str | None) -> dict[str, Any]:
    words = {
        200: "Done.",
        201: "Made.",
        202: "Begun.",
        204: "Done, without a body.",
        304: "Unchanged.",
    }.get(status, "")
    if model is None:
        return {"description": words}
    if isinstance(model, str):
        return {
            "description": words,
            "content": {model: {"schema": {"type": "string", "format": "binary"}}},
        }
    return {"description": words, "content": {"application/json": {"schema": _reference(model)}}}


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}
