"""Parse points in time that people type: a date and time, or an age."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from schema.run_settings import SettingError, moment

_AGE = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class MomentError(ValueError):
    """A text is neither a time nor an age; the message is one sentence for a user."""


def parse_age(text: str) -> timedelta | None:
    """Parse a whole number with s, m, h or d (90s, 30m, 12h, 7d) to a duration; None if the text is
    not such an age. The number has one to six digits and no sign.
    """
    match = _AGE.fullmatch(text)
    return timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else None


def parse_time(name: str, text: str) -> datetime | None:
    """Parse a date and time of ISO 8601 to an aware datetime in UTC with whole seconds.

    A text without an offset is UTC. Returns None for a blank text. Raises MomentError if the text
    is not a time; its message begins with `name`.
    """
    try:
        utc = moment(text)
    except SettingError as error:
        # The text comes from an address or a command line and may be long.
        raise MomentError(
            f"{name} {text[:60]}: expected a date and time such as 2026-11-01T12:00Z"
        ) from error
    return datetime.fromisoformat(utc) if utc else None


def parse_since(name: str, text: str, now: datetime | None = None) -> datetime | None:
    """Parse a time, or an age before `now` (default: the current time), to an aware datetime; None
    for a blank text. An age is a whole number with s, m, h or d, such as 90s or 7d.

    Raises MomentError if the text is neither, or the age reaches before year 1; its message begins
    with `name`.
    """
    age = parse_age(text)
    if age is not None:
        try:
            # Six digits of days are 2,700 years, and datetime has no year before 1.
            return (now or datetime.now(UTC)) - age
        except OverflowError as error:
            raise MomentError(
                f"{name} {text}: the time is outside of the supported range"
            ) from error
    try:
        return parse_time(name, text)
    except MomentError as error:
        raise MomentError(
            f"{name} {text[:60]}: expected an age such as 7d, or a time such as 2026-11-01"
        ) from error
