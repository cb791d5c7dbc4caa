"""Callbacks of the fields and chips of the comparison page."""

from __future__ import annotations

from collections.abc import Mapping

from dash import Dash

from app.context import AppContext
from app.pages.chips import EVERY_PART, register_chips
from app.pages.compare.binding import compare_binding
from app.pages.compare.head import HEAD
from app.views.comparison.memory import ATTEMPT, shown_attempt
from app.views.comparison.registry import CHOICES, COMPARE
from app.views.comparison.state import CompareState, clear_part
from app.views.comparison.timelines import shown_marker
from app.views.page_callbacks import PageCallbacks, choice_shown, with_fields
from services.comparison.data import CompareData


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the comparison page: views, fields, and the chips of its selection."""
    binding = compare_binding(app, context)
    PageCallbacks(
        binding, HEAD, lambda state: clear_part(state, EVERY_PART), field_text, fill_fields
    ).register()
    register_chips(binding, clear_part)


def field_text(data: CompareData, state: CompareState, name: str) -> str:
    """Return the value that the field `name` shows: the chosen value, or the default that is
    displayed without a choice.
    """
    if name in CHOICES:
        return choice_shown(state, CHOICES, name)
    return shown_attempt(data, state) if name == ATTEMPT else str(shown_marker(data, state))


def fill_fields(state: CompareState, _data: CompareData, given: Mapping[str, str]) -> CompareState:
    """Return the state after fields changed (`given`: name -> value).

    Another attempt clears the selected block, because blocks are numbered per attempt.
    """
    return with_fields(COMPARE, state, given, {"block"} if ATTEMPT in given else set())
