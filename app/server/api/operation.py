"""An operation of the API: one record with its route, its role, what it takes and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args, get_origin

from flask import Response, request
from pydantic import BaseModel, ConfigDict, ValidationError
from werkzeug.exceptions import BadRequest

from app.context import AppContext
from app.request.errors import RequestError
from app.server.access.roles import default_role
from app.server.downloads import Downloads
from app.server.upload_queue import UploadQueue
from schema.roles import Role
from storage.text import is_plain

ROOT = "/api/v1"
Model = TypeVar("Model", bound=BaseModel)


class Body(BaseModel):
    """What a request or an answer carries; a member that is not named is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class QueryString(BaseModel):
    """What a request asks for after the question mark."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class ApiServer:
    """What operations act on: settings and store, what is sent as files, and the queue of what is ingested."""

    context: AppContext
    downloads: Downloads
    taking: UploadQueue


@dataclass(frozen=True)
class Operation:
    """An operation; `answers` maps a status to the model of its JSON, to a media type, or to None without a body.

    `handle` is given the server, the parts of the path, and `query` and `body` where there are models of them. `role`
    is the least that a user needs: by default a viewer may read, and an editor write. `takes` is the media type of a
    body that is no JSON. `others` allows other members of the query: settings.
    """

    method: str
    path: str
    name: str
    summary: str
    handle: Callable[..., Response]
    answers: Mapping[int, type[BaseModel] | str | None]
    query: type[QueryString] | None = None
    body: type[Body] | None = None
    takes: str = ""
    others: bool = False
    role: Role | None = None

    @property
    def rule(self) -> str:
        """Return the route with its parts in angle brackets."""
        return ROOT + self.path

    @property
    def needed_role(self) -> Role:
        """Return the least role that a user needs."""
        return default_role(self.method) if self.role is None else self.role

    def respond(self, server: ApiServer, **parts: Any) -> Response:  # noqa: ANN401 - parts of the path
        """Check what was sent and answer it; raises RequestError."""
        _check_texts(parts, 404)
        if self.query is not None:
            parts["query"] = _query(self.query, others=self.others)
        if self.body is not None:
            parts["body"] = _body(self.body)
        return self.handle(server, **parts)


def _query(model: type[Model], *, others: bool) -> Model:
    """Return what the query says; raises RequestError (400)."""
    _check_texts(request.args.to_dict(flat=False), 400)
    several = {name for name, info in model.model_fields.items() if _takes_list(info.annotation)}
    names = [name for name in request.args if not others or name in model.model_fields]
    given = {name: request.args.getlist(name) if name in several else request.args[name] for name in names}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise RequestError(_sentence(error), 400) from error


def _takes_list(annotation: object) -> bool:
    """Return whether a field is a list, or may be one: `list[str]`, `list[str] | None`."""
    return get_origin(annotation) is list or any(get_origin(part) is list for part in get_args(annotation))


def _body(model: type[Model]) -> Model:
    """Return what the body says; raises RequestError: 400 where it is no JSON, 422 where it does not fit."""
    try:
        given = request.get_json(force=True)
    except BadRequest as error:
        raise RequestError("The body is not JSON.", 400) from error
    _check_texts(given, 422)
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise RequestError(_sentence(error), 422) from error


def _check_texts(given: object, status: int) -> None:
    """Refuse texts that no database takes: with NUL, or half a character; raises RequestError."""
    if not all(map(is_plain, _texts(given))):
        raise RequestError("This contains a character that text may not have.", status)


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
