"""Installed plugins over the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from flask import Response, jsonify
from pydantic import BaseModel

from app.plugins import list_plugins
from app.request.errors import public
from app.server.api.operation import ApiServer, Operation
from schema.plugin_api import API_VERSION


class Plugin(BaseModel):
    """A loader or the views of another package, with its state and error.

    `docs` has the files that a loader reads, or the help texts of the views.
    """

    package: str
    version: str
    kind: Literal["loader", "view"]
    name: str
    state: Literal["ok", "failed", "missing"]
    error: str
    docs: list[str]
    runs: int


class Plugins(BaseModel):
    """Version of the plugin API, and the plugins."""

    api_version: int
    plugins: list[Plugin]


def _list(server: ApiServer) -> Response:
    plugins = list_plugins(server.context.repository.catalogue)
    records = [asdict(plugin) | {"error": public(plugin.error)} for plugin in plugins]
    return jsonify({"api_version": API_VERSION, "plugins": records})


LIST_PLUGINS = Operation(
    "GET",
    "/plugins",
    "listPlugins",
    "List the loaders and views of other packages, and sources whose plugin is missing.",
    _list,
    {200: Plugins},
)
