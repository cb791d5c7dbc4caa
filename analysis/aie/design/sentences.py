"""Sentences about the memory and lock stalls of a core."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.aie.design.culprits import Blame
from analysis.aie.design.lock_waits import LockWaits
from analysis.aie.design.memory_pairs import MemoryStalls
from analysis.aie.design.move_check import MoveCheck
from analysis.aie.design.moves import Move
from schema.decimals import share_percent
from schema.plurals import plural

_MAX_NAMED = 3
_CONFIRM = "the compiler has to confirm it, as other fixed addresses are not in the design"
_EVIDENCE = {
    "order": "by the order of the core's lock requests",
    "release": "by releases within 30 cycles of the end of a stall",
}


def name_core(core: str, of_slice: str) -> str:
    """Name a core, with its slice of the trace buffer if `of_slice` names it (not "")."""
    return f"{core} (slice {of_slice})" if of_slice else core


def memory_sentence(
    stalls: MemoryStalls, moves: Sequence[Move], checks: Sequence[MoveCheck] = (), core: str = ""
) -> str:
    """Describe memory stalls: cycles, banks with conflicts, pairs there, and the moves with the
    number of traced pairs that the lab's placement of them leaves.

    `core` names the core, by default as its track.
    """
    core = core or stalls.core
    if stalls.cycles is None:
        seen = f"{core}: MEMORY_STALL was not traced"
    else:
        seen = f"{core} stalled for memory for {plural(stalls.cycles, 'cycle')}"
    if stalls.evidence == "design":
        possible = plural(len(stalls.pairs), "pair")
        if not stalls.pairs:
            return f"{seen}; by the design no two buffers that it uses share a bank."
        if not stalls.cycles:
            return f"{seen}; by the design buffers share a bank in {possible}."
        return f"{seen}; by the design buffers share a bank in {possible}, and the trace does not tell which pair stalls."
    # Pairs in the bank with most conflicts come first.
    places = [(memory, bank) for memory, own in stalls.conflicts.items() for bank in own]
    traced = sorted(
        (pair for pair in stalls.pairs if stalls.is_traced(pair)),
        key=lambda pair: places.index((pair.memory, pair.bank)),
    )
    banks = ", ".join(
        f"bank {bank} of {memory}" for memory, found in stalls.conflicts.items() for bank in found
    )
    names = "; ".join(f"{pair.first} and {pair.second}" for pair in traced[:_MAX_NAMED])
    more = f" and {len(traced) - _MAX_NAMED} more" if len(traced) > _MAX_NAMED else ""
    them = "it" if len(places) == 1 else "one of them"
    pairs = {0: f"no pair of the design's buffers shares {them}", 1: f"{names} share {them}"}.get(
        len(traced),
        f"{len(traced)} pairs share {them} ({names}{more}), and the trace does not tell them apart",
    )
    return f"{seen}; conflicts were traced in {banks}: {pairs}. {_describe_moves(moves, checks, traced_pairs=len(traced))}"


def _describe_moves(
    moves: Sequence[Move], checks: Sequence[MoveCheck], *, traced_pairs: int
) -> str:
    if not traced_pairs:
        return "No move is proposed."
    if not moves:
        return "No move of buffers parts them, or an address is not known."
    steps = ", ".join(
        f"{move.buffer} to bank {move.to_bank} (address {move.address})" for move in moves
    )
    if not checks:
        return f"Moving {steps} leaves fewer pairs; {_CONFIRM}."
    before = sum(check.before for check in checks)
    after = sum(check.after for check in checks)
    return (
        f"Moving {steps} leaves {after} of {plural(before, 'such pair')}, placed by the lab without "
        f"overlap; {_CONFIRM}."
    )


def lock_sentence(waits: LockWaits, blame: Blame, core: str = "") -> str:
    """Describe lock stalls: cycles, the lock with most of them, and the tile that is late.

    `core` names the core, by default as its track.
    """
    core = core or waits.core
    if waits.cycles is None:
        return f"{core}: LOCK_STALL was not traced, so that its waits are unknown."
    seen = f"{core} waited for locks for {plural(waits.cycles, 'cycle')}"
    if waits.evidence == "design":
        count = "which lock is unknown, as the trace has neither its lock requests nor releases that fit"
        return f"{seen}; {count}."
    if blame.time_share is not None:
        return (
            f"{seen}: without the first and the last wait {share_percent(blame.time_share)} of its traced time, "
            "so that no tile is late."
        )
    found = _EVIDENCE[waits.evidence]
    if blame.request is None:
        return f"{seen}; {found}, {blame.reason}."
    return f"{seen}, most for {blame.request.lock}, {found}; {_blame_words(blame)}"


def _blame_words(blame: Blame) -> str:
    if blame.culprit is None:
        return f"the culprit is unknown: {blame.reason}."
    through = f" through {', '.join(blame.culprit.chain)}" if blame.culprit.chain else ""
    if blame.culprit.what == "kernels":
        return f"{blame.culprit.tile} is late{through}: it was in kernels meanwhile."
    return (
        f"the transfer from or to {blame.culprit.tile} is late{through}. "
        "The host and tiles that were not traced are not looked into."
    )


def depth_sentence(blame: Blame, depth: int | None) -> str:
    """Describe a lock with a single buffer behind it; "" for more buffers, or if no tile is late."""
    if blame.request is None or blame.culprit is None or depth != 1:
        return ""
    return f"{blame.request.lock} has depth 1, so that both of its ends take turns."


def stuck_sentence(waits: LockWaits, stuck: Sequence[tuple[str, int]]) -> str:
    """Describe locks that wait for each other, with their initial values; "" without any."""
    request = waits.last_request
    if request is None or not stuck:
        return ""
    named = ", ".join(f"{lock} (initial value {init})" for lock, init in stuck)
    reason = ", as each release waits for another of them" if len(stuck) > 1 else ""
    return (
        f"At the end it waits for {request.lock}: no core or channel can be the first to release "
        f"{named}{reason}."
    )
