"""Read the trace configuration of a design: which events each unit traces, and in which mode.

The source is the MLIR next to a trace. It configures units by register writes (`npu.write32`) or,
before it is lowered, by `aie.trace` operations. A design may have several devices, each with
sequences of its own, whose traces share a buffer in slices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.aie.register_writes import RegisterWrites
from data_loaders.aie.slices import Layout, choose_layout, count_unread, find_layouts
from data_loaders.aie.trace_dialect import TraceOperations
from data_loaders.aie.units import Place, UnitConfiguration, Units
from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content

MAX_BYTES = 64 * 1024**2
"""Largest MLIR text in bytes; a text that includes the programs of the cores is large."""
_DEVICE = re.compile(r"aie\.device\s{0,9}\(\s{0,9}(\w{1,60})\s{0,9}\)\s{0,9}(?:@([\w.$-]{1,200}))?")
_SEQUENCE = re.compile(r"runtime_sequence\s{0,9}(?:@([\w.$-]{1,200}))?")
_COMMENT = re.compile(r"^[ \t]{0,200}//.*$", re.MULTILINE)


@dataclass
class Device:
    """Configuration of one device of a design.

    `model` is the array, such as `npu2_1col`. `sequences` maps a host sequence to the units that it
    configures. `unplaced` names units that are traced but have no place yet. `declared` are the
    units of all its trace operations, also of those that no sequence starts.
    """

    name: str
    model: str
    sequences: dict[str, Units] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)
    declared: Units = field(default_factory=dict)

    def units(self, sequence: str | None = None) -> Units:
        """Map the place (kind, row, column) of each unit that this sequence configures to its
        configuration.

        If the sequence is unknown or `None`, the units of all sequences.
        """
        if sequence in self.sequences:
            return self.sequences[sequence]
        return merge_units(self.sequences.values())


@dataclass(frozen=True)
class Design:
    """Devices of a design, and the layouts of the trace buffers that they share.

    `unread_slices` counts declared slices that are in no layout.
    """

    devices: list[Device]
    layouts: list[Layout]
    unread_slices: int = 0

    def device(self, name: str) -> Device | None:
        """Return the device of this name; `None` if there is no such device."""
        return next((device for device in self.devices if device.name == name), None)

    def units(self) -> Units:
        """Map the place (kind, row, column) of each unit of all devices to its configuration.

        The first device that configures events of a unit decides.
        """
        return merge_units(device.units() for device in self.devices)

    def find_contested(self) -> list[Place]:
        """List the places (kind, row, column) of the units that several devices configure
        differently, once per device that differs from the first.
        """
        seen: Units = {}
        contested = []
        for device in self.devices:
            for place, unit in device.units().items():
                if seen.setdefault(place, unit) != unit:
                    contested.append(place)
        return contested


def merge_units(parts: Iterable[Mapping[Place, UnitConfiguration]]) -> Units:
    """Join mappings of place to configuration.

    For each unit the first configuration with events, or the first if all lack events.
    """
    merged: Units = {}
    for units in parts:
        for place, unit in units.items():
            if place not in merged or (unit.has_events and not merged[place].has_events):
                merged[place] = unit
    return merged


def read_design(path: Path) -> Design:
    """Read the trace configuration of a design.

    Raises LoadError if the file cannot be read, is larger than 64 MiB or contains a zero byte. A
    text without trace configuration gives devices without units.
    """
    with open_content(path) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise LoadError(f"it is larger than {MAX_BYTES} bytes")
    if b"\0" in content:
        raise LoadError("it is not a text file")
    text = _COMMENT.sub("", content.decode("utf-8", "replace"))
    devices = [_read_device(*part) for part in _device_texts(text)]
    return Design(devices, find_layouts(text), count_unread(text))


def shared_layout(designs: Iterable[Design], size: int) -> Layout:
    """Return the slices that share a buffer of `size` bytes; empty if no design declares any."""
    return choose_layout((layout for design in designs for layout in design.layouts), size)


def _device_texts(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (name, model, text) of each device.

    A text without `aie.device(...)` is one device with name and model "".
    """
    heads = list(_DEVICE.finditer(text))
    if not heads:
        yield "", "", text
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True) if heads else ():
        yield head[2] or "", head[1], text[head.end() : end]


def _read_device(name: str, model: str, text: str) -> Device:
    """Read the configuration of a device from its text.

    A text without configuration gives a device without units. SSA names are valid within a device
    only.
    """
    writes = RegisterWrites()
    traces = TraceOperations.of(text)
    sequence = ""
    sequences: dict[str, Units] = {}
    for line in text.splitlines():
        if "runtime_sequence" in line and (head := _SEQUENCE.search(line)):
            sequence = head[1] or ""
        if "arith.constant" in line:
            writes.add_constants(line)
        if "npu.write32" in line:
            writes.apply(line, sequences.setdefault(sequence, {}))
        elif "start_config" in line:
            own = sequences.get(sequence, {})
            sequences[sequence] = merge_units([own, traces.started_units(line)])
    if not traces.any_started:
        sequences[""] = merge_units([sequences.get("", {}), traces.all()])
    return Device(name, model, sequences, traces.unplaced, traces.all())
