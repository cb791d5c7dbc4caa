"""Read the trace configuration of a design: which events each unit traces, and in which mode.

The source is the MLIR next to a trace, whose `npu.write32` operations write registers. The
operation has address, column, row and value as attributes, or address and value as constants. A
register holds four event codes, low byte first; the two low bits of another register are the mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content

MAX_BYTES = 64 * 1024**2
"""Largest MLIR text in bytes; a text that includes the programs of the cores is large."""
_DEVICE = b"aie.device"
_WRITE = re.compile(r"npu\.write32\s{0,9}(?:\(([^()\n]{1,200})\))?\s{0,9}\{([^{}\n]{0,500})\}")
_CONSTANT = re.compile(r"(%[\w.$-]{1,100})\s{0,9}=\s{0,9}arith\.constant (-?\d{1,20})\b")
_ATTRIBUTE = re.compile(r"(address|column|row|value) = (-?\d{1,20})\b")
_BASES: Mapping[int, str] = {0x34000: "core", 0x14000: "mem", 0x94000: "memtile"}
"""Base addresses of trace registers within a tile -> kind of unit; row 0 of `core` means `shim`."""
_MODE = 0xD0
_FIRST_EVENTS = 0xE0
_LAST_EVENTS = 0xE4
_PER_REGISTER = 4

Place = tuple[str, int, int]
"""Kind, row and column of a unit."""


def _unknown_codes() -> list[int | None]:
    return [None] * (2 * _PER_REGISTER)


@dataclass
class UnitConfiguration:
    """Trace configuration of a unit: event codes of its eight slots, and mode.

    A code or the mode is `None` if it is not configured.
    """

    codes: list[int | None] = field(default_factory=_unknown_codes)
    mode: int | None = None

    @property
    def has_events(self) -> bool:
        return any(code is not None for code in self.codes)


def is_design(head: bytes) -> bool:
    """Whether a text of MLIR is a design for an AIE array."""
    return _DEVICE in head


def read_configuration(path: Path) -> dict[Place, UnitConfiguration]:
    """Read the trace configuration of each unit of a design.

    Raises LoadError if the file cannot be read, is larger than MAX_BYTES or is not a text.
    """
    with open_content(path) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise LoadError(f"it has more than {MAX_BYTES} bytes")
    if b"\0" in content:
        raise LoadError("it is no text")
    text = content.decode("utf-8", "replace")
    constants: dict[str, int] = {}
    units: dict[Place, UnitConfiguration] = {}
    for line in text.splitlines():
        if "arith.constant" in line and (constant := _CONSTANT.search(line)):
            # MLIR may use one SSA name in several regions, so the latest constant of a name counts.
            constants[constant[1]] = int(constant[2])
        elif "npu.write32" in line and (write := _WRITE.search(line)):
            _take_write(units, _fields(write, constants))
    return units


def _fields(write: re.Match[str], constants: Mapping[str, int]) -> dict[str, int]:
    fields = {name: int(value) for name, value in _ATTRIBUTE.findall(write[2])}
    operands = [constants.get(name.strip()) for name in (write[1] or "").split(",")]
    pairs = zip(("address", "value"), operands, strict=False)
    return fields | {name: value for name, value in pairs if value is not None}


def _take_write(units: dict[Place, UnitConfiguration], fields: Mapping[str, int]) -> None:
    """Store the register write if it configures a trace; all other writes are ignored."""
    if not {"address", "value"} <= fields.keys():
        return
    address = fields["address"] & 0xFFFFFFFF
    value = fields["value"] & 0xFFFFFFFF
    row = fields.get("row", address >> 20 & 31)
    col = fields.get("column", address >> 25)
    kind = _BASES.get(address & 0xFFF00)
    register = address & 0xFF
    if kind is None or register not in (_MODE, _FIRST_EVENTS, _LAST_EVENTS):
        return
    unit = units.setdefault(
        ("shim" if kind == "core" and row == 0 else kind, row, col), UnitConfiguration()
    )
    if register == _MODE:
        unit.mode = value & 3
        return
    first = _PER_REGISTER if register == _LAST_EVENTS else 0
    unit.codes[first : first + _PER_REGISTER] = value.to_bytes(4, "little")


def shift_columns(
    units: Mapping[Place, UnitConfiguration], least: int
) -> dict[Place, UnitConfiguration]:
    """Shift all columns so that the first column with events becomes `least`.

    Columns of a design are relative: it may run on other columns of the array, which packets name.
    """
    columns = [col for (_, _, col), unit in units.items() if unit.has_events]
    shift = least - min(columns) if columns else 0
    return {(kind, row, col + shift): unit for (kind, row, col), unit in units.items()}
