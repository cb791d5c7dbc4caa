"""Names of SSA values and what they are, per region.

A name serves in several regions; the innermost definition counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from data_loaders.aie_design.arrays import tile_kind, tile_memory
from data_loaders.aie_design.design import Buffer, DesignDevice, Lock, Tile
from data_loaders.aie_design.operands import (
    attribute,
    canonical,
    operands,
    parse_number,
    symbol,
    value_name,
)
from data_loaders.aie_design.statements import Statement
from data_loaders.aie_design.types import parse_memref

Meaning = Tile | Buffer | Lock | int | None
_VIEWS = frozenset(
    f"memref.{name}"
    for name in ("subview", "cast", "reinterpretcast", "collapseshape", "expandshape", "view")
)
_LOGICAL = {"coretile": "core", "memtile": "memtile", "shimnoctile": "shim", "shimpltile": "shim"}


class Scope:
    """Values of a region: tiles, buffers, locks, whole constants; `None` for any other value."""

    def __init__(self, parent: Scope | None = None) -> None:
        self._values: dict[str, Meaning] = {}
        self._parent = parent

    def define(self, name: str, meaning: Meaning) -> None:
        self._values[name] = meaning

    def find(self, name: str) -> Meaning:
        """Return what a name means here; `None` if it is unknown or any other value."""
        scope: Scope | None = self
        # An inner region may use a name again, so the search begins at the innermost scope.
        while scope is not None:
            if name in scope._values:
                return scope._values[name]
            scope = scope._parent
        return None

    def number(self, text: str) -> int | None:
        """Return a number that is written out or names a constant; `None` for any other text."""
        if text.strip().startswith("%"):
            meaning = self.find(value_name(text))
            return meaning if isinstance(meaning, int) else None
        return parse_number(text)

    def tile(self, text: str) -> Tile | None:
        meaning = self.find(value_name(text))
        return meaning if isinstance(meaning, Tile) else None

    def lock(self, text: str) -> Lock | None:
        meaning = self.find(value_name(text))
        return meaning if isinstance(meaning, Lock) else None

    def buffer(self, text: str) -> Buffer | None:
        meaning = self.find(value_name(text))
        return meaning if isinstance(meaning, Buffer) else None


class Definitions:
    """Defines the values of a device's regions, and adds its tiles, buffers and locks to it."""

    def __init__(self, device: DesignDevice, aliases: dict[str, str]) -> None:
        self.device = device
        self.aliases = aliases
        self._tiles: dict[str, Tile] = {}
        self.buffer_names: set[str] = set()
        """Names of values that are a buffer, or a view of one, in some region."""

    def define_all(self, statements: Sequence[Statement], scope: Scope) -> None:
        """Define the results of statements of one region, without those of nested regions."""
        for statement in statements:
            self.define(statement, scope)

    def define(self, statement: Statement, scope: Scope) -> None:
        """Define the results of a statement in a scope."""
        if not statement.results and canonical(statement.op) != "aie.lock":
            return
        meaning = self._meaning(statement, scope)
        if isinstance(meaning, Buffer):
            self.buffer_names.update(statement.results)
        for name in statement.results:
            scope.define(name, meaning)

    def _meaning(self, statement: Statement, scope: Scope) -> Meaning:
        op = canonical(statement.op)
        if op in ("aie.tile", "aie.logicaltile"):
            return self._tile(statement, op)
        if op in ("aie.buffer", "aie.externalbuffer"):
            return self._buffer(statement, scope, is_external=op == "aie.externalbuffer")
        if op == "aie.lock":
            return self._lock(statement, scope)
        # Older texts write `constant` without a dialect, so no operation is found for it.
        if op in ("arith.constant", "") and "constant" in statement.text:
            return parse_number(statement.text.partition("constant")[2])
        # A view uses the memory of its buffer.
        if op in _VIEWS:
            return scope.buffer(statement.text.partition("=")[2])
        return None

    def _tile(self, statement: Statement, op: str) -> Tile | None:
        places = [parse_number(part) for part in operands(statement)[:2]]
        if len(places) != 2:
            self.device.skipped += 1
            return None
        col, row = places
        if op == "aie.logicaltile":
            kind = _LOGICAL.get(canonical("".join(operands(statement, "<")[:1])), "core")
        elif row is None or col is None:
            self.device.skipped += 1
            return None
        else:
            kind = tile_kind(self.device.model, row)
        if row is None or col is None:
            row, col = None, None
        memory = tile_memory(self.device.model, kind)
        tile = Tile(statement.results[0], kind, row, col, memory)
        if tile.name not in self._tiles:
            self._tiles[tile.name] = tile
            self.device.tiles.append(tile)
        return self._tiles[tile.name]

    def _buffer(self, statement: Statement, scope: Scope, *, is_external: bool) -> Buffer | None:
        kind = parse_memref(statement.plain, self.aliases)
        name = symbol(statement, statement.results[0])
        tile = None if is_external else scope.tile("".join(operands(statement)[:1]))
        if tile is None and not is_external:
            self.device.skipped += 1
            return None
        address = attribute(statement, "address")
        address = None if address is None or address < 0 else address
        buffer = Buffer(tile, name, kind, address, attribute(statement, "mem_bank"))
        if tile is not None:
            self.device.buffers.append(buffer)
        return buffer

    def _lock(self, statement: Statement, scope: Scope) -> Lock | None:
        given = operands(statement)
        tile = scope.tile("".join(given[:1]))
        if tile is None:
            self.device.skipped += 1
            return None
        number = scope.number(given[1]) if len(given) > 1 else None
        default = statement.results[0] if statement.results else f"lock {number}"
        lock = Lock(tile, symbol(statement, default), number, attribute(statement, "init"))
        self.device.locks.append(lock)
        return lock
