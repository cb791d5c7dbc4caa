"""Age of a run in words, as `last night` for a run of the night before."""

from __future__ import annotations

from datetime import UTC, datetime

from components.numbers import count_text

MINUTE_S, HOUR_S, DAY_S = 60.0, 3_600.0, 86_400.0
_NIGHT_BEGINS, _NIGHT_ENDS = 18, 8
"""Hours of the day at which a night begins and ends, in UTC as all times of the pages."""


def when_words(taken_at: str, as_of: str) -> str:
    """Write how long before `as_of` a run was taken (both ISO 8601 with offset): `just now`,
    `20 min ago`, `last night, 9 h ago`, `3 days ago`.

    A run of the last 24 h is of last night if it was taken between 18:00 and 08:00 UTC. A run that
    is dated a minute or more after `as_of`, by a clock that was wrong, is `dated in the future`.
    """
    taken = datetime.fromisoformat(taken_at).astimezone(UTC)
    age_s = age_seconds(taken_at, as_of)
    if age_s < MINUTE_S:
        return "just now" if age_s > -MINUTE_S else "dated in the future"
    if age_s < HOUR_S:
        return f"{int(age_s // MINUTE_S)} min ago"
    if age_s >= DAY_S:
        return f"{count_text(int(age_s // DAY_S), 'day')} ago"
    hours = f"{int(age_s // HOUR_S)} h ago"
    is_night = taken.hour >= _NIGHT_BEGINS or taken.hour < _NIGHT_ENDS
    return f"last night, {hours}" if is_night else hours


def is_of_last_day(taken_at: str, as_of: str) -> bool:
    """Whether a run was taken at most 24 h before `as_of`."""
    return age_seconds(taken_at, as_of) < DAY_S


def age_seconds(taken_at: str, as_of: str) -> float:
    """Return the seconds from one time to another (ISO 8601 with offset); negative if it is later."""
    return (datetime.fromisoformat(as_of) - datetime.fromisoformat(taken_at)).total_seconds()
