"""The design of an array as JSON types, the same for pages and command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.aie.design.model import plain_rows
from data_loaders.aie_design.placing import place_design, traced_places
from schema.contents import has_design
from schema.designs import DESIGN_FRAMES
from schema.frames import Frames, empty

Row = dict[str, Any]
_NO_DESIGN = "the run has no design: ingest it with the design's MLIR beside it, or name the file with --design"


def design_frames(stored: Frames) -> dict[str, pd.DataFrame]:
    """Return the frames `design_*` of a run, without rows if the file has none.

    Raises ValueError if the run has no design.
    """
    if not has_design(stored):
        raise ValueError(_NO_DESIGN)
    names = [spec.name for spec in DESIGN_FRAMES]
    return {name: stored[name] if name in stored else empty(name) for name in names}


def place_other_design(design: Frames, stored: Frames) -> dict[str, pd.DataFrame]:
    """Return another file's design at the columns of a run's trace; unchanged without a trace.

    Raises ValueError if the design fits nowhere.
    """
    if "tracks" not in stored:
        return dict(design)
    placement = place_design(design, traced_places(stored["tracks"]))
    if placement.frames is None:
        raise ValueError(placement.findings[0].message)
    return placement.frames


def design_mapping(design: Frames) -> dict[str, Any]:
    """Convert a design to JSON types: devices, slices, tiles, buffers, locks, dma, flows, host and
    objectfifos, each a list; and of the chosen device its name `device`, `lowered`, `column_shift`
    and `file`.

    `slices` has the device of each slice of the trace; empty if the trace has no slices. The chosen
    device is then the device of the first slice.
    """
    rows = plain_rows(design["design_devices"])
    of_slices = [row for row in rows if row["chosen"]]
    chosen = of_slices[0]
    # The designs of several slices of a trace have the devices of one text.
    devices = [row for row in rows if row["slice"] == chosen["slice"]]
    buffers = _buffers(design)
    return {
        "device": chosen["device"],
        "devices": [{"device": row["device"], "name": row["name"]} for row in devices],
        "lowered": chosen["lowered"],
        "column_shift": chosen["column_shift"],
        "file": chosen["file"],
        "slices": [
            {name: row[name] for name in ("slice", "device", "name", "column_shift")}
            for row in of_slices
            if row["slice"]
        ],
        "tiles": _tiles(design, buffers),
        "buffers": buffers,
        "locks": _locks(design),
        "dma": _channels(design["design_descriptors"]),
        "flows": _flows(design["design_flows"]),
        "host": plain_rows(design["design_host"]),
        "objectfifos": _fifos(design["design_fifos"]),
    }


def _buffers(design: Frames) -> list[Row]:
    users: dict[tuple[str, str], list[str]] = {}
    for row in plain_rows(design["design_accesses"]):
        users.setdefault((row["tile"], row["buffer"]), []).append(row["by"])
    return [
        {
            **{key: row[key] for key in ("tile", "name", "kind", "address", "bytes")},
            "banks": []
            if row["first_bank"] is None
            else list(range(row["first_bank"], row["last_bank"] + 1)),
            "accessed_by": users.get((row["tile"], row["name"]), []),
        }
        for row in plain_rows(design["design_buffers"])
    ]


def _tiles(design: Frames, buffers: Sequence[Row]) -> list[Row]:
    of_tile: dict[str, list[Row]] = {}
    for buffer in buffers:
        of_tile.setdefault(buffer["tile"], []).append(buffer)
    return [
        {
            **{key: row[key] for key in ("tile", "kind", "row", "col", "core", "memory", "slice")},
            "bytes": _sum_bytes(of_tile.get(row["tile"], [])),
            "bank_bytes": _bank_bytes(row, of_tile.get(row["tile"], [])),
        }
        for row in plain_rows(design["design_tiles"])
    ]


def _sum_bytes(buffers: Sequence[Row]) -> int | None:
    """Add up the bytes of a tile's buffers; `None` if any of them is not known."""
    sizes = [buffer["bytes"] for buffer in buffers]
    return None if None in sizes else sum(sizes)


def _bank_bytes(tile: Row, buffers: Sequence[Row]) -> list[int] | None:
    """Return the bytes in use of each bank of a tile; `None` if a buffer's place is not known, or
    the tile has no banks or no buffers.
    """
    if not tile["banks"] or not buffers:
        return None
    if any(buffer["address"] is None or buffer["bytes"] is None for buffer in buffers):
        return None
    width = tile["memory"] // tile["banks"]
    used = [0] * tile["banks"]
    for buffer in buffers:
        end = buffer["address"] + buffer["bytes"]
        for bank in buffer["banks"]:
            begin = max(buffer["address"], bank * width)
            used[bank] += max(0, min(end, (bank + 1) * width) - begin)
    return used


def _locks(design: Frames) -> list[Row]:
    uses: dict[tuple[str, str], list[Row]] = {}
    for row in plain_rows(design["design_uses"]):
        uses.setdefault((row["tile"], row["lock"]), []).append(row)
    return [
        {
            **row,
            "acquired_by": [_use(use) for use in own if use["action"] != "Release"],
            "released_by": [_use(use) for use in own if use["action"] == "Release"],
        }
        for row in plain_rows(design["design_locks"])
        for own in [uses.get((row["tile"], row["name"]), [])]
    ]


def _use(row: Row) -> Row:
    return {key: row[key] for key in ("by", "action", "value", "times")}


def _channels(descriptors: pd.DataFrame) -> list[Row]:
    channels: dict[tuple[str, str, int], Row] = {}
    for row in plain_rows(descriptors):
        key = (row["tile"], row["direction"], row["channel"])
        place = {name: row[name] for name in ("tile", "direction", "channel", "loop")}
        channel = channels.setdefault(key, {**place, "bds": []})
        if row["position"] is not None:
            channel["bds"].append(_descriptor(row))
    return list(channels.values())


def _descriptor(row: Row) -> Row:
    acquire = {
        "lock": row["acquire"],
        "action": row["acquire_action"],
        "value": row["acquire_value"],
    }
    release = {"lock": row["release"], "action": "Release", "value": row["release_value"]}
    return {
        **{key: row[key] for key in ("buffer", "offset", "length", "bytes", "bd_id")},
        "acquire": acquire if row["acquire"] else None,
        "release": release if row["release"] else None,
    }


def _flows(flows: pd.DataFrame) -> list[Row]:
    return [
        {
            "kind": row["kind"],
            "id": row["id"],
            **{
                end: {
                    "tile": row[end],
                    "port": row[f"{end}_port"],
                    "channel": row[f"{end}_channel"],
                }
                for end in ("source", "dest")
            },
        }
        for row in plain_rows(flows)
    ]


def _fifos(fifos: pd.DataFrame) -> list[Row]:
    found: dict[str, Row] = {}
    for row in plain_rows(fifos):
        fifo = found.setdefault(
            row["name"],
            {
                "name": row["name"],
                "producer": row["producer"],
                "consumers": [],
                "depth": json.loads(row["depth"]) if row["depth"] else None,
                "bytes": row["bytes"],
            },
        )
        fifo["consumers"] += [row["consumer"]] if row["consumer"] else []
    return list(found.values())
