"""Findings about a design: what is cut, overlaps, is too large or contradicts itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from data_loaders.aie_design.blocks import MapBlock, device_blocks
from data_loaders.aie_design.design import DesignDevice
from data_loaders.aie_design.reader import DesignText
from schema.diagnostics import Diagnostic
from schema.plurals import first_names, plural

_MAX_NAMED = 3
"""Number of buffers that a finding names."""
GENERIC = (
    "it is in MLIR's generic form, which is not read (design_generic); "
    "write it with aie-opt, without --mlir-print-op-generic"
)


def design_findings(text: DesignText, device: DesignDevice, file: str) -> list[Diagnostic]:
    """Report what is doubtful about a design; empty if there are no doubts."""
    findings = []
    if text.is_cut:
        message = (
            "the text ends within a region, or its braces do not balance: what is there was read"
        )
        findings.append(Diagnostic("warning", "design_cut", message, file))
    if device.skipped:
        message = (
            f"{plural(device.skipped, 'statement')} skipped: a tile, lock or channel that they name "
            "is not in the text"
        )
        findings.append(Diagnostic("warning", "design_skipped", message, file, device.skipped))
    blocks = device_blocks(device)
    return [
        *findings,
        *_overlaps(blocks, file),
        *_too_large(blocks, file),
        *_other_banks(blocks, file),
    ]


def _overlaps(blocks: Sequence[MapBlock], file: str) -> list[Diagnostic]:
    """Report buffers that share addresses with the block before them, by address on one tile."""
    placed = sorted(
        (block for block in blocks if block.address is not None and block.size),
        key=lambda block: (block.tile.name, block.address or 0),
    )
    pairs = []
    highest = placed[0] if placed else None
    for before, block in pairwise(placed):
        if highest is None or before.tile is not highest.tile or _end(before) > _end(highest):
            highest = before
        if block.tile is highest.tile and block.overlaps(highest):
            pairs.append(f"{highest.name} and {block.name} of {block.tile.name}")
    if not pairs:
        return []
    text = f"{plural(len(pairs), 'block')} overlap others: {first_names(pairs, _MAX_NAMED)}"
    return [Diagnostic("warning", "design_overlap", text, file, len(pairs))]


def _too_large(blocks: Sequence[MapBlock], file: str) -> list[Diagnostic]:
    names = [
        f"{block.name} of {block.tile.name}"
        for block in blocks
        if block.address is not None
        and block.tile.memory.size
        and _end(block) > block.tile.memory.size
    ]
    if not names:
        return []
    text = f"{plural(len(names), 'block')} beyond the end of the tile's memory: {first_names(names, _MAX_NAMED)}"
    return [Diagnostic("warning", "design_too_large", text, file, len(names))]


def _other_banks(blocks: Sequence[MapBlock], file: str) -> list[Diagnostic]:
    names = [
        f"{block.name} of {block.tile.name}"
        for block in blocks
        if block.named_bank is not None
        and block.address is not None
        and len(block.banks)
        and block.named_bank != block.banks[0]
    ]
    if not names:
        return []
    text = (
        f"mem_bank of {plural(len(names), 'buffer')} is not the bank of the address, which counts: "
        f"{first_names(names, _MAX_NAMED)}"
    )
    return [Diagnostic("warning", "design_bank", text, file, len(names))]


def _end(block: MapBlock) -> int:
    return (block.address or 0) + (block.size or 0)
