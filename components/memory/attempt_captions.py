"""Captions of the tables of attempts, memory levels and tiles."""

from __future__ import annotations

import pandas as pd

from analysis.memory.attempt_map import attempt_words
from analysis.memory.selection import MemorySelection
from components.caption import Caption, Jump
from components.memory.block_words import MAX_NAME_CHARACTERS
from components.numbers import count_text, integer, percent, shorten


def attempts_caption(attempts: pd.DataFrame, selection: MemorySelection) -> str:
    """Write how many attempts or levels there are, how many failed or are final, and which is
    shown.

    If there are only levels, write which is the fullest; without rows, that there is no attempt.
    """
    if not len(attempts):
        return "This run has no attempt."
    own = attempts[attempts["level"].isna()]
    if not len(own):
        fullest, jumps = _fullest_level(attempts)
        return Caption(f"{count_text(len(attempts), 'memory level')}. {fullest}", *jumps)
    level_count = len(attempts) - len(own)
    levels = ""
    if level_count:
        levels = f", {count_text(level_count, 'memory level')} beside"
        levels += "" if len(own) == 1 else " them"
    chosen = selection.attempt if len(attempts) > 1 else None
    shown = "" if chosen is None else f"; {attempt_words(chosen)} is shown"
    return f"{', '.join([count_text(len(own), 'attempt'), *_outcomes(own)])}{levels}{shown}."


def tiles_caption(attempts: pd.DataFrame) -> str:
    """Write how many tiles of a design have buffers, and whose buffers reach the highest share of
    the memory's addresses.
    """
    counted = f"{count_text(len(attempts), 'tile')} with buffers."
    measured = attempts[attempts["utilization"].notna()]
    if not len(measured):
        return f"{counted} The sizes of their memories are not known."
    row = measured.loc[measured["utilization"].idxmax()]
    tile = Jump(shorten(str(row["level"]), MAX_NAME_CHARACTERS), "attempt", int(row["attempt"]))
    share = percent(row["utilization"])
    return Caption(f"{counted} Addresses reach furthest in {tile.text}: {share} of it.", tile)


def _outcomes(attempts: pd.DataFrame) -> list[str]:
    """List how many attempts failed, are unfinished and are final, a text each, without counts of
    0; `none failed` if several attempts exist and none failed.
    """
    counts = attempts["outcome"].astype("str").value_counts()
    words = [
        f"{integer(counts[name])} {name}"
        for name in ("failed", "unfinished")
        if name in counts.index
    ]
    words += ["none failed"] if "failed" not in counts.index and len(attempts) > 1 else []
    final = int(attempts["final"].fillna(False).astype(bool).sum())
    groups = attempts.loc[attempts["group"] != "", "group"].nunique()
    return words + (
        [f"{integer(final)} final" + (f" of {count_text(groups, 'layer group')}" if groups else "")]
        if final
        else []
    )


def _fullest_level(attempts: pd.DataFrame) -> tuple[str, tuple[Jump, ...]]:
    measured = attempts[attempts["utilization"].notna()]
    if not len(measured):
        return "The capacities of the levels are not known.", ()
    row = measured.loc[measured["utilization"].idxmax()]
    level = Jump(shorten(str(row["level"]), MAX_NAME_CHARACTERS), "attempt", int(row["attempt"]))
    return f"{level.text} is the fullest: {percent(row['utilization'])} of its bytes.", (level,)
