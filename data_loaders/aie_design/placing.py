"""Place a design on the array of a capture: columns of a design are relative.

Every traced unit must fall on a tile of its kind. Of several such shifts, the units that the design
configures for tracing decide, else the first columns of both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from data_loaders.aie.columns import find_shift
from data_loaders.aie.configuration import read_design
from data_loaders.aie.units import Place, UnitConfiguration
from data_loaders.protocol import LoadError
from schema.diagnostics import Diagnostic
from schema.frames import Frames, conform
from schema.plurals import first_names, plural

_TILE_KIND: Mapping[str, str] = MappingProxyType({"mem": "core"})
"""Kind of the tile that has a unit, if it has another name."""
TILE_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "design_tiles": ("tile",),
        "design_buffers": ("tile",),
        "design_accesses": ("tile", "by"),
        "design_locks": ("tile",),
        "design_uses": ("tile", "by"),
        "design_descriptors": ("tile",),
        "design_flows": ("source", "dest"),
        "design_fifos": ("producer", "consumer"),
        "design_host": ("tile",),
        "design_programs": ("tile", "lock_tile"),
    }
)
"""Columns that name a tile, or a channel by its tile."""
_TILE_NAME = re.compile(r"\b(\w++ \d++,)(\d{1,9})\b")
_MAX_NAMED = 4
"""Number of shifts or units that a finding names."""


@dataclass(frozen=True)
class Placement:
    """Frames of a design at the columns of a capture, `None` if it does not fit; findings."""

    frames: dict[str, pd.DataFrame] | None
    findings: list[Diagnostic]


def traced_kinds(path: Path, device: int) -> dict[tuple[int | None, int | None], str]:
    """Map row and column of a tile to the kinds of units that a design traces, blanks between.

    Empty if the design configures no trace, or its configuration cannot be read.
    """
    try:
        design = read_design(path)
    except (LoadError, OSError):
        return {}
    kinds: dict[tuple[int | None, int | None], list[str]] = {}
    for one in design.devices[device : device + 1]:
        for (kind, row, col), unit in one.units().items():
            if unit.is_traced:
                kinds.setdefault((row, col), []).append(kind)
    return {place: " ".join(sorted(names)) for place, names in kinds.items()}


def traced_places(tracks: pd.DataFrame) -> set[Place]:
    """Return kind, row and column of the units of frame `tracks` that have a place."""
    placed = tracks[tracks["row"].notna() & tracks["col"].notna()]
    return {
        (str(kind), int(row), int(col))
        for kind, row, col in zip(placed["kind"], placed["row"], placed["col"], strict=True)
    }


def place_design(frames: Frames, traced: Set[Place], given: int | None = None) -> Placement:
    """Shift a design to the columns of the traced units; `given` is a shift that the user set.

    Without a fitting shift the frames are `None`, with finding `design_other`.
    """
    devices = frames["design_devices"]
    chosen = devices[devices["chosen"]].iloc[0]
    file = str(chosen["file"])
    shifts = _fitting(frames["design_tiles"], traced)
    # The user's shift counts, even if no tile fits the traced units then.
    if given is not None:
        return Placement(shift_frames(frames, given), [])
    if not shifts:
        names = sorted(f"{kind} {row},{col}" for kind, row, col in traced)
        text = (
            f"{file} is the design of another program: no shift of its columns puts a tile of the right "
            f"kind under all traced units ({first_names(names, _MAX_NAMED)})"
        )
        return Placement(None, [Diagnostic("warning", "design_other", text, file)])
    model = str(chosen["device"])
    configured = _configured_units(frames["design_tiles"])
    shift = find_shift(configured, traced, model, None)
    if shift.explained and shift.columns in shifts:
        return Placement(shift_frames(frames, shift.columns), [])
    findings = []
    if len(shifts) > 1:
        others = ", ".join(str(other) for other in shifts[1:][:_MAX_NAMED])
        text = (
            f"the columns of {file} are ambiguous: it lies {plural(shifts[0], 'column')} further right, the least that "
            f"fits; {others} fit as well"
        )
        findings.append(Diagnostic("warning", "design_shift", text, file))
    return Placement(shift_frames(frames, shifts[0]), findings)


def _fitting(tiles: pd.DataFrame, traced: Set[Place]) -> list[int]:
    """List the shifts in columns, ascending, that put a tile under every traced unit."""
    placed = tiles[tiles["row"].notna() & tiles["col"].notna()]
    own = {
        (str(kind), int(row), int(col))
        for kind, row, col in zip(placed["kind"], placed["row"], placed["col"], strict=True)
    }
    # Without traced units every shift fits, so the columns of the text stay.
    if not own or not traced:
        return [0] if own else []
    wanted = {(_TILE_KIND.get(kind, kind), row, col) for kind, row, col in traced}
    # A fitting shift puts a tile under this unit too, so only such shifts are tried.
    first_kind, first_row, first_col = min(wanted)
    first = min(col for _, _, col in own)
    shifts = {first_col - col for kind, row, col in own if (kind, row) == (first_kind, first_row)}
    return sorted(
        shift
        for shift in shifts
        # A tile left of the array's first column is impossible.
        if first + shift >= 0 and all((kind, row, col - shift) in own for kind, row, col in wanted)
    )


def _configured_units(tiles: pd.DataFrame) -> dict[Place, UnitConfiguration]:
    traced = tiles[tiles["traced"].astype(bool) & tiles["row"].notna() & tiles["col"].notna()]
    unit = UnitConfiguration(["TRUE"])
    return {
        (kind, int(row), int(col)): unit
        for kinds, row, col in zip(traced["traced"], traced["row"], traced["col"], strict=True)
        for kind in str(kinds).split()
    }


def shift_frames(frames: Frames, columns: int) -> dict[str, pd.DataFrame]:
    """Return the frames with the tiles moved right by a number of columns."""
    if not columns:
        return dict(frames)
    tiles = frames["design_tiles"]
    moved = {name: _move_tiles(name, frame, columns) for name, frame in frames.items()}
    moved["design_tiles"]["col"] = tiles["col"] + columns
    devices = moved["design_devices"]
    moved["design_devices"] = devices.assign(column_shift=devices["column_shift"] + columns)
    return {name: conform(name, frame) for name, frame in moved.items()}


def _move_tiles(name: str, frame: pd.DataFrame, columns: int) -> pd.DataFrame:
    moved = frame.copy()
    for column in TILE_COLUMNS.get(name, ()):
        moved[column] = [_move(str(text), columns) for text in frame[column]]
    return moved


def _move(text: str, columns: int) -> str:
    """Move a tile, or the tile of a channel (`core 2,1 S2MM 0`); any other text stays."""
    match = _TILE_NAME.match(text)
    return f"{match[1]}{int(match[2]) + columns}{text[match.end() :]}" if match else text
