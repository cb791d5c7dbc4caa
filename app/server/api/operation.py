"""Record of an API operation: route, role, request and response models, and handler."""

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
"""Prefix of the paths of all operations."""
Model = TypeVar("Model", bound=BaseModel)


class Body(BaseModel):
    """Base of models of request bodies; unknown members are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class QueryString(BaseModel):
    """Base of models of query strings; unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class ApiServer:
    """The objects that operations work on.

    These are settings and store, the files for download, and the queue of ingests.
    """

    context: AppContext
    downloads: Downloads
    taking: UploadQueue


@dataclass(frozen=True)
class Operation:
    """An operation of the API.

    `responses` maps a status to its JSON model, to a media type, or to None if it has no body.
    `handle` is called with the server, the variable parts of the path, and `query` and `body` if
    they have models. `role` is the lowest role that may use it: by default a viewer may read and an
    editor may write. `takes` is the media type of a request body that is not JSON. `others` allows
    further query parameters, which are loader settings.
    """

    method: str
    path: str
    name: str
    summary: str
    handle: Callable[..., Response]
    responses: Mapping[int, type[BaseModel] | str | None]
    query: type[QueryString] | None = None
    body: type[Body] | None = None
    takes: str = ""
    others: bool = False
    role: Role | None = None

    @property
    def rule(self) -> str:
        """The route of the operation with the prefix ROOT, variable parts in angle brackets."""
        return ROOT + self.path

    @property
    def needed_role(self) -> Role:
        """The lowest role that may use the operation: its `role`, or the default of its method."""
        return default_role(self.method) if self.role is None else self.role

    def respond(self, server: ApiServer, **parts: Any) -> Response:  # noqa: ANN401 - parts of the path
        """Validate the request and return the response of `handle`; `parts` are the variable parts
        of the path.

        Raises RequestError: 404 for an invalid path, 400 for a query or JSON, 422 for a body.
        """
        # Validated here instead of by spectree, which reads whole responses into memory to check
        # them and takes malformed JSON for an empty object.
        _check_texts(parts, 404)
        if self.query is not None:
            parts["query"] = _query(self.query, others=self.others)
        if self.body is not None:
            parts["body"] = _body(self.body)
        return self.handle(server, **parts)


def _query(model: type[Model], *, others: bool) -> Model:
    """Parse the query string to the model; raises RequestError (400) if it does not fit.

    With `others`, unknown parameters are ignored.
    """
    _check_texts(request.args.to_dict(flat=False), 400)
    several = {name for name, info in model.model_fields.items() if _takes_list(info.annotation)}
    names = [name for name in request.args if not others or name in model.model_fields]
    values = {
        name: request.args.getlist(name) if name in several else request.args[name]
        for name in names
    }
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise RequestError(_sentence(error), 400) from error


def _takes_list(annotation: object) -> bool:
    """Whether a field is a list or may be a list: `list[str]`, `list[str] | None`."""
    return get_origin(annotation) is list or any(
        get_origin(part) is list for part in get_args(annotation)
    )


def _body(model: type[Model]) -> Model:
    """Parse the JSON body to the model.

    Raises RequestError (400) if it is not JSON and (422) if it does not fit the model.
    """
    try:
        values = request.get_json(force=True)
    except BadRequest as error:
        raise RequestError("The body is not JSON.", 400) from error
    _check_texts(values, 422)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise RequestError(_sentence(error), 422) from error


def _check_texts(values: object, status: int) -> None:
    """Raise RequestError with `status` if a text in these values contains NUL or a surrogate, which
    databases reject.
    """
    if not all(map(is_plain, _texts(values))):
        raise RequestError("The request contains an invalid character.", status)


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for name, value in content.items():
            yield from (name, *_texts(value))
    elif isinstance(content, list):
        for value in content:
            yield from _texts(value)


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
