"""Callbacks of the pages of bisections: the clock, skipped commits, the form."""

from __future__ import annotations

from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, no_update

from analysis.bisection.address import LIST_PATH
from app.context import AppContext
from app.pages.bisect.page import BODY, CLOCK, SHOWN, body, version
from app.pages.bisect.start import FIELDS, USUAL, field_id
from app.request.errors import as_sentence
from app.request.user import require
from components.bisection.table import RETURN, SKIP
from components.numbers import tame
from schema.roles import Role
from services.bisection.bisections import Request, start
from services.bisection.commits import parse_commits
from services.bisection.errors import BisectionError
from services.bisection.skipping import skip_commit
from storage.errors import StorageError


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the page of a bisection."""

    @app.callback(
        Output(BODY, "children"),
        Output(SHOWN, "data"),
        Output("bisection-error", "children"),
        Input(CLOCK, "n_intervals"),
        Input({"type": SKIP, "commit": ALL}, "n_clicks"),
        Input({"type": RETURN, "commit": ALL}, "n_clicks"),
        Input("theme", "data"),
        State(SHOWN, "data"),
        prevent_initial_call=True,
    )
    def follow(
        _turn: int, _skips: Any, _returns: Any, chosen: str | None, shown: list[str]
    ) -> tuple[Any, Any, str]:
        bisection_id, drawn, before = shown
        theme = chosen or drawn
        is_button = isinstance(ctx.triggered_id, dict)
        is_pressed = is_button and bool(ctx.triggered[0]["value"])
        if is_pressed:
            error = _skip(context, bisection_id, ctx.triggered_id)
            if error:
                return no_update, no_update, error
        now = version(context)
        # The page polls, so the content is only computed when a run or the theme changed.
        if now == before and theme == drawn and not is_pressed:
            return no_update, no_update, ""
        return body(context, bisection_id, theme), [bisection_id, theme, now], ""


def _skip(context: AppContext, bisection_id: str, pressed: Any) -> str:
    """Skip a commit, or take that back, as the button requests; return the error as a sentence, ""
    if it succeeded. Requires the role editor.
    """
    user = require(Role.EDITOR).name
    try:
        skip_commit(
            context.repository.catalogue,
            bisection_id,
            str(pressed["commit"]),
            user,
            is_skipped=pressed["type"] == SKIP,
        )
    except BisectionError as error:
        return f"{tame(str(error))}."
    except StorageError as error:
        return as_sentence(error)
    return ""


def register_start(app: Dash, context: AppContext) -> None:
    """Register the callback of the form."""

    @app.callback(
        Output("bisect-goto", "href"),
        Output("bisect-error", "children"),
        Input("bisect-start", "n_clicks"),
        *(State(field_id(name), "value") for name in FIELDS),
        prevent_initial_call=True,
    )
    def begin(clicks: int | None, *values: str | None) -> tuple[Any, str]:
        if not clicks:
            return no_update, ""
        user = require(Role.EDITOR).name
        form = {name: str(value or "").strip() for name, value in zip(FIELDS, values, strict=True)}
        try:
            made = start(context.repository, _request(context, form), user)
        except BisectionError as error:
            return no_update, f"{tame(str(error))}."
        except StorageError as error:
            return no_update, as_sentence(error)
        return f"{LIST_PATH}/{made.bisection_id}", ""


def _request(context: AppContext, form: dict[str, str]) -> Request:
    if not form["run"]:
        raise BisectionError("a bisection needs a run of its key")
    return Request(
        context.repository.resolve(form["run"]),
        form["good"],
        form["bad"],
        parse_commits(form["commits"], "commits") or None,
        "" if form["metric"] == USUAL else form["metric"],
    )
