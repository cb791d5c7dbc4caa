"""Rate limits of GitHub and GitLab: how long a server wants no further request."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from services.alerts.guarded_http import Response

_DEFAULT_WAIT_S = 60.0
"""Seconds to wait if a limit has no time: GitHub asks for at least a minute then."""
_MAX_WAIT_S = 86_400.0
"""Maximum seconds; a server's mistake must not delay a message for years."""
_RESETS = ("x-ratelimit-reset", "ratelimit-reset")
"""Headers of GitHub and GitLab with the end of the limit in seconds since 1970."""
_REMAINING = ("x-ratelimit-remaining", "ratelimit-remaining")


def wait_seconds(response: Response, message: str) -> float | None:
    """Return the seconds until the next permitted request, 1 to _MAX_WAIT_S (1 day); `None` if the
    response is not about a rate limit.

    GitHub uses status 403 as well as 429, and 403 also if a token lacks a permission. `message` is
    that of the response.
    """
    headers = response.headers
    is_used_up = any(headers.get(name) == "0" for name in _REMAINING)
    is_limit = response.status == 429 or (
        response.status == 403
        and ("retry-after" in headers or is_used_up or "rate limit" in message.lower())
    )
    if not is_limit:
        return None
    wait_s = _retry_after(headers)
    if wait_s is None and is_used_up:
        wait_s = _until_reset(headers)
    if wait_s is None:
        wait_s = _DEFAULT_WAIT_S
    return min(max(wait_s, 1.0), _MAX_WAIT_S)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of Retry-After, which is a number or a date."""
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None:
        return seconds
    date = _moment(text)
    return None if date is None else date - _server_time(headers)


def _until_reset(headers: Mapping[str, str]) -> float | None:
    reset = next((_number(headers[name]) for name in _RESETS if name in headers), None)
    return None if reset is None else reset - _server_time(headers)


def _server_time(headers: Mapping[str, str]) -> float:
    # The end of a limit is by the server's clock, which may differ from the clock here.
    date = _moment(headers.get("date", ""))
    return time.time() if date is None else date


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
