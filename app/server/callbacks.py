"""Validate requests to Dash's own routes before Dash handles them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import Dash
from dash.exceptions import DependencyException
from flask import Flask, Response, request

from app.request.errors import RequestError, error_response

_PATH = "/_dash-update-component"
_MAX_PARTS = 10_000
"""Maximum number of components of a pattern-matching id that are validated."""


def guard(app: Dash) -> None:
    """Register handlers that refuse malformed callbacks (400) and files of Dash that do not exist
    (404).
    """
    server: Flask = app.server
    server.register_error_handler(DependencyException, _no_such_file)
    # Raised when the JSON of a body is nested more deeply than Python can parse.
    server.register_error_handler(RecursionError, _too_deep)

    @server.before_request
    def check() -> None:
        if (
            request.path == _PATH
            and request.method == "POST"
            and not _is_callback(app, request.get_json())
        ):
            raise RequestError("The pages have no such callback.", 400)


def _no_such_file(_error: DependencyException) -> Response:
    return error_response("There is no page at this address.", 404)


def _too_deep(_error: RecursionError) -> Response:
    return error_response("This request is nested too deeply.", 400)


def _is_callback(app: Dash, body: object) -> bool:
    """Whether a body names a registered callback with code in the server and has as many inputs,
    states and outputs.
    """
    if not isinstance(body, dict) or not isinstance(body.get("output"), str):
        return False
    callback = app.callback_map.get(body["output"])
    changed = body.get("changedPropIds", [])
    return (
        callback is not None
        and "callback" in callback
        and isinstance(changed, list)
        and all(isinstance(name, str) for name in changed)
        and _are_parts(body.get("inputs", []), len(callback["inputs"]))
        and _are_parts(body.get("state", []), len(callback["state"]))
        and _are_outputs(body.get("outputs"), body["output"])
    )


def _are_outputs(outputs: object, name: str) -> bool:
    """Whether `outputs` has as many component properties as the name of a callback's output.

    Dash writes the name of several outputs as `..a.x...b.y..`.
    """
    several = name.startswith("..")
    return _are_parts(outputs if several else [outputs], name.count("...") + 1 if several else 1)


def _are_parts(parts: object, count: int) -> bool:
    """Whether `parts` is a list of exactly `count` component properties (id and property each).

    An item may be a list of properties if its id is a pattern that several components match.
    """
    return isinstance(parts, list) and len(parts) == count and all(map(_is_part_or_several, parts))


def _is_part_or_several(part: object) -> bool:
    return all(map(_is_part, part[:_MAX_PARTS])) if isinstance(part, list) else _is_part(part)


def _is_part(part: object) -> bool:
    return (
        isinstance(part, Mapping)
        and isinstance(part.get("id"), str | dict)
        and isinstance(part.get("property"), str)
        and (isinstance(part["id"], str) or _is_id(part["id"]))
    )


def _is_id(parts: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str | int | float) for value in parts.values())
