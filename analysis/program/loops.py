"""Loops of a program's control flow graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

MAX_BLOCKS = 5_000
"""Maximum number of blocks of a program whose loops are searched; programs have a few hundred."""
MAX_JUMPS_BACK = 400
"""Maximum number of back edges; programs have dozens, and the time for nested loops grows with
their square.
"""


def walk_blocks(
    blocks: Sequence[int], edges: Iterable[tuple[int, int]]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the blocks sorted so that each comes after its predecessors, apart from back edges,
    and the list of the back edges (source, target).

    The depth-first walk begins at the first block, then at each block that it has not reached.
    Edges of unknown blocks are ignored.
    """
    after: dict[int, list[int]] = {block: [] for block in blocks}
    for source, target in edges:
        if source in after and target in after:
            after[source].append(target)
    # A dict keeps the order of insertion. The stack is explicit, as blocks may be nested deeper
    # than Python permits calls.
    done: dict[int, None] = {}
    on_path: set[int] = set()
    back: list[tuple[int, int]] = []
    for begin in blocks:
        waiting = [begin]
        while waiting:
            block = waiting[-1]
            if block in done or block in on_path:
                waiting.pop()
                if block in on_path:
                    on_path.remove(block)
                    done[block] = None
                continue
            on_path.add(block)
            back += [(block, target) for target in after[block] if target in on_path]
            waiting += [
                target
                for target in reversed(after[block])
                if target not in done and target not in on_path
            ]
    return [*reversed(done)], back


def innermost_loops(
    blocks: Sequence[int], edges: Sequence[tuple[int, int]]
) -> list[frozenset[int]]:
    """Find the loops that contain no other loop, as sets of blocks sorted by their lowest block;
    see `natural_loops`. [] without loops.
    """
    loops = natural_loops(blocks, edges)
    inner = [loop for loop in loops if not any(other < loop for other in loops)]
    return sorted(inner, key=min)


def natural_loops(blocks: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[frozenset[int]]:
    """Find the loops of a control flow graph as sets of blocks, sorted by their lowest block; loops
    with the same head are merged.

    The natural loop of a back edge is its head and all blocks that can reach the edge without
    passing the head (Aho et al.). [] without loops, or if `can_find_loops` is False.
    """
    _, back = walk_blocks(blocks, edges)
    if not _is_bounded(blocks, back):
        return []
    before: Mapping[int, list[int]] = {block: [] for block in blocks}
    for source, target in edges:
        if source in before and target in before:
            before[target].append(source)
    by_head: dict[int, frozenset[int]] = {}
    for source, head in back:
        by_head[head] = by_head.get(head, frozenset()) | _natural(source, head, before)
    return sorted(set(by_head.values()), key=min)


def can_find_loops(blocks: Sequence[int], edges: Sequence[tuple[int, int]]) -> bool:
    """Whether there are few enough blocks (at most MAX_BLOCKS, 5,000) and back edges
    (MAX_JUMPS_BACK, 400) to search for loops.
    """
    return _is_bounded(blocks, walk_blocks(blocks, edges)[1])


def _is_bounded(blocks: Sequence[int], back: Sequence[tuple[int, int]]) -> bool:
    return len(blocks) <= MAX_BLOCKS and len(back) <= MAX_JUMPS_BACK


def _natural(source: int, head: int, before: Mapping[int, list[int]]) -> frozenset[int]:
    loop = {head, source}
    waiting = [source] if source != head else []
    while waiting:
        for block in before[waiting.pop()]:
            if block not in loop:
                loop.add(block)
                waiting.append(block)
    return frozenset(loop)
