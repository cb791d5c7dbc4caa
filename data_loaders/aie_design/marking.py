"""Designs of the slices of a trace in one set of frames: names of tiles tell the slices apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from data_loaders.aie_design.placing import TILE_COLUMNS
from schema.frames import Frames, conform

_CHANNEL = re.compile(r" (?:S2MM|MM2S) \d+$")
"""The end of a channel's name, behind its tile."""


def mark_design(frames: Frames, label: str, mark: str) -> dict[str, pd.DataFrame]:
    """Return the frames with the slice of devices and tiles, and a mark behind each tile's name.

    Objectfifos have no tile in a request, so that their own names get the mark.
    """
    marked = dict(frames)
    for name in ("design_devices", "design_tiles"):
        marked[name] = conform(name, frames[name].assign(slice=label))
    if not mark:
        return marked
    for name, columns in TILE_COLUMNS.items():
        if name in marked:
            marked[name] = conform(name, _mark_tiles(marked[name], columns, mark))
    if "design_fifos" in marked:
        fifos = marked["design_fifos"]
        marked["design_fifos"] = conform("design_fifos", fifos.assign(name=fifos["name"] + mark))
    if "design_programs" in marked:
        marked["design_programs"] = _mark_requests(marked["design_programs"], mark)
    return marked


def _mark_tiles(frame: pd.DataFrame, columns: Sequence[str], mark: str) -> pd.DataFrame:
    own = frame.copy()
    for column in columns:
        own[column] = [_mark(text, mark) for text in frame[column].fillna("").astype(str)]
    return own


def _mark(user: str, mark: str) -> str:
    """Put the mark behind the tile of a core or channel: `core 2,1 #2 S2MM 0`."""
    match = _CHANNEL.search(user)
    tile = user[: match.start()] if match else user
    return f"{tile}{mark}{match[0] if match else ''}" if tile else user


def _mark_requests(programs: pd.DataFrame, mark: str) -> pd.DataFrame:
    locks = programs["lock"].fillna("").astype(str).tolist()
    tiles = programs["lock_tile"].fillna("").astype(str).tolist()
    locks = [
        f"{lock}{mark}" if lock and not tile else lock
        for lock, tile in zip(locks, tiles, strict=True)
    ]
    return conform("design_programs", programs.assign(lock=pd.array(locks, dtype="str")))


def join_designs(parts: Sequence[Frames]) -> dict[str, pd.DataFrame]:
    """Join the frames of designs whose tiles have different names; one design stays as it is."""
    if len(parts) == 1:
        return dict(parts[0])
    names = dict.fromkeys(name for part in parts for name in part)
    return {
        name: conform(
            name, pd.concat([part[name] for part in parts if name in part], ignore_index=True)
        )
        for name in names
    }
