"""`GET /health`: whether the process answers and its storage is well; 503 and why where it is not."""

from __future__ import annotations

from flask import Flask, Response, jsonify

from app.context import AppContext


def register(server: Flask, context: AppContext) -> None:
    """Add the route."""

    @server.get("/health")
    def health() -> Response:
        return jsonify({"status": "ok", "runs": context.repository.check()})
