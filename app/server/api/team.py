"""What a team shares over the API: saved views, tokens, the audit log, retention, and who one is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Response, jsonify

from app.access import current_user
from app.context import AppContext
from app.errors import RequestError
from app.server.api import models
from app.server.api.operation import Api, Operation
from services.retention import retain
from services.saved_views import ViewError, delete_view, save_view
from services.tokens import TokenError, make_token
from storage.audit import Audit, Entry
from storage.saved_views import SavedView, SavedViews
from storage.tokens import Token, Tokens


def register(api: Api, context: AppContext) -> None:
    """Add the operations."""
    _register_views(api, context)
    _register_tokens(api, context)
    _register_audit(api, context)
    _register_retention(api, context)

    def me() -> Response:
        user = current_user()
        return jsonify({"user": user.name, "role": user.role.label})

    api.add(Operation("GET", "/me", "getMe", "Say who asks and what they may do.", {200: models.Me}), me)


def _register_views(api: Api, context: AppContext) -> None:
    catalogue = context.repository.catalogue

    def listed() -> Response:
        return jsonify({"views": [view_record(view) for view in SavedViews(catalogue).all()]})

    def saved(body: models.NewView) -> Response:
        try:
            view = save_view(catalogue, body.name, body.query.removeprefix("?"), current_user().name)
        except ViewError as error:
            raise RequestError(f"{error}.", 422) from error
        response = jsonify(view_record(view))
        response.status_code = 201
        return response

    def deleted(view_id: str) -> Response:
        if not delete_view(catalogue, view_id, current_user().name):
            raise RequestError("There is no such view.", 404)
        return Response(status=204)

    api.add(Operation("GET", "/views", "listViews", "List the saved views.", {200: models.Views}), listed)
    what = "Save a view of the list of runs."
    api.add(Operation("POST", "/views", "saveView", what, {201: models.View}, body=models.NewView), saved)
    api.add(Operation("DELETE", "/views/<view_id>", "deleteView", "Delete a saved view.", {204: None}), deleted)


def view_record(view: SavedView) -> dict[str, Any]:
    """Return a view as the API has it."""
    own = asdict(view)
    return {"id": own.pop("view_id"), **own, "query": f"?{view.query}"}


def _register_tokens(api: Api, context: AppContext) -> None:
    catalogue = context.repository.catalogue
    tokens, log = Tokens(catalogue), Audit(catalogue)

    def listed() -> Response:
        return jsonify({"tokens": [token_record(token) for token in tokens.all()]})

    def made(body: models.NewToken) -> Response:
        user = current_user().name
        try:
            token, text = make_token(catalogue, body.name, body.scope, user, body.expires)
        except TokenError as error:
            raise RequestError(f"{error}.", 422) from error
        log.add(user, "token.create", token.token_id, f"{token.scope}: {token.name}")
        response = jsonify(token_record(token) | {"token": text})
        response.status_code = 201
        response.headers["Cache-Control"] = "no-store"
        return response

    def revoked(token_id: str) -> Response:
        if not tokens.revoke(token_id):
            raise RequestError("There is no such token that is valid.", 404)
        log.add(current_user().name, "token.revoke", token_id)
        return Response(status=204)

    api.add(
        Operation("GET", "/tokens", "listTokens", "List tokens, without their texts.", {200: models.Tokens}), listed
    )
    what = "Make a token; its text is told once."
    api.add(Operation("POST", "/tokens", "makeToken", what, {201: models.MadeToken}, body=models.NewToken), made)
    api.add(Operation("DELETE", "/tokens/<token_id>", "revokeToken", "Revoke a token.", {204: None}), revoked)


def token_record(token: Token) -> dict[str, Any]:
    """Return a token as the API has it, without its hash."""
    own = asdict(token)
    own.pop("secret_hash")
    return {"id": own.pop("token_id"), **own}


def _register_audit(api: Api, context: AppContext) -> None:
    log = Audit(context.repository.catalogue)

    def entries(query: models.AuditQuery) -> Response:
        found = log.entries(query.limit, query.before, query.action, query.user)
        return jsonify({"entries": [_entry(entry) for entry in found]})

    what = "Read the audit log, newest first."
    api.add(Operation("GET", "/audit", "readAudit", what, {200: models.Audit}, models.AuditQuery), entries)


def _entry(entry: Entry) -> dict[str, Any]:
    own = asdict(entry)
    return {"id": own.pop("entry_id"), **own}


def _register_retention(api: Api, context: AppContext) -> None:
    def retained(body: models.Retention) -> Response:
        user = current_user().name
        deleted = retain(context.repository, body.keep_last, body.by, user, dry_run=body.dry_run)
        return jsonify({"deleted": deleted})

    what = "Delete old runs: all but the newest of each key, pinned ones apart."
    api.add(Operation("POST", "/retention", "retain", what, {200: models.Deleted}, body=models.Retention), retained)
