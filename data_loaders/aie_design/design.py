"""Records of a design: tiles, buffers, locks, DMA channels, flows, objectfifos and programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from data_loaders.aie_design.arrays import Memory
from data_loaders.aie_design.types import BufferType


@dataclass
class Tile:
    """A tile; `row` and `col` are `None` if the design does not place it.

    `stack_bytes` is the stack of its core, `None` if the tile has no core. `value` is the name of
    its SSA value.
    """

    value: str
    kind: str
    row: int | None
    col: int | None
    memory: Memory
    stack_bytes: int | None = None

    @property
    def name(self) -> str:
        """Name as tracks have it, `core 2,1`; `core %value` if the tile is not placed."""
        if self.row is None or self.col is None:
            return f"{self.kind} %{self.value}"
        return f"{self.kind} {self.row},{self.col}"


@dataclass
class Buffer:
    """A buffer of a tile, or of the host if `tile` is `None`. `users` are cores and channels."""

    tile: Tile | None
    name: str
    type: BufferType
    address: int | None = None
    bank: int | None = None
    users: list[str] = field(default_factory=list)

    @property
    def banks(self) -> range:
        """Banks by its address, else the bank that the design names; empty if not known."""
        if self.tile is None or not self.tile.memory.banks:
            return range(0)
        if self.address is not None:
            return self.tile.memory.used_banks(self.address, self.type.bytes or 0)
        in_memory = self.bank is not None and 0 <= self.bank < self.tile.memory.banks
        return range(self.bank or 0, (self.bank or 0) + 1) if in_memory else range(0)

    def add_user(self, user: str) -> None:
        """Add a core or channel that names the buffer, once."""
        if user not in self.users:
            self.users.append(user)


@dataclass(eq=False)
class Lock:
    """A lock of a tile. `uses` counts statements by user, action and value (`None`: not known)."""

    tile: Tile
    name: str
    id: int | None
    init: int | None
    uses: Counter[tuple[str, str, int | None]] = field(default_factory=Counter)


@dataclass(frozen=True)
class LockUse:
    """A lock that a descriptor takes or gives, with the action and the value."""

    lock: Lock
    action: str
    value: int | None


@dataclass(frozen=True)
class Descriptor:
    """A buffer descriptor of a DMA channel; offset and length in elements."""

    buffer: Buffer | None
    offset: int | None
    length: int | None
    bd_id: int | None
    acquire: LockUse | None
    release: LockUse | None

    @property
    def bytes(self) -> int | None:
        """Bytes that the descriptor moves; `None` if they are not known."""
        return self.buffer.type.count_bytes(self.length) if self.buffer else None


@dataclass(frozen=True)
class Channel:
    """A DMA channel of a tile (direction `S2MM` or `MM2S`) with its chain of descriptors."""

    tile: Tile
    direction: str
    channel: int
    loop: bool
    descriptors: tuple[Descriptor, ...]


@dataclass(frozen=True)
class End:
    """An end of a flow: port and channel of a tile."""

    tile: str
    port: str
    channel: int | None


@dataclass(frozen=True)
class Flow:
    """A connection (`circuit`, `packet` with its id, or `cascade`) between two ends."""

    kind: str
    id: int | None
    source: End
    dest: End


@dataclass(frozen=True)
class Fifo:
    """An objectfifo; `depth` is a number, or a list of them with the producer's first."""

    name: str
    producer: str
    consumers: tuple[str, ...]
    depth: int | list[int] | None
    bytes: int | None


@dataclass(frozen=True)
class HostChannel:
    """A DMA channel of a shim tile that the host uses under a symbol."""

    symbol: str
    tile: str
    direction: str
    channel: int | None


@dataclass(frozen=True)
class Step:
    """An instruction of a core's program, as far as it decides the order of lock requests.

    `operands` are names and numbers as text. `lock` is a lock, or the name of an objectfifo.
    """

    op: str
    operands: tuple[str, ...] = ()
    lock: Lock | str | None = None


@dataclass(eq=False)
class DesignDevice:
    """A device of a design with everything on it; `programs` maps a core's tile to its steps."""

    model: str | None
    name: str | None
    tiles: list[Tile] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    locks: list[Lock] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    fifos: list[Fifo] = field(default_factory=list)
    host: list[HostChannel] = field(default_factory=list)
    programs: dict[str, list[Step]] = field(default_factory=dict)
    skipped: int = 0
    """Statements of this device that name a tile, lock or flow that could not be found."""

    @property
    def cores(self) -> int:
        """Number of tiles with a core."""
        return sum(tile.stack_bytes is not None for tile in self.tiles)

    @property
    def has_addresses(self) -> bool:
        """Whether at least one buffer has an address."""
        return any(buffer.address is not None for buffer in self.buffers)
