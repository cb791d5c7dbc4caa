"""Sentences about the memory and lock stalls of a core."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.aie.design.culprits import Blame
from analysis.aie.design.lock_waits import LockWaits
from analysis.aie.design.memory_pairs import MemoryStalls
from analysis.aie.design.move_check import MoveCheck
from analysis.aie.design.moves import Move
from schema.plurals import plural

_MAX_NAMED = 3
_CONFIRM = "the compiler has to confirm it, as other fixed addresses are not in the design"
_EVIDENCE = {
    "order": "by the order of the core's lock requests",
    "release": "by releases within 30 cycles of the end of a stall",
}


def memory_sentence(
    stalls: MemoryStalls, moves: Sequence[Move], checks: Sequence[MoveCheck] = ()
) -> str:
    """Describe memory stalls: cycles, banks with conflicts, pairs there, and the moves with the
    number of traced pairs that the lab's placement of them leaves.
    """
    core = stalls.core
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
    traced = [pair for pair in stalls.pairs if stalls.is_traced(pair)]
    banks = ", ".join(
        f"bank {bank} of {memory}" for memory, found in stalls.conflicts.items() for bank in found
    )
    names = "; ".join(f"{pair.first} and {pair.second}" for pair in traced[:_MAX_NAMED])
    more = f" and {len(traced) - _MAX_NAMED} more" if len(traced) > _MAX_NAMED else ""
    pairs = {
        0: "no pair of the design's buffers shares it",
        1: f"{names} share it",
    }.get(
        len(traced),
        f"{len(traced)} pairs share it ({names}{more}), and the trace does not tell them apart",
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


def lock_sentence(waits: LockWaits, blame: Blame) -> str:
    """Describe lock stalls: cycles, the lock with most of them, and the tile that is late."""
    core = waits.core
    if waits.cycles is None:
        return f"{core}: LOCK_STALL was not traced, so that its waits are unknown."
    seen = f"{core} waited for locks for {plural(waits.cycles, 'cycle')}"
    if waits.evidence == "design":
        count = "which lock is unknown, as the trace has neither its lock requests nor releases that fit"
        return f"{seen}; {count}."
    found = _EVIDENCE[waits.evidence]
    if blame.request is None:
        return f"{seen}; {found}, {blame.reason}."
    most = f"most for {blame.request.lock}, {found}"
    if blame.culprit is None:
        return f"{seen}, {most}; the culprit is unknown: {blame.reason}."
    through = f" through {', '.join(blame.culprit.chain)}" if blame.culprit.chain else ""
    if blame.culprit.what == "kernels":
        return (
            f"{seen}, {most}; {blame.culprit.tile} is late{through}: it was in kernels meanwhile."
        )
    return (
        f"{seen}, {most}; the transfer from or to {blame.culprit.tile} is late{through}. "
        "The host and tiles that were not traced are not looked into."
    )
