"""An operation of the API: one record says its route, what it takes, what it answers and how it is described."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from flask import Flask, Response, request
from pydantic import BaseModel, ConfigDict, ValidationError
from werkzeug.exceptions import BadRequest

from app.errors import RequestError
from storage.text import is_plain

ROOT = "/api/v1"
Model = TypeVar("Model", bound=BaseModel)
View = Callable[..., Response]


class Body(BaseModel):
    """What a request or an answer carries; a member that is not named is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """What a request asks for after the question mark."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Operation:
    """An operation; `answers` maps a status to the model of its JSON, to a media type, or to None without a body.

    `takes` is the media type of a body that is no JSON. `others` allows other members of the query: settings.
    """

    method: str
    path: str
    name: str
    summary: str
    answers: Mapping[int, type[BaseModel] | str | None]
    query: type[Query] | None = None
    body: type[Body] | None = None
    takes: str = ""
    others: bool = False


@dataclass
class Api:
    """The operations of a server, registered as they are added."""

    server: Flask
    operations: list[Operation] = field(default_factory=list)

    def add(self, operation: Operation, view: View) -> None:
        """Answer an operation: `view` is given the parts of the path, and `query` and `body` where it has them."""
        self.operations.append(operation)

        @wraps(view)
        def answer(**parts: Any) -> Response:  # noqa: ANN401 - Flask hands over parts of the path
            _check_texts(parts, 404)
            if operation.query is not None:
                parts["query"] = _query(operation.query, others=operation.others)
            if operation.body is not None:
                parts["body"] = _body(operation.body)
            return view(**parts)

        rule = ROOT + operation.path
        self.server.add_url_rule(rule, operation.name, answer, methods=[operation.method])


def _query(model: type[Model], *, others: bool) -> Model:
    """Return what the query says; raises RequestError (400)."""
    _check_texts(request.args.to_dict(flat=False), 400)
    several = {name for name, info in model.model_fields.items() if "list" in str(info.annotation)}
    names = [name for name in request.args if not others or name in model.model_fields]
    given = {name: request.args.getlist(name) if name in several else request.args[name] for name in names}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise RequestError(_sentence(error), 400) from error


def _body(model: type[Model]) -> Model:
    """Return what the body says; raises RequestError: 400 where it is no JSON, 422 where it does not fit."""
    try:
        given = request.get_json(force=True)
    except BadRequest as error:
        raise RequestError("The body is no JSON.", 400) from error
    _check_texts(given, 422)
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise RequestError(_sentence(error), 422) from error


def _check_texts(given: object, status: int) -> None:
    """Refuse texts that no database takes: with NUL, or half a character; raises RequestError."""
    if not all(map(is_plain, _texts(given))):
        raise RequestError("This holds a character that no text has.", status)


def _texts(given: object) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif isinstance(given, Mapping):
        for name, value in given.items():
            yield from (name, *_texts(value))
    elif isinstance(given, list):
        for value in given:
            yield from _texts(value)


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
