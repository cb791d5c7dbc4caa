"""Badges of the status: `/badge/RULE.svg`, and one for each key, `/badge/RULE/KEY.svg`."""

from __future__ import annotations

import re
import time
from urllib.parse import quote

from app.config.settings import Settings
from app.context import AppContext
from app.pages.status.shown_status import SHOWN_WITHIN_S
from app.request.errors import RequestError, request_errors
from app.request.signing import SIGNED, sign, signing_key
from components.comparison.badge import key_badge, rule_badge
from schema.plurals import plural
from services.status.regressions import series_id
from services.status.rules import RuleError

DAY_S = 86_400
_SIGNED_DAYS = 366
"""Days for which the addresses that the page offers are valid, if users have to sign in."""
_KEY = re.compile("[0-9a-f]{32}")
"""The `series_id` of a key; a rule's own name may contain slashes."""
WHOLE_RULE = "-"
"""Stands for a key in the signed address of a rule's badge."""


def split_badge(name: str) -> tuple[str, str]:
    """Split `RULE` or `RULE/KEY` into rule and key ("" for the badge of the rule)."""
    rule, _, key = name.rpartition("/")
    return (rule, key) if rule and _KEY.fullmatch(key) else (name, "")


def draw_badge(context: AppContext, rule: str, key: str = "") -> str:
    """Draw the badge of a rule, or of the key with this `series_id`, as the text of an SVG file.

    Raises RequestError: 404 if there is no such rule or key, 503 if the key is not read yet
    because comparisons are missing.
    """
    with request_errors(404, RuleError):
        status = context.status.status(rule, within_s=SHOWN_WITHIN_S)
    if not key:
        return rule_badge(status)
    for row in status.rows:
        if series_id(row.key) == key:
            return key_badge(row, status.rows)
    if status.missing:
        raise RequestError(f"{plural(status.missing, 'comparison')} still running; try again.", 503)
    raise RequestError(f"Rule {status.rule} has no such key.", 404)


def badge_address(settings: Settings, rule: str, key: str = "", *, is_editor: bool) -> str:
    """Return the address of a badge, a path.

    If users have to sign in, editors get a signed address: pages of other sites send no cookies.
    Raises OSError as `signed_badge` does.
    """
    if settings.auth == "none" or not is_editor:
        return quote(f"/badge/{rule}/{key}.svg" if key else f"/badge/{rule}.svg")
    # By whole days, so that the address stays the same while a page is redrawn.
    until_s = (int(time.time()) // DAY_S + _SIGNED_DAYS) * DAY_S
    return signed_badge(settings, rule, key, until_s)


def signed_badge(settings: Settings, rule: str, key: str, until_s: int) -> str:
    """Return the signed address of a badge, a path that is valid until `until_s` (seconds since
    1970).

    Raises OSError if the key for signatures can neither be read nor made.
    """
    secret = signing_key(settings.secret_key, settings.data)
    return quote(sign(secret, f"{SIGNED}badge/{key or WHOLE_RULE}/{rule}", until_s))
