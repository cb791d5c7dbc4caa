"""A design's locks, buffers and flows, looked up by tile and name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from analysis.aie.design.program import Request
from analysis.aie.design.tile_maps import tile_index
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.index import MemoryIndex
from schema.frames import Frames

MAX_BUFFERS = 500
"""Maximum number of buffers of a memory, since their pairs are compared; a memory of 64 KiB has
some dozen.
"""


@dataclass(frozen=True)
class Port:
    """An end of a flow; port and channel are `None` for the end of an objectfifo."""

    tile: str
    port: str | None = None
    channel: int | None = None


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert a frame to dicts of Python's own types; nulls and empty texts become `None`."""
    columns = [
        [None if value is pd.NA or value == "" else value for value in frame[name].tolist()]
        for name in frame.columns
    ]
    return [dict(zip(frame.columns, values, strict=True)) for values in zip(*columns, strict=True)]


class DesignModel:
    """Look-ups in the frames `design_*` of a run; a frame without rows may be empty."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self.programs = {
            str(tile): rows
            for tile, rows in frames["design_programs"].groupby("tile", observed=True, sort=False)
        }

    @cached_property
    def buffers(self) -> list[dict[str, Any]]:
        """Rows of `design_buffers` with `users`, the cores and channels that use the buffer."""
        users: dict[tuple[str, str], list[str]] = {}
        for row in plain_rows(self._frames["design_accesses"]):
            users.setdefault((row["tile"], row["buffer"]), []).append(row["by"])
        return [
            {**row, "users": users.get((row["tile"], row["name"]), [])}
            for row in plain_rows(self._frames["design_buffers"])
        ]

    def tile_buffers(self, tile: str) -> list[dict[str, Any]]:
        """Return the buffers of a tile; raises ValueError if there are more than MAX_BUFFERS."""
        found = self._buffers_by_tile.get(tile, [])
        if len(found) > MAX_BUFFERS:
            raise ValueError(
                f"{tile} has more than {MAX_BUFFERS} buffers, too many to compare in pairs"
            )
        return found

    @cached_property
    def _buffers_by_tile(self) -> dict[str, list[dict[str, Any]]]:
        by_tile: dict[str, list[dict[str, Any]]] = {}
        for buffer in self.buffers:
            by_tile.setdefault(buffer["tile"], []).append(buffer)
        return by_tile

    @cached_property
    def maps(self) -> MemoryIndex:
        """Memory maps of the tiles; `level` of an attempt is the name of the tile."""
        return tile_index(self._frames)

    def tile_map(self, tile: str) -> AttemptMap | None:
        """Return the memory map of a tile; `None` if no buffer of it has an address."""
        numbers = self.maps.numbers
        own = numbers.loc[numbers["level"].astype(str) == tile, "attempt"]
        return self.maps.map(int(own.iloc[0])) if len(own) else None

    @cached_property
    def tiles(self) -> dict[str, dict[str, Any]]:
        """Rows of `design_tiles` by the name of the tile."""
        return {row["tile"]: row for row in plain_rows(self._frames["design_tiles"])}

    @cached_property
    def _uses(self) -> list[dict[str, Any]]:
        return plain_rows(self._frames["design_uses"])

    @cached_property
    def _fifos(self) -> dict[str, list[dict[str, Any]]]:
        fifos: dict[str, list[dict[str, Any]]] = {}
        for row in plain_rows(self._frames["design_fifos"]):
            fifos.setdefault(row["name"], []).append(row)
        return fifos

    @cached_property
    def _ends(self) -> dict[Port, list[Port]]:
        """Map each end of a flow of data to the far ends, in both directions."""
        ends: dict[Port, list[Port]] = {}
        for row in plain_rows(self._frames["design_flows"]):
            if row["source_port"] == "DMA" and row["dest_port"] == "DMA":
                source = Port(row["source"], "DMA out", row["source_channel"])
                dest = Port(row["dest"], "DMA in", row["dest_channel"])
                ends.setdefault(source, []).append(dest)
                ends.setdefault(dest, []).append(source)
        return ends

    @cached_property
    def cascades(self) -> dict[str, list[str]]:
        """Map each core with a cascade to the cores at its far ends: sources, then targets."""
        ends: dict[str, list[str]] = {}
        for row in plain_rows(self._frames["design_flows"]):
            if row["kind"] == "cascade":
                ends.setdefault(row["dest"], []).insert(0, row["source"])
                ends.setdefault(row["source"], []).append(row["dest"])
        return ends

    def acquired_locks(self, core: str) -> list[Request]:
        """List the locks and objectfifos that a core acquires, each once, in the program's order."""
        program = self.programs.get(core)
        if program is None:
            return []
        rows = plain_rows(program[program["op"] == "acquire"])
        found = [
            Request(True, row["lock"], row["lock_tile"] or "", row["operands"] or "")
            for row in rows
        ]
        return list(dict.fromkeys(found))

    def depth(self, request: Request) -> int | None:
        """Return the number of buffers behind a lock: of an objectfifo, or of the channels that
        release the lock; `None` if it is not known.
        """
        if request.detail:
            texts = [row["depth"] for row in self._fifos.get(request.lock, []) if row["depth"]]
            depths = json.loads(texts[0]) if texts else None
            return min(depths) if isinstance(depths, list) and depths else depths or None
        buffers = {
            (row["tile"], row["buffer"])
            for row in plain_rows(self._frames["design_descriptors"])
            if (row["tile"], row["release"]) == (request.lock_tile, request.lock)
        }
        return len(buffers) or None

    def releasers(self, request: Request) -> list[str]:
        """List the cores and channels that release a lock, or the tiles at an objectfifo's far end."""
        if request.detail:
            rows = self._fifos.get(request.lock, [])
            if request.detail == "Consume":
                return list(dict.fromkeys(row["producer"] for row in rows))
            return [row["consumer"] for row in rows if row["consumer"]]
        found = (
            use["by"]
            for use in self._uses
            if use["action"] == "Release"
            and (use["tile"], use["lock"]) == (request.lock_tile, request.lock)
        )
        return list(dict.fromkeys(found))

    def far_ends(self, request: Request, releasers: Sequence[str]) -> list[Port]:
        """List the far ends of the flows of the releasers that are channels, each once. For a
        request of an objectfifo, `releasers` are tiles, and each is an end itself.
        """
        if request.detail:
            return [Port(tile) for tile in releasers]
        found: list[Port] = []
        for user in releasers:
            tile, direction, channel = split_user(user)
            if direction:
                side = "DMA in" if direction == "S2MM" else "DMA out"
                found += self._ends.get(Port(tile, side, channel), [])
        return [Port(port.tile, "DMA", port.channel) for port in dict.fromkeys(found)]


def split_user(user: str) -> tuple[str, str, int | None]:
    """Split `core 2,1 S2MM 0` into tile, direction and channel; ("core 2,1", "", None) of a core."""
    words = user.split(" ")
    if len(words) < 4 or words[-2] not in ("S2MM", "MM2S") or not words[-1].isdecimal():
        return user, "", None
    return " ".join(words[:-2]), words[-2], int(words[-1])
