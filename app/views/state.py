"""The view state of a run's page; how its fields are declared says how an address has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from app.views.address.fields import choices_param, mapping_param, param, record_param, selections_param
from app.views.address.kind import Address, Kind, Pair
from app.views.address.kinds import OneOf, Text, Whole, Words
from app.views.address.ranges import Span
from app.views.address.selections import ViewSelections
from app.views.address.view_state import ViewState
from schema.choices import METHODS
from schema.frames import FRAMES
from schema.run_settings import DEVICE, RATES, REAL, WHOLE, SettingError, parse_setting

OVERRIDES = (*REAL, *WHOLE, "mac_dtype", DEVICE, *RATES)
"""Settings that a view may override."""
TABLES = tuple(spec.name for spec in FRAMES.values() if spec.tabled)
"""Frames that the page shows as tables, in order."""
AS_STORED = "stored"
"""Choice of a setting that overrides nothing."""
_LONGEST = 400
"""Characters of a name in an address; a device may be called by 300."""


class _Overrides(Kind[Mapping[str, str]]):
    """Settings, each by its own name."""

    def find(self, name: str, address: Address) -> Mapping[str, str]:
        given = {key: address.text(key) for key in OVERRIDES}
        return {key: _canonical(key, text) for key, text in given.items() if valid_setting(key, text)}

    def pairs(self, name: str, value: Mapping[str, str]) -> Iterable[Pair]:
        return [(key, value[key]) for key in OVERRIDES if key in value]


_SELECTION: Mapping[str, Kind[Any]] = {
    "track": Text(_LONGEST),
    "iteration": Whole(),
    "window": Span(),
    "duration": Span(),
    "kind": Text(_LONGEST),
    "program": Whole(),
    "kernel": Whole(),
}
_MEMORY: Mapping[str, Kind[Any]] = {
    **dict.fromkeys(("attempt", "against", "block", "bank", "step"), Whole()),
    **dict.fromkeys(("span", "addresses"), Span()),
}


@dataclass(frozen=True)
class RunState(ViewState):
    """What a run's page shows; every field is canonical, so that equal states have equal queries.

    `overrides` are settings as the user wrote them. `memory` is what the memory views show, `find` the words that
    they light up; `search` are the words that the timeline looks for and `hit` the match that it stands on, from 0.
    `table` is empty for the run's first one. `chosen` has the choices of how views look (see `app.views.option`) that
    are not the default ones, by name in alphabetical order; `view_selections` what is selected in views that bring a
    selection of their own.
    """

    method: str = param(OneOf(METHODS), METHODS[0])
    overrides: Mapping[str, str] = mapping_param(_Overrides())
    selection: Selection = record_param(Selection, _SELECTION)
    memory: MemorySelection = record_param(MemorySelection, _MEMORY)
    find: str = param(Words(_LONGEST), "")
    view_selections: ViewSelections = selections_param()
    search: str = param(Words(_LONGEST), "")
    hit: int = param(Whole(), 0, requires="search")
    table: str = param(OneOf(TABLES), "")
    chosen: Mapping[str, str] = choices_param()

    def options(self) -> dict[str, str]:
        """Return method and overrides, as the export route takes them."""
        return {"method": self.method, **self.overrides}

    @property
    def selects_nothing(self) -> bool:
        """Return whether it shows all of the run."""
        return self.selection == Selection() and self.memory == MemorySelection()

    def remembering(self, **parts: object) -> RunState:
        """Return the state with other parts of the selection in memory."""
        return replace(self, memory=replace(self.memory, **parts))  # type: ignore[arg-type]

    def selecting(self, **parts: object) -> RunState:
        """Return the state with other parts of the selection."""
        return replace(self, selection=replace(self.selection, **parts))  # type: ignore[arg-type]


def overridden(state: RunState, key: str, text: str | None) -> RunState:
    """Return the state with a setting overridden, or as the run has it where the text is empty or no value of it."""
    overrides = {name: value for name, value in state.overrides.items() if name != key}
    if text and key in OVERRIDES and valid_setting(key, text):
        overrides[key] = _canonical(key, text)
    return replace(state, overrides={name: overrides[name] for name in OVERRIDES if name in overrides})


def _canonical(key: str, text: str) -> str:
    """Return a valid setting as it stands in an address: a device by its whole name, another as it was written."""
    return str(parse_setting(key, text)) if key == DEVICE else text


def valid_setting(key: str, text: str) -> bool:
    """Return whether a text is a value of a setting."""
    if not text.strip():
        return False
    try:
        parse_setting(key, text)
    except SettingError:
        return False
    return True


def toggle_part(state: RunState, part: str, value: object) -> RunState:
    """Return the state with one part of the selection set, or cleared where it was that already."""
    return state.selecting(**{part: None if getattr(state.selection, part) == value else value})
