"""Stalls of a capture joined with its design, as JSON types."""

from __future__ import annotations

from typing import Any

from analysis.aie.design.join import DesignJoin, LockJoin, MemoryJoin, Wait
from schema.frames import Frames


def stalls_mapping(design: Frames, stored: Frames) -> dict[str, Any]:
    """Compute `memory_stalls` and `lock_stalls`, an entry per traced core; empty without a trace."""
    if "tracks" not in stored or "events" not in stored:
        return {"memory_stalls": [], "lock_stalls": []}
    join = DesignJoin(design, stored["tracks"], stored["events"])
    return {
        "memory_stalls": [_memory(join, join.memory(core)) for core in join.cores],
        "lock_stalls": [_locks(join, join.locks(core)) for core in join.cores],
    }


def _memory(join: DesignJoin, joined: MemoryJoin) -> dict[str, Any]:
    stalls = joined.stalls
    users = {(row["tile"], row["name"]): row["users"] for row in join.model.buffers}
    return {
        "tile": stalls.core,
        "slice": join.slice_of(stalls.core) or None,
        "cycles": stalls.cycles,
        "evidence": stalls.evidence,
        "banks": sorted({bank for banks in stalls.conflicts.values() for bank in banks}),
        "pairs": [
            {
                "memory": pair.memory,
                "bank": pair.bank,
                "buffers": [pair.first, pair.second],
                "accesses": {name: users[pair.memory, name] for name in (pair.first, pair.second)},
                "traced": stalls.is_traced(pair),
            }
            for pair in stalls.pairs
        ],
        "moves": [
            {
                "buffer": move.buffer,
                "memory": move.memory,
                "from_bank": move.from_bank,
                "to_bank": move.to_bank,
                "address": move.address,
            }
            for move in joined.moves
        ],
        "moves_check": [
            {
                "accepted": check.is_accepted,
                "traced_pairs_before": check.before,
                "traced_pairs_after": check.after,
                "reason": check.reason or None,
            }
            for check in joined.checks
        ],
        "sentence": join.memory_sentence(joined),
    }


def _locks(join: DesignJoin, joined: LockJoin) -> dict[str, Any]:
    waits = joined.waits
    culprit = joined.blame.culprit
    return {
        "tile": waits.core,
        "slice": join.slice_of(waits.core) or None,
        "cycles": waits.cycles,
        "evidence": waits.evidence,
        "waits": [_wait(wait, waits.cycles or 1) for wait in joined.by_lock],
        "release_cycles": waits.release_cycles,
        "unknown_cycles": waits.unknown_cycles if waits.cycles is not None else None,
        "candidates": [request.lock for request in joined.candidates],
        "stuck": [{"tile": one.tile, "lock": one.lock, "init": one.init} for one in joined.stuck],
        "culprit": {"tile": culprit.tile, "what": culprit.what} if culprit else None,
        "sentence": join.lock_sentence(joined),
    }


def _wait(wait: Wait, total: int) -> dict[str, Any]:
    return {
        "lock": wait.request.lock,
        "cycles": wait.cycles,
        "share": wait.cycles / total,
        "released_by": list(wait.released_by),
        "feeds": [
            {"tile": port.tile, "port": port.port, "channel": port.channel} for port in wait.feeds
        ],
    }
