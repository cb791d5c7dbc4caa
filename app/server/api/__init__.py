"""The HTTP API, version 1, which docs/api.md describes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from flask import Flask, Response, jsonify

from app.context import AppContext
from app.server.api import registry
from app.server.api.names import NameConverter
from app.server.api.openapi import describe_api
from app.server.api.operation import ROOT, ApiServer
from app.server.downloads import Downloads
from app.server.upload_queue import UploadQueue
from schema.roles import Role


def register(server: Flask, context: AppContext, downloads: Downloads, taking: UploadQueue) -> None:
    """Add a route for each operation of the API to `server`, and the route of the OpenAPI
    description.
    """
    server.url_map.converters["text"] = NameConverter
    acted_on = ApiServer(context, downloads, taking)
    for operation in registry.OPERATIONS:
        respond = partial(operation.respond, acted_on)
        server.add_url_rule(operation.rule, operation.name, respond, methods=[operation.method])
    # Built at the first request: it is rarely requested, and would delay the start of a server.
    description = cache(lambda: describe_api(registry.OPERATIONS))

    @server.get(f"{ROOT}/openapi.json")
    def openapi() -> Response:
        return jsonify(description())


def operation_roles() -> Mapping[tuple[str, str], Role]:
    """Map (method, route) of each operation to the role that it requires."""
    return {
        (operation.method, operation.rule): operation.needed_role
        for operation in registry.OPERATIONS
    }
