"""Captions: the sentence with the result above each memory view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.allocators.failed_block import first_failure
from analysis.allocators.packing import PACKERS
from analysis.memory.alive import peak_blocks
from analysis.memory.attempt_map import AttemptMap, attempt_words
from analysis.memory.in_use import counts_addresses, peak_in_use
from analysis.memory.reserved import ReservedBytes
from analysis.memory.selection import MemorySelection
from components.caption import Caption, Jump
from components.memory.allocator_words import live_words, map_words
from components.memory.block_words import exact, peak_words
from components.memory.listed_blocks import are_unlisted, unlisted_words, used_bytes
from components.numbers import count_text, integer, percent, shorten, size

NO_BANKS = (
    "The log has no bank size: its lmem_spec lines are missing. Write the log with "
    "--debug-only=lmem_assign, and keep these lines if you filter it."
)
"""Hint if a log lacks the bank sizes."""
NO_TABLE = (
    "The log has no table of time steps for this attempt, so the cycles of its steps are not known. "
    "Write the log with --debug-only=lmem_assign,timestep_with_cycle; final passes print no table."
)
"""Hint if a log lacks the table of time steps for an attempt."""
_MAX_LEVELS = 4
"""Maximum number of memory levels that a caption names."""
_MAX_FORCING = 3
"""Maximum number of blocks at the peak that a caption names."""
_NAME = 30
_CYCLES = ["gdma_cycles", "layer_cycles"]


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
    return (_levels(maps) if len(maps) > 1 else "") + _fit_words(shown)


def peak_caption(amap: AttemptMap) -> str:
    """Name the three largest blocks that are alive at the peak, with operator types and sizes.

    Returns "" if there is no peak, or if the memory has banks, because the map then highlights no
    blocks.
    """
    _, step = peak_in_use(amap)
    rows = peak_blocks(amap)
    if step is None or not len(rows) or amap.whole("banks"):
        return ""
    blocks = amap.blocks.iloc[rows[:_MAX_FORCING]]
    columns = (blocks["name"].astype("str"), blocks["op_type"].astype("object"), blocks["size"])
    named = [_forcing(*block) for block in zip(*columns, strict=True)]
    more = f" and {integer(len(rows) - len(blocks))} more" if len(rows) > len(blocks) else ""
    blocks_alive = "the block" if len(rows) == 1 else f"the {count_text(len(rows), 'block')}"
    at = f"{blocks_alive} alive at the peak{_operator(amap, step)}"
    return f"Highlighted: {at}: {', '.join(named)}{more}."


def _forcing(name: str, op_type: object, bytes_: int) -> str:
    typed = (
        ""
        if op_type is None or pd.isna(op_type) or not op_type
        else f", {shorten(str(op_type), _NAME)}"
    )
    return f"{shorten(name, _NAME)} ({size(bytes_)}{typed})"


def _operator(amap: AttemptMap, step: int) -> str:
    """Format the step with the name of its operator if that is known: ` (step 5, conv2d)`."""
    names = amap.steps.loc[amap.steps["step"] == step, "name"].astype("str")
    name = names.iloc[0] if len(names) else ""
    return f" (step {integer(step)}{f', {shorten(name, _NAME)}' if name else ''})"


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

    Of a caching allocator it writes the most `reserved` bytes instead of addresses. If no block is
    alive, it states that.
    """
    shown = _map_of_selection(maps, selection)
    if shown is not None and shown.facts.allocator:
        return live_words(shown, reserved)
    if shown is not None and are_unlisted(shown):
        return unlisted_words(shown)
    peak, step = peak_in_use(shown) if shown else (None, None)
    if shown is None or peak is None or step is None:
        return "No block is alive at any step."
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
        parts.append(f"fragmentation up to {percent(_number(fragmentation))}")
    return Caption("; ".join(parts) + ".", Jump(f"at {at}", "step", step))


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
    tile = Jump(shorten(str(row["level"]), _NAME), "attempt", int(row["attempt"]))
    share = percent(row["utilization"])
    return Caption(f"{counted} Addresses reach furthest in {tile.text}: {share} of it.", tile)


def timesteps_caption(amap: AttemptMap, selection: MemorySelection) -> str:
    """Write how many steps wait for transfers (DMA-bound) and for how many cycles, or the cycles of
    the selected step.

    If no step has cycles, it states that.
    """
    steps = amap.steps.dropna(subset=_CYCLES)
    if not len(steps):
        return "The file has no cycles for this attempt."
    chosen = steps[steps["step"] == selection.step] if selection.step is not None else steps.head(0)
    if len(chosen):
        return _timestep(*(int(chosen[name].iloc[0]) for name in ("step", *_CYCLES)))
    gdma, layer = (steps[name].to_numpy(np.int64) for name in _CYCLES)
    bound = int((gdma > layer).sum())
    length = int(np.maximum(gdma, layer).sum())
    wait = int(np.maximum(gdma - layer, 0).sum())
    if not length:
        return "No step of this attempt takes a cycle."
    if not bound:
        return f"No step is DMA-bound: computation hides every transfer, {count_text(length, 'cycle')} in all."
    counts = f"{integer(bound)} of {count_text(len(steps), 'step')} DMA-bound"
    return f"{counts}: {integer(wait)} of {count_text(length, 'cycle')} ({percent(wait / max(length, 1))}) wait for transfers."


def alive_caption(amap: AttemptMap, step: int, *, chosen: bool = True) -> str:
    """Write how many blocks and bytes are alive at `step`, with constants, capacity and failed
    blocks.

    `chosen` is True when the cursor is at the step, False when the step is a peak.
    """
    if are_unlisted(amap):
        return unlisted_words(amap)
    at = step_words(amap, step, chosen=chosen)
    rows = amap.occupancy[amap.occupancy["bank"].isna() & (amap.occupancy["step"] <= step)]
    if not len(rows):
        return f"{at}: no block is alive."
    # The occupancy of a long attempt only has the steps at which it changes: take the last step
    # that is not after this step.
    row = rows.iloc[int(rows["step"].to_numpy(np.int64).argmax())]
    live = int(row["live_bytes"])
    requested = int(row["requested_bytes"])
    capacity = amap.whole("capacity")
    static = amap.whole("static_bytes") or 0
    # Blocks that share addresses take the bytes of their union, not of their sum.
    used = live if pd.isna(row["union_bytes"]) else int(row["union_bytes"])
    room = f" of {size(capacity)} ({percent((used + static) / capacity)})" if capacity else ""
    constants = f" and {size(static)} of constants" if static else ""
    failed = f"; {size(requested - live)} more in blocks that failed" if requested > live else ""
    if not row["blocks"] and not chosen:
        return f"No block is alive at any step{failed}."
    shared = f" in {size(used)} of addresses" if used < live else ""
    taken = f"{size(live)}{shared}"
    if counts_addresses(amap):
        taken = f"{size(used)} of addresses, each counted once"
    blocks = count_text(int(row["blocks"]), "block") if row["blocks"] else "no block"
    return f"{at}: {blocks}, {taken}{constants}{room}{failed}."


def step_words(amap: AttemptMap, step: int, *, chosen: bool) -> str:
    """Return "At step N", and if it is not `chosen` by the cursor, that it is the peak of the
    attempt or of the steps in view.
    """
    return f"At step {integer(step)}" + (
        "" if chosen else f", {peak_words(step == peak_in_use(amap)[1], 'steps')}"
    )


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


def _map_of_selection(maps: Sequence[AttemptMap], selection: MemorySelection) -> AttemptMap | None:
    """Return the map of the selected attempt, else the first map; None if there are no maps."""
    return next(
        (amap for amap in maps if amap.number == selection.attempt), maps[0] if maps else None
    )


def _map_name(amap: AttemptMap) -> str:
    """Return the subject of a sentence about a map: the name of its level, or `Attempt 3`, `The
    solution`, `The problem` or "The built-in allocator's layout".
    """
    if not pd.isna(amap.attempt["level"]):
        return shorten(str(amap.attempt["level"]), _NAME)
    if amap.attempt["strategy"] in PACKERS:
        return "The built-in allocator's layout"
    return {"solved": "The solution", "unsolved": "The problem"}.get(
        str(amap.attempt["outcome"]), f"Attempt {amap.number}"
    )


def _fit_words(amap: AttemptMap) -> str:
    """Write in a sentence whether an attempt fits, how much of the capacity it uses, and how far it
    is over the bound.

    If blocks failed, it names the first of them; an attempt without an extent is not placed.
    """
    failed = amap.whole("failed") or 0
    extent = amap.whole("extent")
    capacity = amap.whole("capacity")
    static = amap.whole("static_bytes") or 0
    if failed:
        blocks = count_text(amap.whole("blocks") or 0, "block")
        return f"{_map_name(amap)} does not fit: {integer(failed)} of {blocks} failed{_could(amap)}{_first_failure(amap)}."
    if extent is None:
        return f"{_map_name(amap)} is not placed{_could(amap)}."
    used = static + extent
    over = capacity is not None and used > capacity
    room = f" of {exact(capacity)} ({percent(used / capacity)})" if capacity else ""
    if str(amap.attempt["outcome"]) == "unfinished":
        verb = "is unfinished, so far"
    elif over:
        verb = "does not fit:"
    else:
        verb = "fits:" if capacity else "takes"
    constants = f", {exact(static)} of them constants" if static else ""
    waste = f"{_waste_words(amap)}{_still_solvable(amap, over=over)}"
    return f"{_map_name(amap)} {verb} {exact(used)}{room}{constants}{waste}."


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
    needs = (
        f"{shorten(str(amap.blocks['name'].iloc[failure.row]), _NAME)} needs {exact(failure.size)}"
    )
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


def _levels(maps: Sequence[AttemptMap]) -> str:
    """Write how full each of the first four memory levels is, with a space at the end: `L1 98.1 %
    full, L2 12 %. `

    Levels without a capacity are left out; "" if no level has a capacity.
    """
    shares = [(_map_name(amap), _number(amap.attempt["utilization"])) for amap in maps]
    full = [f"{name} {percent(share)}" for name, share in shares[:_MAX_LEVELS] if share is not None]
    if not full:
        return ""
    more = ", ..." if len(maps) > _MAX_LEVELS else ""
    return f"{full[0]} full{''.join(f', {part}' for part in full[1:])}{more}. "


def _fullest_level(attempts: pd.DataFrame) -> tuple[str, tuple[Jump, ...]]:
    measured = attempts[attempts["utilization"].notna()]
    if not len(measured):
        return "The capacities of the levels are not known.", ()
    row = measured.loc[measured["utilization"].idxmax()]
    level = Jump(shorten(str(row["level"]), _NAME), "attempt", int(row["attempt"]))
    return f"{level.text} is the fullest: {percent(row['utilization'])}.", (level,)


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
    most = f"{percent(row['share'])} full at step {integer(row['step'])}"
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
        return (
            f"{integer(full)} of {count_text(empty + len(peaks), 'bank')} full at some step{idle}."
        )
    row = rows.loc[rows["share"].idxmax()]
    idle = f"; {count_text(empty, 'bank')} never in use" if empty else ""
    bank = Jump(f"Bank {int(row['bank'])}", "bank", int(row["bank"]))
    step = Jump(f"step {integer(row['step'])}", "step", int(row["step"]))
    return Caption(
        f"{bank.text} is the fullest: {percent(row['share'])} at {step.text}{idle}.", bank, step
    )


def _timestep(step: int, gdma: int, layer: int) -> str:
    bound = "compute-bound" if layer >= gdma else "DMA-bound"
    costs = f"transfers {count_text(gdma, 'cycle')}, computation {integer(layer)}"
    return f"Step {integer(step)}: {costs}; {bound} by {integer(abs(layer - gdma))}."


def _number(value: object) -> float | None:
    return None if pd.isna(value) else float(str(value))
