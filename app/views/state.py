"""The view state of a run's page as a query string, both ways."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
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
FARTHEST = 2**62 - 1
"""Ends of ranges lie within it, below and above 0."""
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_KIB = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?", re.ASCII)
_BUFFER = re.compile(r"([A-Za-z0-9_]{1,40})-([12])", re.ASCII)
_MOST_BUFFERS = 16
_RANGE = re.compile(r"(-?\d{1,19})-(-?\d{1,19})")


Choices = Mapping[str, Sequence[str]]
"""Name of a choice -> its values, the default first."""


@dataclass(frozen=True)
class RunState:
    """What a run's page shows; every field is canonical, so that equal states have equal queries.

    `overrides` are settings as the user wrote them. `memory` is what the memory views show, `find` the words that
    they light up; `search` are the words that the timeline looks for and `hit` the match that it stands on, from 0;
    `counter` is the hardware counter that is shown per instance. `operator` is the tiled operator that is looked at, a
    rank in frame `tilings`, `l1` the KiB of local memory that tiles are tried in (empty: as it is), and `buffers` the
    operands of it that hold one or two tiles in place of what they do. `table` is
    empty for the run's first one. `chosen` has the choices of how views look (see `app.views.choice`) that are not the
    default ones, by name in alphabetical order.
    """

    method: str = METHODS[0]
    overrides: Mapping[str, str] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)
    memory: MemorySelection = field(default_factory=MemorySelection)
    find: str = ""
    search: str = ""
    hit: int = 0
    counter: str = ""
    operator: int | None = None
    l1: str = ""
    buffers: tuple[tuple[str, int], ...] = ()
    table: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        chosen = self.selection
        pairs: list[tuple[str, object]] = [
            ("method", self.method),
            *((key, self.overrides[key]) for key in OVERRIDES if key in self.overrides),
            ("track", chosen.track),
            ("iteration", chosen.iteration),
            ("window", range_text(chosen.window)),
            ("duration", range_text(chosen.duration)),
            ("kind", chosen.kind),
            ("program", chosen.program),
            ("kernel", chosen.kernel),
            *((key, getattr(self.memory, key)) for key in _OF_MEMORY),
            *((key, range_text(getattr(self.memory, key))) for key in _RANGES),
            ("find", self.find),
            ("counter", self.counter),
            ("operator", self.operator),
            ("l1", self.l1),
            ("buffers", ",".join(f"{operand}-{count}" for operand, count in self.buffers) or None),
            ("search", self.search),
            ("hit", self.hit if self.search else 0),
            ("table", self.table),
            *sorted(self.chosen.items()),
        ]
        defaults = RunState()
        return urlencode([(k, v) for k, v in pairs if v is not None and v != getattr(defaults, k, None)], safe=",")

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


_OF_MEMORY = ("attempt", "against", "block", "bank", "step")
_WHOLE = (*_OF_MEMORY, "iteration", "program", "kernel", "hit", "operator")
_RANGES = ("span", "addresses")


def parse(query: str, choices: Choices = MappingProxyType({})) -> RunState:
    """Return the state that a query string names; what is unknown or malformed is passed over.

    `choices` has the values of every choice between looks, the default first.
    """
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    return make(dict(parse_qsl(text)), choices)


def make(values: Mapping[str, str], choices: Choices = MappingProxyType({})) -> RunState:
    """Return the canonical state of query values."""
    whole = {key: int(values[key]) for key in _WHOLE if _NUMBER.fullmatch(values.get(key, ""))}
    memory: dict[str, Any] = {key: whole[key] for key in _OF_MEMORY if key in whole}
    memory |= {key: range_of(values.get(key, "")) for key in _RANGES}
    words = {key: " ".join(values.get(key, "").split())[:_LONGEST].strip() for key in ("find", "search", "counter")}
    return RunState(
        method=_one_of(values, "method", METHODS, METHODS[0]),
        overrides={key: _canonical(key, values[key]) for key in OVERRIDES if valid_setting(key, values.get(key, ""))},
        selection=_selection(values, whole),
        memory=MemorySelection(**memory),
        hit=whole.get("hit", 0) if words["search"] else 0,
        operator=whole.get("operator"),
        l1=_size(values.get("l1", "")),
        buffers=_buffers(values.get("buffers", "")) if "operator" in whole else (),
        table=_one_of(values, "table", TABLES, ""),
        chosen={name: values[name] for name, known in sorted(choices.items()) if values.get(name) in known[1:]},
        **words,
    )


def _size(text: str) -> str:
    """Return a size in KiB as it stands in an address, empty where the text is none."""
    match = _KIB.fullmatch(text.strip())
    return f"{float(text):.3f}".rstrip("0").rstrip(".") if match and float(text) > 0 else ""


def _buffers(text: str) -> tuple[tuple[str, int], ...]:
    """Return operands and their tiles as they stand in an address, by operand."""
    found = (match for part in text.split(",") if (match := _BUFFER.fullmatch(part)))
    return tuple(sorted({match[1]: int(match[2]) for match in found}.items()))[:_MOST_BUFFERS]


def _one_of(values: Mapping[str, str], key: str, known: Collection[str], default: str) -> str:
    return values[key] if values.get(key) in known else default


def _selection(values: Mapping[str, str], whole: Mapping[str, int]) -> Selection:
    return Selection(
        track=values.get("track", "")[:_LONGEST] or None,
        iteration=whole.get("iteration"),
        window=range_of(values.get("window", "")),
        duration=range_of(values.get("duration", "")),
        kind=values.get("kind", "")[:_LONGEST] or None,
        program=whole.get("program"),
        kernel=whole.get("kernel"),
    )


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


def range_of(text: str) -> tuple[int, int] | None:
    """Return the range that a text of an address names."""
    match = _RANGE.fullmatch(text)
    if not match:
        return None
    low, high = int(match.group(1)), int(match.group(2))
    return (low, high) if -FARTHEST <= low < high <= FARTHEST else None


def covering(span: object, least: int = 0, most: int = FARTHEST, width: int = 1) -> tuple[int, int] | None:
    """Return a plot's range as whole numbers from `least` to `most` that cover it, at least so wide.

    None for what is no range.
    """
    if not isinstance(span, list | tuple) or len(span) != 2:
        return None
    if not all(isinstance(end, int | float) and math.isfinite(end) for end in span):
        return None
    low, high = sorted(span)
    begin = min(max(math.floor(low), least), most - width)
    return begin, max(begin + width, min(math.ceil(high), most))


def range_text(span: tuple[int, int] | None) -> str | None:
    """Return a range as it stands in an address."""
    return None if span is None else f"{span[0]}-{span[1]}"


def toggled(state: RunState, part: str, value: object) -> RunState:
    """Return the state with one part of the selection set, or cleared where it was that already."""
    return state.selecting(**{part: None if getattr(state.selection, part) == value else value})
