"""Differences of two designs: buffers, depths, locks and flows that were changed, added or removed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.aie.design.model import plain_rows
from schema.frames import Frames

MAX_LISTED = 500
"""Maximum number of changes of each kind that are listed; all changes are counted."""
_COPY = re.compile(r"(.{1,200}?)_buff_\d{1,6}")
"""Name of a buffer that the compiler made for an objectfifo: its fifo, then the rank of the copy."""
_PLACE = ("address", "bytes", "first_bank", "last_bank")
Row = dict[str, Any]


@dataclass(frozen=True)
class DesignChanges:
    """Differences between two designs, by kind: a dict per changed, added or removed part.

    Each has `change` (moved, resized, changed, added or removed), the fields that name the part,
    and `base` and `new`, of which one is `None` for a part that only one side has.
    """

    buffers: list[Row]
    depths: list[Row]
    locks: list[Row]
    flows: list[Row]

    @property
    def counts(self) -> dict[str, int]:
        """Number of changes of each kind."""
        return {name: len(rows) for name, rows in vars(self).items()}

    def record(self) -> dict[str, Any]:
        """Convert to JSON types: `counts`, and at most MAX_LISTED changes of each kind."""
        listed = {name: rows[:MAX_LISTED] for name, rows in vars(self).items()}
        return {"counts": self.counts, **listed}


def compare_designs(base: Frames, new: Frames) -> DesignChanges:
    """Compare two designs whose tiles have the columns of one capture."""
    return DesignChanges(
        buffers=list(_changes(("tile", "name"), _buffers(base), _buffers(new), _buffer_change)),
        depths=list(_changes(("tile", "name"), _depths(base), _depths(new))),
        locks=list(_changes(("tile", "name"), _locks(base), _locks(new))),
        flows=list(_changes(("source", "dest"), _flows(base), _flows(new))),
    )


def _buffer_change(base: Row, new: Row) -> str:
    return "moved" if base["bytes"] == new["bytes"] else "resized"


def _any_change(_base: Row, _new: Row) -> str:
    return "changed"


def _changes(
    names: tuple[str, ...],
    base: Mapping[tuple[Hashable, ...], Row],
    new: Mapping[tuple[Hashable, ...], Row],
    change_of: Callable[[Row, Row], str] = _any_change,
) -> Iterator[Row]:
    """Yield a row per part that differs: first the parts of `base` in its order, then the parts
    that only `new` has. Both map the values of the fields `names` to the properties of a part.
    """
    for key in dict.fromkeys([*base, *new]):
        before = base.get(key)
        after = new.get(key)
        if before == after:
            continue
        if before is None:
            change = "added"
        elif after is None:
            change = "removed"
        else:
            change = change_of(before, after)
        named = dict(zip(names, key, strict=False))
        yield {"change": change, **named, "base": before, "new": after}


def _buffers(design: Frames) -> dict[tuple[Hashable, ...], Row]:
    return {
        (row["tile"], row["name"]): {name: row[name] for name in _PLACE}
        for row in plain_rows(design["design_buffers"])
    }


def _depths(design: Frames) -> dict[tuple[Hashable, ...], Row]:
    """Map (tile, name) of each objectfifo to its depth as declared; in a lowered design, the depth
    is the number of buffers that the compiler made for the fifo on the tile.
    """
    depths: dict[tuple[Hashable, ...], Row] = {}
    for fifo in plain_rows(design["design_fifos"]):
        depth = json.loads(fifo["depth"]) if fifo["depth"] else None
        depths[fifo["producer"], fifo["name"]] = {"depth": depth}
    for buffer in plain_rows(design["design_buffers"]):
        match = _COPY.fullmatch(buffer["name"])
        if match:
            copies = depths.setdefault((buffer["tile"], match[1]), {"depth": 0})
            copies["depth"] += 1
    return depths


def _locks(design: Frames) -> dict[tuple[Hashable, ...], Row]:
    return {
        (row["tile"], row["name"]): {"id": row["id"], "init": row["init"]}
        for row in plain_rows(design["design_locks"])
    }


def _flows(design: Frames) -> dict[tuple[Hashable, ...], Row]:
    """Map (source end, destination end, kind, packet id) of each flow to its kind and packet id."""
    flows: dict[tuple[Hashable, ...], Row] = {}
    for row in plain_rows(design["design_flows"]):
        source = _end(row, "source")
        dest = _end(row, "dest")
        flows[source, dest, row["kind"], row["id"]] = {"kind": row["kind"], "id": row["id"]}
    return flows


def _end(row: Row, side: str) -> str:
    channel = row[f"{side}_channel"]
    port = f"{row[side]} {row[f'{side}_port']}"
    return port if channel is None else f"{port} {channel}"
