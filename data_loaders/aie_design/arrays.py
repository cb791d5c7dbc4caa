"""Tiles and memories of AIE arrays, by the name of the device.

Sources: mlir-aie's target models; AM020 (AIE-ML), AM009 (AIE). A bank is the compiler's: on cores
of AIE-ML it is two physical banks of 8 KiB, which alternate every 16 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

STACK_BYTES = 1024
"""Stack of a core whose design names no `stack_size`, from address 0."""
STACK_NAME = "(stack)"


@dataclass(frozen=True)
class Memory:
    """Memory of a tile: bytes in equal banks. Both 0 if the tile has none, `None` if not known."""

    size: int | None
    banks: int | None

    @property
    def bank_bytes(self) -> int | None:
        """Size of a bank in bytes; `None` without banks."""
        return self.size // self.banks if self.size and self.banks else None

    def used_banks(self, address: int, size: int) -> range:
        """Return the banks of a block; empty without banks. An empty block is in its address's."""
        if not self.bank_bytes or not self.banks:
            return range(0)
        last = (address + max(size, 1) - 1) // self.bank_bytes
        return range(address // self.bank_bytes, min(last, self.banks - 1) + 1)


_UNKNOWN = Memory(None, None)
_NONE = Memory(0, 0)
_AIE1_CORE = Memory(32 * 1024, 4)
_CORE = Memory(64 * 1024, 4)
_MEMTILE = Memory(512 * 1024, 8)


def is_first_generation(device: str | None) -> bool:
    """Whether the array is an AIE1, which has no memtiles; also without a device, as texts had
    none when AIE1 was the only array.
    """
    return device is None or device.startswith("xcvc")


def tile_kind(device: str | None, row: int) -> str:
    """Return the kind of a tile by its row: `shim`, `memtile` or `core`."""
    if row == 0:
        return "shim"
    memtile_rows = 0 if is_first_generation(device) else 2 if device == "xcve2802" else 1
    return "memtile" if row <= memtile_rows else "core"


def tile_memory(device: str | None, kind: str) -> Memory:
    """Return the memory of a tile of this kind; unknown for a device that is not known."""
    if device is None or not device.startswith(("npu", "ipu", "xcv")):
        return _UNKNOWN
    if kind == "shim":
        return _NONE
    if kind == "memtile":
        return _MEMTILE
    return _AIE1_CORE if is_first_generation(device) else _CORE
