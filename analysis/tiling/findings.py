"""Findings about tilings: transfers that are larger than their block."""

from __future__ import annotations

import pandas as pd

from schema.diagnostics import Diagnostic
from schema.frames import Frames
from schema.plurals import plural


def tiling_findings(frames: Frames) -> list[Diagnostic]:
    """Find transfers that are larger than their block, in a list of a single finding with the worst
    of them; [] if there are none, or if `frames` lacks tiles or transfers.
    """
    if not {"tiles", "transfers", "allocations", "attempts"} <= frames.keys():
        return []
    blocks = frames["allocations"][["attempt", "block", "level", "name", "size"]]
    held = frames["tiles"][["attempt", "block", "step", "copies"]].merge(
        blocks, on=["attempt", "block"]
    )
    moved = frames["transfers"].merge(held, on=["attempt", "step", "name"])
    # A transfer fills one copy of a double-buffered block at a time.
    room = moved["size"] // moved["copies"].fillna(1).astype("int64")
    moved = moved.assign(over=moved["bytes"] - room, room=room)
    moved = moved[moved["over"] > 0].sort_values("over", ascending=False, kind="stable")
    moved = moved.drop_duplicates(["attempt", "block"])
    return [_find_oversized(moved)] if len(moved) else []


def _find_oversized(moved: pd.DataFrame) -> Diagnostic:
    """Build the finding about the blocks that are smaller than a transfer.

    `moved` has a row per block, the worst first.
    """
    worst = moved.iloc[0]
    many = plural(len(moved), "block")
    text = (
        f"{many} smaller than the bytes moved for a tile: {worst['operand']} of step {worst['step']} moves "
        f"{plural(worst['bytes'], 'byte')}, its block at {worst['level']} has "
        f"{worst['room']}: {plural(worst['over'], 'byte')} too many"
    )
    levels = ", ".join(f"level {level}" for level in moved["level"].astype("str").drop_duplicates())
    return Diagnostic("error", "transfer_too_large", text, levels, len(moved))
