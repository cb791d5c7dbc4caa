"""Health checks: `/healthz` checks only the process, `/readyz` and `/health` also its storage."""

from __future__ import annotations

from flask import Flask, Response, jsonify

from app.context import AppContext


def register(server: Flask, context: AppContext) -> None:
    """Add the routes `/healthz`, `/readyz` and `/health`; the last two respond with 503 and the
    reason if the storage is not usable.
    """

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
