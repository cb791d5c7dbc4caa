"""Sentences about an attempt: whether it fits, the room it uses, its first failed block."""

from __future__ import annotations

import pandas as pd

from analysis.allocators.failed_block import first_failure
from analysis.allocators.packing import PACKERS
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.in_use import peak_in_use
from components.memory.block_words import MAX_NAME_CHARACTERS, exact
from components.numbers import count_text, integer, percent, shorten


def map_name(amap: AttemptMap) -> str:
    """Return the subject of a sentence about a map: the name of its level, or `Attempt 3`, `The
    solution`, `The problem` or "The built-in allocator's layout".
    """
    if not pd.isna(amap.attempt["level"]):
        return shorten(str(amap.attempt["level"]), MAX_NAME_CHARACTERS)
    if amap.attempt["strategy"] in PACKERS:
        return "The built-in allocator's layout"
    return {"solved": "The solution", "unsolved": "The problem"}.get(
        str(amap.attempt["outcome"]), f"Attempt {amap.number}"
    )


def fit_words(amap: AttemptMap) -> str:
    """Write in a sentence whether an attempt fits, how much of the capacity it uses, and how far it
    is over the bound.

    If blocks failed, it names the first of them; an attempt without an extent is not placed. Below
    the bound blocks overlap or have no address, so that it does not say that they fit.
    """
    failed = amap.whole("failed") or 0
    extent = amap.whole("extent")
    capacity = amap.whole("capacity")
    static = amap.whole("static_bytes") or 0
    if failed:
        blocks = count_text(amap.whole("blocks") or 0, "block")
        return f"{map_name(amap)} does not fit: {integer(failed)} of {blocks} failed{_could(amap)}{_first_failure(amap)}."
    if extent is None:
        return f"{map_name(amap)} is not placed{_could(amap)}."
    used = static + extent
    over = capacity is not None and used > capacity
    bound = amap.whole("bound")
    is_incomplete = bound is not None and extent < bound
    room = f" of {exact(capacity)} ({percent(used / capacity)})" if capacity else ""
    if str(amap.attempt["outcome"]) == "unfinished":
        verb = "is unfinished, so far"
    elif over:
        verb = "does not fit:"
    elif is_incomplete:
        verb = "takes only"
    else:
        verb = "fits:" if capacity else "takes"
    constants = f", {exact(static)} of them constants" if static else ""
    waste = f"{_waste_words(amap)}{_still_solvable(amap, over=over)}"
    if is_incomplete and bound is not None:
        need = exact(bound + static)
        waste = f", although its blocks need {need} at once: they overlap or have no address"
    return f"{map_name(amap)} {verb} {exact(used)}{room}{constants}{waste}."


def _still_solvable(amap: AttemptMap, *, over: bool) -> str:
    """If a built-in allocator's layout is too large, write whether another layout could fit, in
    words that continue a sentence.

    Returns "" if it fits, for other layouts, and if bound or capacity are unknown.
    """
    bound = amap.whole("bound")
    capacity = amap.whole("capacity")
    if not over or bound is None or capacity is None or amap.attempt["strategy"] not in PACKERS:
        return ""
    solvable = bound + (amap.whole("static_bytes") or 0) <= capacity
    return (
        "; the problem itself may fit, its bound does"
        if solvable
        else "; no allocator can solve it"
    )


def _first_failure(amap: AttemptMap) -> str:
    """Write the clause that follows `… failed`, beginning with `; `: the first failed block, its
    size, and the free ranges over its lifetime if they are known.

    Returns "" if the first failure is unknown.
    """
    failure = first_failure(amap)
    if failure is None:
        return ""
    needs = f"{shorten(str(amap.blocks['name'].iloc[failure.row]), MAX_NAME_CHARACTERS)} needs {exact(failure.size)}"
    if failure.largest_gap is None or failure.free is None:
        return f"; the first, {needs}"
    gap = _free_words(failure.largest_gap, failure.free)
    if failure.too_large:
        return f"; the first without room, {needs}, {gap}"
    return f"; bank rules or an early stop: the first, {needs}, {gap}"


def _free_words(largest_gap: int, free: int) -> str:
    """Write how many bytes (`free`) are free over a block's whole lifetime, and the largest free
    range; the words continue a sentence.
    """
    if not free:
        return "nothing is free over its whole life"
    if largest_gap == free:
        return f"one range of {exact(free)} is free over its whole life"
    return f"{exact(free)} are free over its whole life, {exact(largest_gap)} of them in one range"


def _could(amap: AttemptMap) -> str:
    """Write the clause "; any allocator needs at least N B" with the lower bound and the constants,
    and the capacity if it is known; "" if the bound is unknown.
    """
    bound = amap.whole("bound")
    capacity = amap.whole("capacity")
    if bound is None:
        return ""
    need = bound + (amap.whole("static_bytes") or 0)
    least = f"; any allocator needs at least {exact(need)}"
    if capacity is None:
        return least
    return f"{least} of {exact(capacity)}"


def _waste_words(amap: AttemptMap) -> str:
    waste = amap.whole("waste")
    _, step = peak_in_use(amap)
    if waste is None:
        return ""
    if waste <= 0:
        return ", at the lower bound"
    return f", {exact(waste)} over the bound" + (
        f"; the peak is at step {integer(step)}" if step is not None else ""
    )
