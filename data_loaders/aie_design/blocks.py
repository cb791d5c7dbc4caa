"""Blocks in the memories of a design: its buffers, and the stacks of its cores."""

from __future__ import annotations

from dataclasses import dataclass

from data_loaders.aie_design.arrays import STACK_NAME
from data_loaders.aie_design.design import DesignDevice, Tile


@dataclass(frozen=True)
class MapBlock:
    """A block (kind `buffer` or `stack`) of a tile's memory; address and size may be unknown.

    `named_bank` is the bank that the design names, whatever the address.
    """

    tile: Tile
    name: str
    kind: str
    address: int | None
    size: int | None
    banks: range
    named_bank: int | None = None

    def overlaps(self, other: MapBlock) -> bool:
        """Whether two blocks of a tile share an address."""
        if self.address is None or other.address is None:
            return False
        return self.address < other.address + (other.size or 0) and other.address < self.address + (
            self.size or 0
        )


def device_blocks(device: DesignDevice) -> list[MapBlock]:
    """List the blocks of a device: buffers in the order of the text, then the stacks of cores."""
    blocks = [
        MapBlock(
            buffer.tile,
            buffer.name,
            "buffer",
            buffer.address,
            buffer.type.bytes,
            buffer.banks,
            buffer.bank,
        )
        for buffer in device.buffers
        if buffer.tile is not None
    ]
    for tile in device.tiles:
        if tile.stack_bytes is not None:
            banks = tile.memory.used_banks(0, tile.stack_bytes)
            blocks.append(MapBlock(tile, STACK_NAME, "stack", 0, tile.stack_bytes, banks))
    return blocks
