"""Read the trace configuration from the `aie.trace` operations of a design that is not lowered.

Source: mlir-aie 1.4, `aie.trace` (mode, packet type and up to eight events of a tile), and
`aie.trace.config` (register fields), to which a compiler pass lowers it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from data_loaders.aie.packets import SLOTS
from data_loaders.aie.register_writes import parse_integer, set_register
from data_loaders.aie.units import Place, UnitConfiguration, Units

_NAME = r"[\w.$-]{1,200}"
_TILE = re.compile(
    rf"(%{_NAME})\s{{0,9}}=\s{{0,9}}aie\.(?:logical_)?tile(?:\s{{0,9}}<[^<>\n]{{0,100}}>)?"
    r"\s{0,9}\(\s{0,9}(\d{1,4})\s{0,9},\s{0,9}(\d{1,4})"
)
_BLOCK = re.compile(
    rf"aie\.trace(?:\.config)?\s{{0,9}}@({_NAME})\s{{0,9}}\(\s{{0,9}}(%{_NAME})\s{{0,9}}\)"
    r"([^{}]{0,500})\{((?:[^{}]|\{[^{}]{0,500}\}){0,20000})\}"
)
_START = re.compile(rf"trace\.start_config\s{{0,9}}@({_NAME})")
_LOWERED = "_config"
"""Suffix that a compiler pass adds to the name of an operation that it lowers."""
_MODE = re.compile(r'aie\.trace\.mode\s{0,9}"?(Event-?Time|Event-?PC|Execution)\b')
_TYPE = re.compile(r'\b(?:packet_)?type\s{0,9}=\s{0,9}"?(core|memtile|mem|shimtile|shim)\b')
_EVENT = re.compile(r'aie\.trace\.event\s{0,9}<\s{0,9}"?(?:\w{1,100}::)?(\w{1,100})"?\s{0,9}>')
_REGISTER = re.compile(
    r'aie\.trace\.reg\s{0,9}register\s{0,9}=\s{0,9}"(\w{1,60})"(?:\s{0,9}field\s{0,9}=\s{0,9}"(\w{1,60})")?'
    r'\s{0,9}value\s{0,9}=\s{0,9}(?:"(\w{1,100})"|(0[xX][0-9A-Fa-f]{1,16}|-?\d{1,20}))'
)
_MODES = ("EventTime", "EventPC", "Execution")
_KINDS: Mapping[str, str] = MappingProxyType({"shimtile": "shim"})
"""Packet types whose unit has another name here."""
_REGISTERS: Mapping[str, int] = MappingProxyType(
    {"Trace_Control0": 0xD0, "Trace_Event0": 0xE0, "Trace_Event1": 0xE4}
)


@dataclass
class TraceOperations:
    """Trace operations of a device by name; `unplaced` names the operations whose tile has no
    place.
    """

    configured: dict[str, tuple[Place, UnitConfiguration]] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)
    any_started: bool = False

    @classmethod
    def of(cls, text: str) -> TraceOperations:
        """Read the trace operations of a device's text; without any the record is empty."""
        traces = cls()
        if "aie.trace" not in text:
            return traces
        tiles = {name: (int(row), int(col)) for name, col, row in _TILE.findall(text)}
        for name, tile, head, body in _BLOCK.findall(text):
            if tile in tiles:
                traces.configured[name] = _read_block(head, body, *tiles[tile])
            elif name not in traces.unplaced:
                traces.unplaced.append(name)
        return traces

    def started_units(self, line: str) -> Units:
        """Map the place of each unit whose trace a line of a host sequence starts to its
        configuration; empty if there are no such units.

        A lowered operation has the name of the original one with the suffix `_config`. Sets
        `any_started` if there is a unit.
        """
        names = _START.findall(line)
        started = [name for name in names if name in self.configured]
        started += [f"{name}{_LOWERED}" for name in names if f"{name}{_LOWERED}" in self.configured]
        self.any_started |= bool(started)
        return _by_place(self.configured[name] for name in started)

    def all(self) -> Units:
        """Map the place of each unit that a trace operation of the device configures to its
        configuration.
        """
        return _by_place(self.configured.values())


def _by_place(configured: Iterable[tuple[Place, UnitConfiguration]]) -> Units:
    """Map each place (kind, row, column) to the configuration of its unit.

    A second operation of a unit counts only if the first one has no events, as that of its
    performance counters.
    """
    units: Units = {}
    for place, unit in configured:
        if place not in units or not units[place].has_events:
            units[place] = unit
    return units


def _read_block(head: str, body: str, row: int, col: int) -> tuple[Place, UnitConfiguration]:
    unit = UnitConfiguration(mode=0)
    if mode := _MODE.search(body):
        unit.mode = _MODES.index(mode[1].replace("-", ""))
    for slot, event in enumerate(_EVENT.findall(body)[:SLOTS]):
        unit.codes[slot] = event
    for register, register_field, name, number in _REGISTER.findall(body):
        _set_field(unit, register, register_field, name, number)
    packet = _TYPE.search(head) or _TYPE.search(body)
    kind = packet[1] if packet else _usual_kind(row)
    return (_KINDS.get(kind, kind), row, col), unit


def _set_field(
    unit: UnitConfiguration, register: str, register_field: str, name: str, number: str
) -> None:
    """Set a register field of the unit in place, such as `Trace_Event2`, or a whole register if no
    field is named ("").

    The value is the text `name` or, if that is "", `number`. Unknown fields and registers are
    ignored.
    """
    if not register_field:
        if register in _REGISTERS and number:
            set_register(unit, _REGISTERS[register], parse_integer(number) & 0xFFFFFFFF)
        return
    slot = re.fullmatch(r"Trace_Event([0-7])", register_field)
    if slot:
        unit.codes[int(slot[1])] = name or (parse_integer(number) & 0xFF)
    elif register_field == "Mode" and number:
        unit.mode = parse_integer(number) & 3


def _usual_kind(row: int) -> str:
    """Return the kind of unit that is traced on a row if the operation names no packet type: row 0
    shim, row 1 memtile, else core.
    """
    return ("shim", "memtile")[row] if row < 2 else "core"
