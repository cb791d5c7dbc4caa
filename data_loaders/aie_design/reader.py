"""Read the devices of a design from its MLIR text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from data_loaders.aie_design.arrays import STACK_BYTES
from data_loaders.aie_design.channels import read_channels
from data_loaders.aie_design.design import DesignDevice, Tile
from data_loaders.aie_design.flows import read_fifo, read_flows, read_host_channel
from data_loaders.aie_design.operands import attribute, canonical, operands
from data_loaders.aie_design.programs import read_program
from data_loaders.aie_design.scopes import Definitions, Scope
from data_loaders.aie_design.statements import Statement, parse_statements, walk
from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content

MAX_BYTES = 64 * 1024**2
"""Largest MLIR text in bytes; a text that includes the programs of the cores is large."""
_GENERIC = re.compile(r'"(?:aie|AIE)\.(?:device|tile|core)"\s{0,9}\(')
_DEVICE = re.compile(r"device\s{0,9}\(\s{0,9}(\w{1,60})\s{0,9}\)\s{0,9}(?:@([\w.$-]{1,200}))?")
_DMAS = frozenset(("aie.mem", "aie.memtiledma", "aie.shimdma"))
_FLOWS = frozenset(("aie.flow", "aie.packetflow", "aie.cascadeflow"))


@dataclass(frozen=True)
class DesignText:
    """Devices of a text in order; `is_cut` if the text ends within a region or braces do not
    balance, `is_generic` if it is in MLIR's generic form, which is not read.
    """

    devices: list[DesignDevice]
    is_cut: bool = False
    is_generic: bool = False

    def choose(self, name: str | None = None) -> DesignDevice | None:
        """Return the device called `name`; without a name the device with most cores, the first
        of equals. `None` if there is no such device.
        """
        if name is not None:
            return next((device for device in self.devices if device.name == name), None)
        return max(self.devices, key=lambda device: device.cores, default=None)


def read_design_file(path: Path) -> DesignText:
    """Read the devices of a design.

    Raises LoadError if the file cannot be read, is larger than 64 MiB, contains a zero byte or has
    too many statements.
    """
    with open_content(path) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise LoadError(f"it is larger than {MAX_BYTES} bytes")
    if b"\0" in content:
        raise LoadError("it is not a text file")
    return read_design_text(content.decode("utf-8", "replace"))


def read_design_text(text: str) -> DesignText:
    """Read the devices of a text; raises LoadError if it has too many statements."""
    if _GENERIC.search(text):
        return DesignText([], is_generic=True)
    parsed = parse_statements(text)
    aliases = {
        statement.op: statement.text.partition("=")[2]
        for statement in parsed.statements
        if statement.op.startswith("!")
    }
    found = [
        statement
        for statement in walk(parsed.statements)
        if canonical(statement.op) == "aie.device"
    ]
    devices = [_read_device(statement, aliases) for statement in found]
    if not found:
        devices = _without_device(parsed.statements, aliases)
    return DesignText(devices, parsed.is_cut)


def _without_device(statements: Sequence[Statement], aliases: dict[str, str]) -> list[DesignDevice]:
    """Read a text from the time before `aie.device`: a module is a device without a model."""
    regions = [list(statements)]
    regions += [region for statement in statements for region in statement.regions]
    tiled = [
        region
        for region in regions
        if any(canonical(statement.op) == "aie.tile" for statement in region)
    ]
    return [_Reader(DesignDevice(None, None), aliases).read(region) for region in tiled[:1]]


def _read_device(statement: Statement, aliases: dict[str, str]) -> DesignDevice:
    match = _DEVICE.search(statement.text)
    device = DesignDevice(match[1] if match else None, match[2] if match else None)
    region = [nested for part in statement.regions for nested in part]
    return _Reader(device, aliases).read(region)


class _Reader:
    """Reads the statements of a device."""

    def __init__(self, device: DesignDevice, aliases: dict[str, str]) -> None:
        self._device = device
        self._definitions = Definitions(device, aliases)
        self._scope = Scope()

    def read(self, region: Sequence[Statement]) -> DesignDevice:
        """Read the region of the device: first all of its values, then what uses them."""
        self._definitions.define_all(region, self._scope)
        for statement in region:
            op = canonical(statement.op)
            if op == "aie.core":
                self._read_core(statement)
            elif op in _DMAS:
                self._read_dma(statement)
            elif op in _FLOWS:
                flows = read_flows(statement, op, self._scope)
                self._device.flows += flows
                self._device.skipped += not flows
            elif op in ("aie.objectfifo", "aie.objectfifo.createobjectfifo"):
                fifo = read_fifo(statement, self._scope, self._definitions.aliases)
                self._device.fifos += [fifo] if fifo else []
                self._device.skipped += fifo is None
            elif op == "aie.shimdmaallocation":
                host = read_host_channel(statement, self._scope)
                self._device.host += [host] if host else []
                self._device.skipped += host is None
        return self._device

    def _tile(self, statement: Statement) -> Tile | None:
        tile = self._scope.tile("".join(operands(statement)[:1]))
        self._device.skipped += tile is None
        return tile

    def _read_core(self, statement: Statement) -> None:
        tile = self._tile(statement)
        if tile is None:
            return
        stack = attribute(statement, "stack_size")
        tile.stack_bytes = stack if stack is not None and stack >= 0 else STACK_BYTES
        for region in statement.regions[:1]:
            steps = read_program(region, self._scope, self._definitions, tile.name)
            self._device.programs[tile.name] = steps

    def _read_dma(self, statement: Statement) -> None:
        tile = self._tile(statement)
        if tile is None:
            return
        for region in statement.regions[:1]:
            scope = Scope(self._scope)
            self._definitions.define_all(region, scope)
            self._device.channels += read_channels(tile, region, scope, self._definitions)
