"""Locks of a design that no core or channel can release first, from their initial values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analysis.aie.design.model import plain_rows, split_user
from analysis.aie.design.program import follow
from schema.frames import Frames

Lock = tuple[str, str]
"""Tile and name of a lock."""
_MAX_REQUESTS = 256
"""Requests of a program that are followed; a loop of a core has some dozen."""


@dataclass(frozen=True)
class Step:
    """A step of a core or channel: it acquires or releases a lock."""

    is_acquire: bool
    lock: Lock


class Deadlocks:
    """Search for locks that are never granted, because each release waits for such a lock."""

    def __init__(self, frames: Frames, programs: Frames) -> None:
        self._frames = frames
        self._programs = programs

    @cached_property
    def inits(self) -> dict[Lock, int | None]:
        """Initial value of each lock; `None` if the design does not give it."""
        rows = plain_rows(self._frames["design_locks"])
        return {(row["tile"], row["name"]): row["init"] for row in rows}

    @cached_property
    def _reasons(self) -> dict[str, Lock | str]:
        """Map each core and channel that stops for ever before its first release of some lock to
        the lock, or to the channel, that it waits for.
        """
        granted = {lock for lock, init in self.inits.items() if init is None or init > 0}
        granted |= {lock for user, lock in self._releases if not self._is_followed(user)}
        sending: set[str] = set()
        while True:
            blocked: dict[str, Lock | str] = {}
            before = len(granted), len(sending)
            for user, steps in self._sequences.items():
                reason = self._run(user, steps, granted, sending)
                if reason is not None:
                    blocked[user] = reason
            if before == (len(granted), len(sending)):
                return blocked

    def _run(
        self, user: str, steps: Sequence[Step], granted: set[Lock], sending: set[str]
    ) -> Lock | str | None:
        """Follow the steps of a user while its locks are granted; return the lock or channel that it
        waits for, `None` if it does not stop.
        """
        sources = self._sources.get(user, [])
        for step in steps:
            if step.is_acquire and step.lock not in granted:
                return step.lock
            if not step.is_acquire:
                if sources and not any(source in sending for source in sources):
                    return sources[0]
                granted.add(step.lock)
                sending.add(user)
        return None

    def cycle(self, lock: Lock) -> list[Lock]:
        """Return the locks that wait for each other and so keep a lock from being granted; empty if
        the lock can be granted.
        """
        seen: list[Lock] = []
        here: Lock | None = lock
        while here is not None and here not in seen:
            seen.append(here)
            here = self._cause(here)
        return seen[seen.index(here) :] if here is not None else []

    def _cause(self, lock: Lock) -> Lock | None:
        """Return the lock that the releasers of a lock wait for; `None` if any of them does not
        wait for ever.
        """
        users = [user for user, released in self._releases if released == lock]
        reasons = [self._reasons.get(user) for user in users]
        if not users or None in reasons or self.inits.get(lock) != 0:
            return None
        reason = reasons[0]
        for _ in range(len(self._sequences)):
            if not isinstance(reason, str):
                break
            reason = self._reasons.get(reason)
        return None if isinstance(reason, str) else reason

    @cached_property
    def _releases(self) -> list[tuple[str, Lock]]:
        """Users with the locks that they release somewhere."""
        uses = plain_rows(self._frames["design_uses"])
        return [
            (use["by"], (use["tile"], use["lock"])) for use in uses if use["action"] == "Release"
        ]

    def _is_followed(self, user: str) -> bool:
        """Whether the order of a user's requests is known: channels, and programs without steps that
        depend on data.
        """
        if split_user(user)[1]:
            return True
        program = self._programs.get(user)
        return program is not None and not (program["op"] == "unknown").any()

    @cached_property
    def _sequences(self) -> dict[str, list[Step]]:
        """Requests of each core and channel, in order."""
        sequences = {
            core: [
                Step(request.is_acquire, (request.lock_tile, request.lock))
                for request in follow(program, _MAX_REQUESTS)
                if not request.detail
            ]
            for core, program in self._programs.items()
        }
        for row in plain_rows(self._frames["design_descriptors"]):
            user = f"{row['tile']} {row['direction']} {row['channel']}"
            steps = sequences.setdefault(user, [])
            for name, is_acquire in (("acquire", True), ("release", False)):
                if row[name]:
                    steps.append(Step(is_acquire, (row["tile"], row[name])))
        return sequences

    @cached_property
    def _sources(self) -> dict[str, list[str]]:
        """Map each S2MM channel to the channels that feed it, if all of these have descriptors."""
        sources: dict[str, list[str]] = {}
        for flow in plain_rows(self._frames["design_flows"]):
            if _is_data(flow):
                dest = f"{flow['dest']} S2MM {flow['dest_channel']}"
                source = f"{flow['source']} MM2S {flow['source_channel']}"
                sources.setdefault(dest, []).append(source)
        return {
            dest: own
            for dest, own in sources.items()
            if all(source in self._sequences for source in own)
        }


def _is_data(flow: Mapping[str, Any]) -> bool:
    return bool(flow["source_port"] == "DMA" and flow["dest_port"] == "DMA")
