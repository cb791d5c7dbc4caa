"""A view of a run as a page of its own, which pages of other sites show in a frame."""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache
from urllib.parse import quote

from markupsafe import Markup

from app.config.assets import PLOTLY
from app.config.settings import Settings
from app.context import AppContext
from app.pages.page_file import resolve_run
from app.pages.snapshot_file import THEME, ViewPanel, template, timeline_assets, view_panel
from app.request.errors import RequestError, request_errors
from app.request.signing import SIGNED, sign, signing_key
from app.views.registry import RUN, parse
from components.numbers import tame
from components.theme import css
from schema.run_settings import SettingError
from services.run.data import RunData

NO_STATE = "-"
"""Stands for the view state in an address without one."""
_RUN_PAGE = re.compile(r"/run/([0-9a-f]{1,64})")
MAX_STATE = 2_000
"""Maximum number of characters of the view state in a signed address."""


def panel_html(
    context: AppContext, run_id: str, view: str, state: str, nonce: str, *, theme: str
) -> str:
    """Return the text of an HTML page with one plot of a run, read only.

    `state` is the view state as `encode_state` made it; `nonce` names the scripts that may run, `theme` is
    a key of PALETTES.
    Raises RequestError: 404 if there is no such run or plot, 400 for an invalid state.
    """
    data, query = _open_run(context, run_id, decode_state(state))
    return template("panel.html").render(
        name=tame(str(data.run.iloc[0]["name"])),
        view=_panel(data, view, query, theme),
        theme=theme,
        address=f"/run/{data.run_id}{f'?{query}' if query else ''}#{view}",
        nonce=nonce,
        css=Markup(css()),  # noqa: S704 - our own styles and script
        plotly=_plotly(),
        **{name: Markup(text) for name, text in timeline_assets().items()},  # noqa: S704
    )


def sign_panel(settings: Settings, context: AppContext, path: str, view: str, until_s: int) -> str:
    """Return the signed address of a view of a run's page, a path valid until `until_s`.

    Raises RequestError (422) if `path` is not the page of a run with such a plot, OSError if the
    key for signatures can neither be read nor made.
    """
    page, _, query = path.partition("?")
    match = _RUN_PAGE.fullmatch(page)
    if match is None or len(query) > MAX_STATE:
        raise RequestError("path must be the page of a run, such as /run/0123456789ab.", 422)
    data, query = _open_run(context, match[1], query)
    _panel(data, view, query)
    base = f"{SIGNED}run/{data.run_id}/{quote(view, safe='')}/{encode_state(query)}"
    return sign(signing_key(settings.secret_key, settings.data), base, until_s)


def encode_state(query: str) -> str:
    """Encode a view state as a part of a path."""
    return base64.urlsafe_b64encode(query.encode()).decode().rstrip("=") or NO_STATE


def decode_state(text: str) -> str:
    """Decode the part of a path that `encode_state` made; raises RequestError (404) for any other
    text.
    """
    if text == NO_STATE:
        return ""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except (ValueError, binascii.Error) as error:
        raise RequestError("There is no such panel.", 404) from error


def _open_run(context: AppContext, run_id: str, query: str) -> tuple[RunData, str]:
    """Return the data of a run, and its view state as the page writes it."""
    state = parse(query)
    with request_errors(400, SettingError):
        data = context.data.with_saved(resolve_run(context, run_id), state.method, state.overrides)
    return data, state.query()


def _panel(data: RunData, view: str, query: str, theme: str = THEME) -> ViewPanel:
    state = parse(query)
    for plot in RUN.available_plots(data):
        if plot.id == view:
            return view_panel(plot, data, state, theme=theme)
    names = ", ".join(plot.id for plot in RUN.available_plots(data))
    raise RequestError(f"This run has no plot {view!r}; it has {names or 'none'}.", 404)


@lru_cache(maxsize=1)
def _plotly() -> Markup:
    return Markup(PLOTLY.read_text(encoding="utf-8"))  # noqa: S704 - a file of the program
