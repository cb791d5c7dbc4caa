"""Captions: the sentence with the result above each memory view."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.in_use import counts_addresses, peak_in_use
from analysis.memory.reserved import ReservedBytes
from analysis.memory.selection import MemorySelection
from components.caption import Caption, Jump
from components.counts import part_text
from components.memory.allocator_words import live_words, map_words
from components.memory.block_words import exact
from components.memory.fit_words import fit_words, map_name
from components.memory.listed_blocks import are_unlisted, no_bytes_words, unlisted_words, used_bytes
from components.numbers import count_text, integer, percent

NO_BANKS = (
    "The log has no bank size: its lmem_spec lines are missing. Write the log with "
    "--debug-only=lmem_assign, and keep these lines if you filter it."
)
"""Hint if a log lacks the bank sizes."""
_MAX_LEVELS = 4
"""Maximum number of memory levels that a caption names."""


def map_caption(maps: Sequence[AttemptMap], selection: MemorySelection) -> str:
    """Write whether the selected attempt (else the first) fits, how much of the capacity it uses,
    and how far it is from the lower bound.

    If several levels are drawn, the caption begins with the share in use of each level. When there
    are no maps, it states that there is no attempt.
    """
    shown = _map_of_selection(maps, selection)
    if shown is None:
        return "There is no attempt to show."
    if shown.facts.allocator and shown.whole("extent") is None:
        return map_words(shown)
    return (_levels(maps) if len(maps) > 1 else "") + fit_words(shown)


def banks_caption(maps: Sequence[AttemptMap], selection: MemorySelection) -> str:
    """Write how many banks get full, else which bank is the fullest; if a bank is selected, how
    full it gets.

    If several levels are drawn, write how full each level is; without banks, the peak use of the
    memory.
    """
    shown = _map_of_selection(maps, selection)
    if shown is None:
        return "There is no attempt to show."
    bank_bytes = shown.whole("bank_bytes")
    rows = shown.occupancy[shown.occupancy["bank"].notna()]
    if len(maps) > 1:
        return _levels(maps).strip()
    if not bank_bytes:
        return f"{_whole_memory(shown)} {_no_banks(shown)}".strip()
    # Blocks without addresses have no union.
    used = rows["union_bytes"].fillna(rows["live_bytes"]).astype("float64") / bank_bytes
    rows = rows.assign(bank=rows["bank"].astype("int64"), share=used)[used > 0]
    return (
        _fullest(rows, shown.whole("banks") or 0)
        if selection.bank is None
        else _bank(rows, selection.bank)
    )


def live_caption(
    maps: Sequence[AttemptMap], selection: MemorySelection, reserved: ReservedBytes | None = None
) -> str:
    """Write at which step most bytes are alive, how far addresses reach, and the fragmentation, for
    the selected attempt (else the first).

    Of a caching allocator it writes the most `reserved` bytes instead of addresses. If no block has
    bytes, it states that.
    """
    shown = _map_of_selection(maps, selection)
    if shown is not None and shown.facts.allocator:
        return live_words(shown, reserved)
    if shown is not None and are_unlisted(shown):
        return unlisted_words(shown)
    peak, step = peak_in_use(shown) if shown else (None, None)
    if shown is None or peak is None or step is None:
        return no_bytes_words([] if shown is None else [shown])
    extent = shown.whole("extent")
    waste = shown.whole("waste")
    prefix = f"{shown.label}: most" if len(maps) > 1 else "Most"
    at = f"step {integer(step)}"
    parts = [f"{prefix} is alive at {at}: {exact(peak)}"]
    union = used_bytes(shown, step)
    if counts_addresses(shown):
        parts[0] += " of addresses, each counted once"
    elif union is not None and union < peak:
        parts[0] += f" in {exact(union)} of addresses, which some share"
    if extent is not None:
        parts.append(
            f"addresses reach {exact(extent)}"
            + (f", {exact(waste)} over the bound" if waste else "")
        )
    fragmentation = shown.attempt["fragmentation"]
    if _number(fragmentation):
        parts.append(f"fragmentation up to {percent(_number(fragmentation))} of free bytes")
    return Caption("; ".join(parts) + ".", Jump(f"at {at}", "step", step))


def _map_of_selection(maps: Sequence[AttemptMap], selection: MemorySelection) -> AttemptMap | None:
    """Return the map of the selected attempt, else the first map; None if there are no maps."""
    return next(
        (amap for amap in maps if amap.number == selection.attempt), maps[0] if maps else None
    )


def _levels(maps: Sequence[AttemptMap]) -> str:
    """Write how full each of the first four memory levels is, with a space at the end: `In use of
    each level: L1 98.1 %, L2 12 %. `

    Levels without a capacity are left out; "" if no level has a capacity.
    """
    shares = [(map_name(amap), _number(amap.attempt["utilization"])) for amap in maps]
    full = [f"{name} {percent(share)}" for name, share in shares[:_MAX_LEVELS] if share is not None]
    if not full:
        return ""
    more = ", ..." if len(maps) > _MAX_LEVELS else ""
    return f"In use of each level: {', '.join(full)}{more}. "


def _whole_memory(amap: AttemptMap) -> str:
    share = _number(amap.attempt["utilization"])
    if share is not None:
        return f"Peak use {percent(share)} of the capacity."
    return "No block is placed." if amap.whole("extent") is None else "The capacity is not known."


def _no_banks(amap: AttemptMap) -> str:
    """Return NO_BANKS, the hint how to log bank sizes.

    "" for levels and for sources without banks.
    """
    if str(amap.attempt["outcome"]) not in ("success", "failed", "unfinished") or not pd.isna(
        amap.attempt["level"]
    ):
        return ""
    return NO_BANKS


def _bank(rows: pd.DataFrame, bank: int) -> str:
    """Write in how many steps a bank is in use, and at which step it is fullest, as a sentence."""
    mine = rows[rows["bank"] == bank]
    if not len(mine):
        return f"Bank {bank} is never in use."
    row = mine.loc[mine["share"].idxmax()]
    most = f"{percent(row['share'])} of its bytes at step {integer(row['step'])}"
    return f"Bank {bank} is in use at {count_text(mine['step'].nunique(), 'step')}, at most {most}."


def _fullest(rows: pd.DataFrame, banks: int) -> str:
    """Write how many banks get full, else which bank is the fullest, and how many are not used, as
    a sentence.
    """
    if not len(rows):
        return "No bank is in use."
    peaks = rows.groupby("bank")["share"].max()
    full = int((peaks >= 1).sum())
    empty = max(banks, len(peaks)) - len(peaks)
    idle = f", {integer(empty)} never in use" if empty else ""
    if full:
        return f"{part_text(full, empty + len(peaks), 'bank')} full at some step{idle}."
    row = rows.loc[rows["share"].idxmax()]
    idle = f"; {count_text(empty, 'bank')} never in use" if empty else ""
    bank = Jump(f"Bank {int(row['bank'])}", "bank", int(row["bank"]))
    step = Jump(f"step {integer(row['step'])}", "step", int(row["step"]))
    return Caption(
        f"{bank.text} is the fullest: {percent(row['share'])} of its bytes at {step.text}{idle}.",
        bank,
        step,
    )


def _number(value: object) -> float | None:
    return None if pd.isna(value) else float(str(value))
