"""Attempts of a compile: buffers of a layer group placed in local memory, in ever finer slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from samples.allocator import Request, lowest_fit
from samples.tpu_network import EU_BYTES, LMEM_BYTES, NETWORK, LayerGroup
from samples.tpu_schedule import Cost, ScheduledBuffer, buffers, costs


@dataclass(frozen=True)
class Attempt:
    """A layout of a layer group in `hsecs` slices.

    `tables` is True for a search pass, which prints the table of its time steps.
    """

    group: int
    hsecs: int
    steps: int
    blocks: Sequence[ScheduledBuffer]
    costs: Sequence[Cost]
    tables: bool

    @property
    def fits(self) -> bool:
        """Whether every buffer has an address."""
        return all(block.address is not None for block in self.blocks)

    @property
    def used_bytes(self) -> int:
        """End of the highest buffer in bytes."""
        return max(
            (block.address + block.size for block in self.blocks if block.address is not None),
            default=0,
        )


def compile_network() -> Iterator[Attempt]:
    """Yield the attempts in the compiler's order: the searches, then two passes over all groups.

    The search uses finer slices until all buffers fit; the last pass merges time steps of longer
    groups.
    """
    fitting: list[Attempt] = []
    for rank, group in enumerate(NETWORK):
        for hsecs in (1, 2, 4, 8):
            attempt = _attempt(rank, group, hsecs, range(len(group)), tables=True)
            yield attempt
            if attempt.fits:
                fitting.append(attempt)
                break
    yield from (replace(attempt, tables=False) for attempt in fitting)
    for attempt in fitting:
        group = NETWORK[attempt.group]
        if len(group) > 4:
            yield _attempt(attempt.group, group, attempt.hsecs, _merge_steps(attempt), tables=False)


def _merge_steps(attempt: Attempt) -> Sequence[int]:
    """Return the step of each layer after merging the cheapest computation into the step before."""
    computed = [cost.cycles for cost in attempt.costs if cost.lane == "layer"]
    cheapest = min(range(1, len(computed)), key=computed.__getitem__)
    return [step - (step >= cheapest) for step in range(len(computed))]


def _attempt(
    rank: int, group: LayerGroup, hsecs: int, step_of: Sequence[int], *, tables: bool
) -> Attempt:
    steps = step_of[-1] + 1
    placed = _place_blocks(buffers(group, hsecs, step_of), steps)
    return Attempt(rank, hsecs, steps, placed, costs(group, hsecs, step_of), tables)


def _place_blocks(blocks: Sequence[ScheduledBuffer], steps: int) -> list[ScheduledBuffer]:
    """Place the blocks, the largest product of size and lifetime first.

    The result is in that order.
    """
    storages = list(dict.fromkeys(block.storage for block in blocks))
    members = {
        storage: [block for block in blocks if block.storage == storage] for storage in storages
    }
    requests = []
    for own in members.values():
        spans = tuple(span for block in own for span in _spans(block, steps))
        requests.append(Request(max(block.size for block in own), spans, EU_BYTES))
    area = [request.size * sum(end - start for start, end in request.spans) for request in requests]
    order = sorted(range(len(requests)), key=lambda rank: (-area[rank], requests[rank].spans))
    addresses = lowest_fit(requests, order, LMEM_BYTES)
    placed: list[ScheduledBuffer] = []
    for rank in order:
        own = members[storages[rank]]
        placed += [replace(block, address=addresses[rank]) for block in own]
    return placed


def _spans(block: ScheduledBuffer, steps: int) -> tuple[tuple[int, int], ...]:
    if block.hold:
        return ((0, steps),)
    if block.start > block.end:
        return (block.start, steps), (0, block.end + 1)
    return ((block.start, block.end + 1),)
