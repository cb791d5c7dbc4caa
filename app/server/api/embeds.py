"""Signed addresses over the API: a view of a run, or a badge, that is read without signing in."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from urllib.parse import unquote

from flask import Response, jsonify, request
from pydantic import BaseModel, Field

from app.pages.run.panel import sign_panel
from app.pages.status.badges import draw_badge, signed_badge, split_badge
from app.request.errors import RequestError
from app.request.user import current_user
from app.server.api.operation import ApiServer, Body, Operation
from storage.audit import Audit

_BADGE = "/badge/"
_ENDING = ".svg"
_DAY_S = 86_400


class NewEmbed(Body):
    """What the address shows: a view of the page of a run, or a badge of the status."""

    path: str = Field(
        max_length=4_000, description="`/run/ID`, maybe with its query, or `/badge/RULE.svg`."
    )
    view: str = Field("", max_length=64, description="Id of a plot of the run, such as `map`.")
    days: int = Field(30, ge=1, le=366, description="Days for which the address is valid.")


class Embed(BaseModel):
    """A signed address and its end."""

    url: str
    expires: str


def _make_embed(server: ApiServer, body: NewEmbed) -> Response:
    until_s = int(time.time()) + body.days * _DAY_S
    try:
        path = _sign(server, body, until_s)
    except OSError as error:
        raise RequestError(
            "This server cannot store a key for signatures; set secret_key.", 503
        ) from error
    settings = server.context.settings
    root = settings.public_url.rstrip("/") or request.host_url.rstrip("/")
    expires = datetime.fromtimestamp(until_s, UTC).isoformat(timespec="seconds")
    audit = Audit(server.context.repository.catalogue)
    audit.add(current_user().name, "embed.sign", body.path, f"{body.view} until {expires}".strip())
    response = jsonify({"url": f"{root}{path}", "expires": expires})
    response.status_code = 201
    return response


def _sign(server: ApiServer, body: NewEmbed, until_s: int) -> str:
    """Return the signed address of a panel or badge, a path.

    Nothing else is signed: every route that writes, or that shows more, needs its own user. Raises
    RequestError.
    """
    settings = server.context.settings
    path = unquote(body.path)
    name = path.removeprefix(_BADGE).removesuffix(_ENDING)
    if not name or path != f"{_BADGE}{name}{_ENDING}":
        return sign_panel(settings, server.context, body.path, body.view, until_s)
    if body.view:
        raise RequestError("A badge has no view.", 422)
    rule, key = split_badge(name)
    draw_badge(server.context, rule, key)
    return signed_badge(settings, rule, key, until_s)


MAKE_EMBED = Operation(
    "POST",
    "/embeds",
    "makeEmbed",
    "Sign an address of a view of a run, or of a badge, that is read without signing in.",
    _make_embed,
    {201: Embed},
    body=NewEmbed,
)
