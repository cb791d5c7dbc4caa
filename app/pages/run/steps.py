"""What people set on a run's page outside of its views: choices and settings, as steps between view states."""

from __future__ import annotations

from collections.abc import Mapping

from app.views.page_callbacks import with_fields
from app.views.registry import CHOICES, RUN
from app.views.state import AS_STORED, OVERRIDES, RunState, overridden
from components.numbers import grouped_digits, shorten
from schema.run_settings import SettingError, parse_setting

_LONGEST = 20
"""Characters of a text that is no value, as it is told."""


def choices_made(state: RunState, choices: Mapping[str, str]) -> RunState:
    """Take what the page's choices hold, by name; what is none of its values is as if not chosen."""
    return with_fields(RUN, state, choices)


def choice_of(state: RunState, name: str) -> str:
    """Return what a choice of the page holds."""
    if name in CHOICES:
        return state.chosen.get(name, CHOICES[name][0])
    if name in OVERRIDES:
        return state.overrides.get(name, AS_STORED)
    return str(state.view_selections.values().get(name, getattr(state, name, "")))


def setting_changed(state: RunState, key: str, text: str | None) -> RunState:
    """Override a setting, or take it as stored where the text is empty or no value of it."""
    return overridden(state, key, (text or "").strip() or None)


def setting_refused(key: str, text: str | None) -> str:
    """Say why a text is no value of a setting; nothing where it is one, or empty."""
    given = (text or "").strip()
    try:
        if given:
            parse_setting(key, given)
    except SettingError as error:
        expected = grouped_digits(str(error).rpartition(": ")[2])
        return f"{expected[:1].upper()}{expected[1:]}, not “{shorten(given, _LONGEST)}”."
    return ""
