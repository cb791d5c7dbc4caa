"""Installed plugins over the API."""

from __future__ import annotations

from dataclasses import asdict

from flask import Response, jsonify
from pydantic import BaseModel

from app.plugins import ListedPlugin, list_plugins
from app.request.errors import public
from app.server.api.operation import ApiServer, Operation
from schema.plugin_api import API_VERSION


class Plugins(BaseModel):
    """Version of the plugin API, and the plugins."""

    api_version: int
    plugins: list[ListedPlugin]


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
