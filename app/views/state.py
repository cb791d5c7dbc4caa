"""The view state of a run's page; the declarations of its fields define its address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from app.views.address.fields import (
    choices_param,
    mapping_param,
    param,
    record_param,
    selections_param,
)
from app.views.address.kind import Address, Kind, Pair
from app.views.address.kinds import Numbers, OneOf, Text, Whole, Words
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
"""Option value of a setting that is not overridden."""
MAX_MARKED_TRACKS = 64
"""Maximum number of folded tracks of a timeline, and of pinned tracks."""
_MAX_LENGTH = 400
"""Maximum length of a name in an address, in characters; names of devices have up to 300."""


class _Overrides(Kind[Mapping[str, str]]):
    """Settings of a run, each under its own name in the address."""

    def find(self, name: str, address: Address) -> Mapping[str, str]:
        texts = {key: address.text(key) for key in OVERRIDES}
        return {
            key: _canonical(key, text) for key, text in texts.items() if valid_setting(key, text)
        }

    def pairs(self, name: str, value: Mapping[str, str]) -> Iterable[Pair]:
        return [(key, value[key]) for key in OVERRIDES if key in value]


_SELECTION: Mapping[str, Kind[Any]] = {
    "track": Text(_MAX_LENGTH),
    "iteration": Whole(),
    "window": Span(),
    "duration": Span(),
    "kind": Text(_MAX_LENGTH),
    "program": Whole(),
    "kernel": Whole(),
    "op": Text(_MAX_LENGTH),
    "python": Text(_MAX_LENGTH),
}
_MEMORY: Mapping[str, Kind[Any]] = {
    **dict.fromkeys(("attempt", "against", "block", "bank", "step"), Whole()),
    **dict.fromkeys(("span", "addresses"), Span()),
}


@dataclass(frozen=True)
class RunState(ViewState):
    """The view state of a run's page.

    Every field is canonical, so that equal states have equal queries. `overrides` are settings as
    the user wrote them. `memory` is the selection of the memory views, and `find` the words that
    they highlight. `search` are the words that the timeline searches for, and `hit` the index of
    the current match, from 0. `table` is empty for the run's first table.
    `folded` and `pinned` are numbers of tracks of the timeline. `chosen` has the options
    (see `app.views.option`) that are not at their default, in alphabetical order; `view_selections`
    has the selections that single views define.
    """

    method: str = param(OneOf(METHODS), METHODS[0])
    overrides: Mapping[str, str] = mapping_param(_Overrides())
    selection: Selection = record_param(Selection, _SELECTION)
    memory: MemorySelection = record_param(MemorySelection, _MEMORY)
    find: str = param(Words(_MAX_LENGTH), "")
    view_selections: ViewSelections = selections_param()
    search: str = param(Words(_MAX_LENGTH), "")
    hit: int = param(Whole(), 0, requires="search")
    table: str = param(OneOf(TABLES), "")
    folded: tuple[int, ...] = param(Numbers(MAX_MARKED_TRACKS, 4), ())
    pinned: tuple[int, ...] = param(Numbers(MAX_MARKED_TRACKS, 4), ())
    chosen: Mapping[str, str] = choices_param()

    def options(self) -> dict[str, str]:
        """Return the parameters of the export route: `method`, and each overridden setting -> its
        text.
        """
        return {"method": self.method, **self.overrides}

    @property
    def selects_nothing(self) -> bool:
        """Whether the whole run is shown."""
        return self.selection == Selection() and self.memory == MemorySelection()

    def remembering(self, **parts: object) -> RunState:
        """Return the state with other parts of the memory selection, as `block` or `step`, by
        keyword.
        """
        return replace(self, memory=replace(self.memory, **parts))  # type: ignore[arg-type]

    def selecting(self, **parts: object) -> RunState:
        """Return the state with other parts of the selection, as `kernel` or `window`, by keyword."""
        return replace(self, selection=replace(self.selection, **parts))  # type: ignore[arg-type]


def overridden(state: RunState, key: str, text: str | None) -> RunState:
    """Return the state with setting `key` overridden, or reset if the text is empty or invalid."""
    overrides = {name: value for name, value in state.overrides.items() if name != key}
    if text and key in OVERRIDES and valid_setting(key, text):
        overrides[key] = _canonical(key, text)
    # In the order of OVERRIDES, so that equal states have equal queries.
    return replace(
        state, overrides={name: overrides[name] for name in OVERRIDES if name in overrides}
    )


def _canonical(key: str, text: str) -> str:
    """Return the text of a valid setting for the address: a device by its full name, any other as
    written.
    """
    return str(parse_setting(key, text)) if key == DEVICE else text


def valid_setting(key: str, text: str) -> bool:
    """Return whether a text is a valid value of setting `key`; an empty text is not."""
    if not text.strip():
        return False
    try:
        parse_setting(key, text)
    except SettingError:
        return False
    return True


def toggle_part(state: RunState, part: str, value: object) -> RunState:
    """Return the state with part `part` of the selection set to `value`, or cleared if it already
    has it.
    """
    return state.selecting(**{part: None if getattr(state.selection, part) == value else value})
