"""DMA channels of a tile with their chains of buffer descriptors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data_loaders.aie_design.design import Channel, Descriptor, LockUse, Tile
from data_loaders.aie_design.operands import attribute, canonical, operands
from data_loaders.aie_design.scopes import Definitions, Scope
from data_loaders.aie_design.statements import Statement
from data_loaders.aie_design.types import end_of_type

DIRECTIONS = ("S2MM", "MM2S")
_DIRECTION = re.compile(r"(S2MM|MM2S)\s{0,9}(\d{0,3})")
_JUMP = re.compile(r"\^[\w$.-]{1,200}+")
_KEYWORD = re.compile(r"\b(offset|len)\s{0,99}=\s{0,99}(%[\w$.-]{1,200}|\w{1,40})")
_NO_LOOP = re.compile(r"\bloop\s{0,9}=\s{0,9}false")
Blocks = dict[str, list[Statement]]
MAX_CHAIN = 256
"""Most blocks of a chain that are read; a memory tile has 48 descriptors."""
ENTRY = ""
"""Name of a region's first block, which has no label."""


def split_blocks(statements: Sequence[Statement]) -> Blocks:
    """Split a region at its labels into blocks by label, in order; the first has label ""."""
    blocks: Blocks = {ENTRY: []}
    label = ENTRY
    for statement in statements:
        if statement.op.startswith("^"):
            label = statement.op
            blocks.setdefault(label, [])
        else:
            blocks[label].append(statement)
    return blocks


def jump_targets(statement: Statement) -> list[str]:
    """List the labels that a statement names, in order."""
    return _JUMP.findall(statement.plain)


def lock_use(statement: Statement, scope: Scope) -> LockUse | None:
    """Read an `aie.use_lock`; `None` if its lock is not known. The value is 1 if it is left out."""
    given = operands(statement)
    lock = scope.lock(given[0]) if given else None
    if lock is None or len(given) < 2:
        return None
    value = scope.number(given[2]) if len(given) > 2 else 1
    return LockUse(lock, given[1].split("(")[0].strip(), value)


def read_channels(
    tile: Tile, region: Sequence[Statement], scope: Scope, definitions: Definitions
) -> list[Channel]:
    """Read the channels of a `mem`, `memtile_dma` or `shim_dma`, in the order of the text.

    Adds each channel to the users of its buffers and locks.
    """
    blocks = split_blocks(region)
    channels = []
    for statement in region:
        op = canonical(statement.op)
        if op not in ("aie.dmastart", "aie.dma"):
            continue
        place = _place(statement, scope)
        if place is None:
            definitions.device.skipped += 1
            continue
        # This form has its descriptors in regions, the other form jumps between blocks.
        if op == "aie.dma":
            chain = [list(part) for part in statement.regions]
            loop = bool(chain) and not _NO_LOOP.search(statement.plain)
        else:
            # The first target is the chain, the second the block after this statement.
            chain, loop = _follow(blocks, jump_targets(statement)[:1])
            definitions.device.skipped += len(chain) >= MAX_CHAIN
        own = _Chain(f"{tile.name} {place[0]} {place[1]}", scope, definitions)
        parts = [descriptor for block in chain for descriptor in own.read(block)]
        channels.append(Channel(tile, place[0], place[1], loop, tuple(parts)))
    return channels


def _place(statement: Statement, scope: Scope) -> tuple[str, int] | None:
    """Return direction and channel, which older texts write as one word (`MM2S0`)."""
    given = operands(statement)
    match = _DIRECTION.match(given[0]) if given else None
    if match is None:
        return None
    text = match[2] or (given[1] if len(given) > 1 else "")
    channel = scope.number(text)
    return None if channel is None or channel < 0 else (match[1], channel)


def _follow(blocks: Blocks, targets: Sequence[str]) -> tuple[list[list[Statement]], bool]:
    """Return the first MAX_CHAIN blocks of a chain in order, and whether it comes back to a block."""
    chain: list[list[Statement]] = []
    seen: set[str] = set()
    label = next(iter(targets), ENTRY)
    while label in blocks and label != ENTRY and len(chain) < MAX_CHAIN:
        # A chain that jumps back to a block of its own repeats for ever.
        if label in seen:
            return chain, True
        seen.add(label)
        chain.append(blocks[label])
        following = [
            target
            for statement in blocks[label]
            if canonical(statement.op) in ("aie.nextbd", "cf.br", "br")
            for target in jump_targets(statement)
        ]
        label = next(iter(following), ENTRY)
    return chain, False


class _Chain:
    """Reads the blocks of a channel."""

    def __init__(self, user: str, scope: Scope, definitions: Definitions) -> None:
        self._user = user
        self._scope = scope
        self._definitions = definitions

    def read(self, block: Sequence[Statement]) -> list[Descriptor]:
        """Read the descriptors of a block; a descriptor that has only a lock and no buffer is left
        out.
        """
        scope = Scope(self._scope)
        self._definitions.define_all(block, scope)
        uses: list[LockUse] = []
        for statement in block:
            if canonical(statement.op) == "aie.uselock":
                use = lock_use(statement, scope)
                if use is None:
                    self._definitions.device.skipped += 1
                    continue
                use.lock.uses[self._user, use.action, use.value] += 1
                uses.append(use)
        # A descriptor acquires and releases at most one lock each.
        acquire = next((use for use in uses if use.action != "Release"), None)
        release = next((use for use in uses if use.action == "Release"), None)
        return [
            self._descriptor(statement, scope, acquire, release)
            for statement in block
            if canonical(statement.op) == "aie.dmabd"
        ]

    def _descriptor(
        self,
        statement: Statement,
        scope: Scope,
        acquire: LockUse | None,
        release: LockUse | None,
    ) -> Descriptor:
        given = operands(statement)
        first = given[0].strip() if given else ""
        if first.startswith("<"):
            # AIE1: the buffer with offset and length in brackets, then the buffer of a pair.
            given = operands(statement, "<")
            first = given[0].strip() if given else ""
        buffer = scope.buffer(first.partition(":")[0])
        if buffer is not None:
            buffer.add_user(self._user)
        words = dict(_KEYWORD.findall(_behind_type(first)))
        offset = words.get("offset") or (given[1] if len(given) > 1 else "0")
        length = words.get("len") or (given[2] if len(given) > 2 else "")
        # Without a length a descriptor moves the whole buffer.
        whole = buffer.type.elements if buffer is not None else None
        return Descriptor(
            buffer,
            scope.number(offset),
            scope.number(length) if length else whole,
            attribute(statement, "bd_id"),
            acquire,
            release,
        )


def _behind_type(text: str) -> str:
    """Return the part of an operand `%b : type offset = 0` that follows its type."""
    start = text.find(":")
    if start < 0:
        return text
    start += 1 + len(text[start + 1 :]) - len(text[start + 1 :].lstrip())
    return text[end_of_type(text, start) :]
