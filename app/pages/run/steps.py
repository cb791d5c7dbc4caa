"""What people set on a run's page outside of its views: choices and settings, as steps between view states."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from app.views.registry import CHOICES
from app.views.state import AS_STORED, OVERRIDES, RunState, make, overridden


def choices_made(state: RunState, choices: Mapping[str, str]) -> RunState:
    """Take what the page's choices hold, by name; what is none of its values is as if not chosen."""
    others = {key: value for key, value in parse_qsl(state.query()) if key not in choices}
    return make({**others, **choices}, CHOICES)


def choice_of(state: RunState, name: str) -> str:
    """Return what a choice of the page holds."""
    if name in CHOICES:
        return state.chosen.get(name, CHOICES[name][0])
    return state.overrides.get(name, AS_STORED) if name in OVERRIDES else str(getattr(state, name))


def setting_changed(state: RunState, key: str, text: str | None) -> RunState:
    """Override a setting, or take it as stored where the text is empty or no value of it."""
    return overridden(state, key, (text or "").strip() or None)
