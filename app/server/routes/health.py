"""Whether the server is well: `/healthz` asks the process alone, `/readyz` and `/health` its storage as well."""

from __future__ import annotations

from flask import Flask, Response, jsonify

from app.context import AppContext


def register(server: Flask, context: AppContext) -> None:
    """Add the routes; where the storage is not well, 503 and why."""

    @server.get("/healthz")
    def healthz() -> Response:
        return jsonify({"status": "ok"})

    @server.get("/readyz")
    def readyz() -> Response:
        context.repository.check_reach()
        return jsonify({"status": "ok"})

    @server.get("/health")
    def health() -> Response:
        return jsonify({"status": "ok", "runs": context.repository.check()})
