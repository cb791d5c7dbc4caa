"""The view state of a run's page as a query string, both ways."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from analysis.aie.tiles import TILE_METRICS
from analysis.derive import METHODS
from analysis.memory.allocators.packing import PACKERS
from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from components.aie.stalls import SHARES
from components.kernels.cycle_durations import VIEWS
from components.memory.memory_map import COLOURS
from schema.run_settings import RATES, REAL, WHOLE, SettingError, parse_setting

VIEW = "run-view"
"""Id of the store that holds the view state of a run's page, as its query string."""
OVERRIDES = (*REAL, *WHOLE, "mac_dtype", *RATES)
"""Settings that a view may override."""
TABLES = (
    *("attempts", "allocations", "occupancy", "steps", "buffer_uses"),
    *("iterations", "kernel_totals", "kernels", "activity"),
    *("launches", "programs", "counters", "markers", "contexts", "diagnostics"),
)
LANES = ("auto", "all")
AS_STORED = "stored"
"""Choice of a setting that overrides nothing."""
LAYOUTS = ("placed", *PACKERS)
"""Where the blocks of a memory map lie: where they were placed, or where an allocator of ours puts them."""
SHOWN_ATTEMPTS = ("all", "final", "failed")

_LONGEST = 400
"""Characters of a name in an address; a device may be called by 300."""
_LARGEST = 2**62
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_RANGE = re.compile(r"(-?\d{1,19})-(-?\d{1,19})")


@dataclass(frozen=True)
class RunState:
    """What a run's page shows; every field is canonical, so that equal states have equal queries.

    `overrides` are settings as the user wrote them. `memory` is what the memory views show, `find` the words that
    they light up; `search` are the words that the timeline looks for and `hit` the match that it stands on, from 0;
    `counter` is the hardware counter that is shown per instance. The rest chooses how a panel looks; `table` is empty
    for the run's first one.
    """

    method: str = METHODS[0]
    overrides: Mapping[str, str] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)
    memory: MemorySelection = field(default_factory=MemorySelection)
    find: str = ""
    search: str = ""
    hit: int = 0
    counter: str = ""
    durations: str = "histogram"
    share: str = "share"
    tile_metric: str = "median_kernel"
    lanes: str = LANES[0]
    table: str = ""
    colour: str = "name"
    layout: str = LAYOUTS[0]
    attempts: str = SHOWN_ATTEMPTS[0]

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        chosen = self.selection
        pairs: list[tuple[str, object]] = [
            ("method", self.method),
            *((key, self.overrides[key]) for key in OVERRIDES if key in self.overrides),
            ("track", chosen.track),
            ("iteration", chosen.iteration),
            ("window", _range_text(chosen.window)),
            ("duration", _range_text(chosen.duration)),
            ("kind", chosen.kind),
            ("program", chosen.program),
            ("kernel", chosen.kernel),
            *((key, getattr(self.memory, key)) for key in _OF_MEMORY),
            *((key, _range_text(getattr(self.memory, key))) for key in _RANGES),
            ("find", self.find),
            ("counter", self.counter),
            ("search", self.search),
            ("hit", self.hit if self.search else 0),
            *((name, getattr(self, name)) for name in _CHOICES if name != "method"),
        ]
        defaults = RunState()
        return urlencode([(k, v) for k, v in pairs if v is not None and v != getattr(defaults, k, None)], safe=",")

    def options(self) -> dict[str, str]:
        """Return method and overrides, as the export route takes them."""
        return {"method": self.method, **self.overrides}

    def remembering(self, **parts: object) -> RunState:
        """Return the state with other parts of the selection in memory."""
        return replace(self, memory=replace(self.memory, **parts))  # type: ignore[arg-type]

    def selecting(self, **parts: object) -> RunState:
        """Return the state with other parts of the selection."""
        return replace(self, selection=replace(self.selection, **parts))  # type: ignore[arg-type]


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "method": METHODS,
    "durations": tuple(VIEWS),
    "share": tuple(SHARES),
    "tile_metric": tuple(TILE_METRICS),
    "lanes": LANES,
    "table": TABLES,
    "colour": tuple(COLOURS),
    "layout": LAYOUTS,
    "attempts": SHOWN_ATTEMPTS,
}
_OF_MEMORY = ("attempt", "against", "block", "bank", "step")
_WHOLE = (*_OF_MEMORY, "iteration", "program", "kernel", "hit")
_RANGES = ("span", "addresses")


def parse(query: str) -> RunState:
    """Return the state that a query string names; what is unknown or malformed is passed over."""
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    return make(dict(parse_qsl(text)))


def make(values: Mapping[str, str]) -> RunState:
    """Return the canonical state of query values."""
    chosen = {key: values[key] for key, known in _CHOICES.items() if values.get(key) in known}
    whole = {key: int(values[key]) for key in _WHOLE if _NUMBER.fullmatch(values.get(key, ""))}
    selection = Selection(
        track=values.get("track", "")[:_LONGEST] or None,
        iteration=whole.get("iteration"),
        window=_range(values.get("window", "")),
        duration=_range(values.get("duration", "")),
        kind=values.get("kind", "")[:_LONGEST] or None,
        program=whole.get("program"),
        kernel=whole.get("kernel"),
    )
    memory: dict[str, Any] = {key: whole[key] for key in _OF_MEMORY if key in whole}
    memory |= {key: _range(values.get(key, "")) for key in _RANGES}
    overrides = {key: values[key] for key in OVERRIDES if key in values and _valid(key, values[key])}
    words = {key: " ".join(values.get(key, "").split())[:_LONGEST].strip() for key in ("find", "search", "counter")}
    hit = whole.get("hit", 0) if words["search"] else 0
    return RunState(
        overrides=overrides, selection=selection, memory=MemorySelection(**memory), hit=hit, **words, **chosen
    )


def overridden(state: RunState, key: str, text: str | None) -> RunState:
    """Return the state with a setting overridden, or as the run has it where the text is empty or no value of it."""
    overrides = {name: value for name, value in state.overrides.items() if name != key}
    if text and key in OVERRIDES and _valid(key, text):
        overrides[key] = text
    return replace(state, overrides={name: overrides[name] for name in OVERRIDES if name in overrides})


def _valid(key: str, text: str) -> bool:
    try:
        parse_setting(key, text)
    except SettingError:
        return False
    return True


def _range(text: str) -> tuple[int, int] | None:
    match = _RANGE.fullmatch(text)
    if not match:
        return None
    low, high = int(match.group(1)), int(match.group(2))
    return (low, high) if -_LARGEST < low < high < _LARGEST else None


def _range_text(span: tuple[int, int] | None) -> str | None:
    return None if span is None else f"{span[0]}-{span[1]}"
