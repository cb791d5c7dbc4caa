"""Moments as people write them: a date and time, or an age."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from schema.run_settings import SettingError, moment

_AGE = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class MomentError(ValueError):
    """A text is neither a time nor an age; the message is one sentence for a person."""


def parse_age(text: str) -> timedelta | None:
    """Return an age such as 90s, 30m, 12h or 7d, None where the text is none."""
    found = _AGE.fullmatch(text)
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else None


def parse_time(name: str, text: str) -> datetime | None:
    """Return a date and time of ISO 8601, which is UTC without an offset; None for "".

    Raises MomentError, which names what the text was given for.
    """
    try:
        found = moment(text)
    except SettingError as error:
        raise MomentError(f"{name} {text[:60]}: expected a date and time such as 2026-11-01T12:00Z") from error
    return datetime.fromisoformat(found) if found else None


def parse_since(name: str, text: str, now: datetime | None = None) -> datetime | None:
    """Return the moment of a time, or of an age before `now` (default: this moment); None for "".

    Raises MomentError, which names what the text was given for.
    """
    age = parse_age(text)
    if age is not None:
        try:
            return (now or datetime.now(UTC)) - age
        except OverflowError as error:
            raise MomentError(f"{name} {text}: that is before all times") from error
    try:
        return parse_time(name, text)
    except MomentError as error:
        raise MomentError(f"{name} {text[:60]}: expected an age such as 7d, or a time such as 2026-11-01") from error
