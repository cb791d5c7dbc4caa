"""Team data over the API: saved filters, tokens, audit log, retention, current user."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Response, jsonify

from app.request.errors import RequestError, request_errors
from app.request.user import current_user
from app.server.api import models, team_models
from app.server.api.operation import ApiServer, Operation
from schema.roles import Role
from services.retention.retention import preview_retention, retain
from services.store.saved_filters import ViewError, delete_view, save_view
from services.store.tokens import TokenError, make_token
from storage.audit import Audit, Entry
from storage.catalogue import Catalogue
from storage.saved_texts import SavedView, SavedViews
from storage.tokens import Token, Tokens


def _get_me(_server: ApiServer) -> Response:
    user = current_user()
    return jsonify({"user": user.name, "role": user.role.label})


GET_ME = Operation(
    "GET", "/me", "getMe", "Get the current user and role.", _get_me, {200: team_models.Me}
)


def _list_views(server: ApiServer) -> Response:
    return jsonify({"views": [view_record(view) for view in SavedViews(_catalogue(server)).all()]})


def _save_view(server: ApiServer, body: team_models.NewView) -> Response:
    with request_errors(422, ViewError):
        view = save_view(
            _catalogue(server), body.name, body.query.removeprefix("?"), current_user().name
        )
    response = jsonify(view_record(view))
    response.status_code = 201
    return response


def _delete_view(server: ApiServer, view_id: str) -> Response:
    if not delete_view(_catalogue(server), view_id, current_user().name):
        raise RequestError("There is no such view.", 404)
    return Response(status=204)


LIST_VIEWS = Operation(
    "GET", "/views", "listViews", "List the saved views.", _list_views, {200: team_models.Views}
)
SAVE_VIEW = Operation(
    "POST",
    "/views",
    "saveView",
    "Save a view of the list of runs.",
    _save_view,
    {201: team_models.View},
    body=team_models.NewView,
)
DELETE_VIEW = Operation(
    "DELETE", "/views/<view_id>", "deleteView", "Delete a saved view.", _delete_view, {204: None}
)


def view_record(view: SavedView) -> dict[str, Any]:
    """Convert a saved filter to JSON types: `id`, its own fields, and `query` with a leading `?`."""
    own = asdict(view)
    return {"id": own.pop("view_id"), **own, "query": f"?{view.query}"}


def _list_tokens(server: ApiServer) -> Response:
    return jsonify({"tokens": [token_record(token) for token in Tokens(_catalogue(server)).all()]})


def _make_token(server: ApiServer, body: team_models.NewToken) -> Response:
    user = current_user().name
    with request_errors(422, TokenError):
        token, text = make_token(_catalogue(server), body.name, body.scope, user, body.expires)
    Audit(_catalogue(server)).add(
        user, "token.create", token.token_id, f"{token.scope}: {token.name}"
    )
    response = jsonify(token_record(token) | {"token": text})
    response.status_code = 201
    # The body contains the token's text.
    response.headers["Cache-Control"] = "no-store"
    return response


def _revoke_token(server: ApiServer, token_id: str) -> Response:
    if not Tokens(_catalogue(server)).revoke(token_id):
        raise RequestError("There is no valid token with this id.", 404)
    Audit(_catalogue(server)).add(current_user().name, "token.revoke", token_id)
    return Response(status=204)


LIST_TOKENS = Operation(
    "GET",
    "/tokens",
    "listTokens",
    "List tokens, without their texts.",
    _list_tokens,
    {200: team_models.Tokens},
    role=Role.ADMIN,
)
MAKE_TOKEN = Operation(
    "POST",
    "/tokens",
    "makeToken",
    "Create a token; its text is shown once.",
    _make_token,
    {201: team_models.MadeToken},
    body=team_models.NewToken,
    role=Role.ADMIN,
)
REVOKE_TOKEN = Operation(
    "DELETE",
    "/tokens/<token_id>",
    "revokeToken",
    "Revoke a token.",
    _revoke_token,
    {204: None},
    role=Role.ADMIN,
)


def token_record(token: Token) -> dict[str, Any]:
    """Convert a token to JSON types: `id` and all other fields without the hash of its secret."""
    own = asdict(token)
    own.pop("secret_hash")
    return {"id": own.pop("token_id"), **own}


def _read_audit(server: ApiServer, query: team_models.AuditQuery) -> Response:
    entries = Audit(_catalogue(server)).entries(query.limit, query.before, query.action, query.user)
    return jsonify({"entries": [_entry_record(entry) for entry in entries]})


READ_AUDIT = Operation(
    "GET",
    "/audit",
    "readAudit",
    "Read the audit log, newest first.",
    _read_audit,
    {200: team_models.Audit},
    query=team_models.AuditQuery,
    role=Role.ADMIN,
)


def _entry_record(entry: Entry) -> dict[str, Any]:
    own = asdict(entry)
    return {"id": own.pop("entry_id"), **own}


def _retain(server: ApiServer, body: models.Retention) -> Response:
    user = current_user().name
    repository = server.context.repository
    if not body.dry_run:
        return jsonify(
            {"deleted": [run.run_id for run in retain(repository, body.keep_last, body.by, user)]}
        )
    preview = preview_retention(repository, body.keep_last, body.by)
    details = {"bytes": preview.stored_bytes, "held": dict(preview.held), "pinned": preview.pinned}
    return jsonify({"deleted": [*preview.run_ids], **details})


RETAIN = Operation(
    "POST",
    "/retention",
    "retain",
    "Delete old runs: all but the newest of each key; pinned runs and runs that baselines need are kept.",
    _retain,
    {200: models.Deleted},
    body=models.Retention,
    role=Role.ADMIN,
)


def _catalogue(server: ApiServer) -> Catalogue:
    return server.context.repository.catalogue
