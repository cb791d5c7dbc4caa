"""View state changes on a run's page outside its views: options and settings."""

from __future__ import annotations

from collections.abc import Mapping

from app.views.page_callbacks import with_fields
from app.views.registry import CHOICES, RUN
from app.views.state import AS_STORED, OVERRIDES, RunState, overridden
from components.numbers import grouped_digits, shorten
from schema.run_settings import SettingError, parse_setting

_MAX_LENGTH = 20
"""Maximum characters of an invalid value in a message."""


def choices_made(state: RunState, choices: Mapping[str, str]) -> RunState:
    """Return the state with the values of the page's selectors (`choices`: name -> value).

    Invalid values are ignored.
    """
    return with_fields(RUN, state, choices)


def field_value(state: RunState, name: str) -> str:
    """Return the value that the field `name` of the page shows: the chosen value, or the default;
    "" for an unknown name.
    """
    if name in CHOICES:
        return state.chosen.get(name, CHOICES[name][0])
    if name in OVERRIDES:
        return state.overrides.get(name, AS_STORED)
    return str(state.view_selections.values().get(name, getattr(state, name, "")))


def setting_changed(state: RunState, key: str, text: str | None) -> RunState:
    """Return the state with a setting overridden; an empty or invalid text restores the stored
    value.
    """
    return overridden(state, key, (text or "").strip() or None)


def setting_refused(key: str, text: str | None) -> str:
    """Return a sentence with the reason why a text is not a valid value of a setting; "" if it is
    valid or empty.
    """
    value = (text or "").strip()
    try:
        if value:
            parse_setting(key, value)
    except SettingError as error:
        expected = grouped_digits(str(error).rpartition(": ")[2])
        return f"{expected[:1].upper()}{expected[1:]}, not “{shorten(value, _MAX_LENGTH)}”."
    return ""
