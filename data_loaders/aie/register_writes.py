"""Read the trace configuration from the register writes (`npu.write32`) of a host sequence.

The operation has address, column, row and value as attributes, or address and value as constants.
Without column and row, the address is absolute. A register holds four event codes, low byte first;
the two low bits of another register are the mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from data_loaders.aie.units import UnitConfiguration, Units

_INTEGER = r"(0[xX][0-9A-Fa-f]{1,16}|-?\d{1,20})\b"
_WRITE = re.compile(
    r'npu\.write32"?\s{0,9}(?:\(([^()\n]{0,200})\))?\s{0,9}<?(?:\{([^{}\n]{0,500})\})?'
)
_CONSTANT = re.compile(rf"(%[\w.$-]{{1,100}})\s{{0,9}}=\s{{0,9}}arith\.constant\s{{1,9}}{_INTEGER}")
_ATTRIBUTE = re.compile(rf"\b(address|column|row|value)\s{{0,9}}=\s{{0,9}}{_INTEGER}")
_BASES: Mapping[int, str] = {0x34000: "core", 0x14000: "mem", 0x94000: "memtile"}
"""Base addresses of trace registers within a tile -> kind of unit; row 0 of `core` means `shim`."""
_MODE = 0xD0
_FIRST_EVENTS = 0xE0
_LAST_EVENTS = 0xE4
_PER_REGISTER = 4


def parse_integer(text: str) -> int:
    """Parse an integer of MLIR, decimal or hexadecimal with `0x`; raises ValueError for other text."""
    return int(text, 16) if text[:2].lower() == "0x" else int(text)


class RegisterWrites:
    """Constants of a device, and the writes that use them."""

    def __init__(self) -> None:
        self._constants: dict[str, int] = {}

    def add_constants(self, line: str) -> None:
        """Remember the `arith.constant` values of a line by SSA name.

        A later constant replaces an earlier one of the same name.
        """
        for name, value in _CONSTANT.findall(line):
            # MLIR may use one SSA name in several regions, so the latest constant of a name counts.
            self._constants[name] = parse_integer(value)

    def apply(self, line: str, units: Units) -> None:
        """Apply the `npu.write32` writes of a line to `units` in place, adding units that are
        missing.

        Writes of registers other than trace mode and events, or without a known address or value,
        are ignored.
        """
        for write in _WRITE.finditer(line):
            _apply_write(units, self._fields(write))

    def _fields(self, write: re.Match[str]) -> dict[str, int]:
        attributes = _ATTRIBUTE.findall(write[2] or "")
        fields = {name: parse_integer(value) for name, value in attributes}
        operands = [self._constants.get(name.strip()) for name in (write[1] or "").split(",")]
        pairs = zip(("address", "value"), operands, strict=False)
        return fields | {name: value for name, value in pairs if value is not None}


def _apply_write(units: Units, fields: Mapping[str, int]) -> None:
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
    place = ("shim" if kind == "core" and row == 0 else kind, row, col)
    set_register(units.setdefault(place, UnitConfiguration()), register, value)


def set_register(unit: UnitConfiguration, register: int, value: int) -> None:
    """Set the mode (register 0xD0) or four event codes (0xE0: slots 0 to 3, 0xE4: slots 4 to 7) of
    a unit in place.

    The low byte of `value` is the first of the four codes; the two low bits are the mode.
    """
    if register == _MODE:
        unit.mode = value & 3
        return
    first = _PER_REGISTER if register == _LAST_EVENTS else 0
    unit.codes[first : first + _PER_REGISTER] = value.to_bytes(4, "little")
