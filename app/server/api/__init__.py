"""The HTTP API, version 1: docs/api.md."""

from __future__ import annotations

from flask import Flask, Response, jsonify

from app.context import AppContext
from app.server.api import jobs, kept, runs, team, uploads
from app.server.api.openapi import described
from app.server.api.operation import ROOT, Api
from app.server.downloads import Downloads
from app.server.taking import Taking


def register(server: Flask, context: AppContext, downloads: Downloads, taking: Taking) -> None:
    """Add every operation, and the description of them all."""
    api = Api(server)
    runs.register(api, context, downloads, taking)
    kept.register(api, context)
    uploads.register(api, context, taking)
    jobs.register(api, context)
    team.register(api, context)
    description = described(api.operations)

    @server.get(f"{ROOT}/openapi.json")
    def openapi() -> Response:
        return jsonify(description)
