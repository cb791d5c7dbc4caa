"""Match the designs beside a trace buffer with its captures: configured units and their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data_loaders.aie.captures import Capture
from data_loaders.aie.columns import Shift, find_shift, shift_columns, shift_findings
from data_loaders.aie.configuration import Design, Device
from data_loaders.aie.units import Place, Units
from data_loaders.aie.word_findings import design_findings, silent_findings
from schema.diagnostics import Diagnostic


@dataclass(frozen=True)
class Configuration:
    """A design for the packets of a capture: `units` are at the columns that the packets name.

    `device` is None if the units of all devices are taken.
    """

    design: Design
    device: Device | None
    shift: Shift
    units: Units

    def findings(self, traced: set[Place]) -> list[Diagnostic]:
        """Report doubts about the columns, configured units without packets, and traces without a
        place.

        `traced` are the places of the units with packets. Empty if there are no doubts.
        """
        own = {place: unit for place, unit in self.units.items() if unit.is_traced}
        return [
            *shift_findings(self.shift, own, traced),
            *silent_findings(own, traced),
            *design_findings(self.design, self.device),
        ]


def best_design(designs: Sequence[Design], capture: Capture, shift: int | None) -> Configuration:
    """Match each design with the capture and return the configuration that explains most traced
    units; the first one wins a tie.

    A configuration without units if there are no designs. `shift` is the shift in columns that the
    user set.
    """
    # Folders of a build hold several stages of one design; not all of them configure a trace.
    configurations = [_configure(design, capture, shift) for design in designs]
    empty = Configuration(Design([], []), None, Shift(0, 0), {})
    return max(configurations, key=lambda configured: configured.shift.explained, default=empty)


def _configure(design: Design, capture: Capture, given: int | None) -> Configuration:
    device = design.device(capture.slice.device) if capture.slice else None
    if device is not None and capture.slice is not None:
        units = device.units(capture.slice.sequence)
        model = device.model
    else:
        units = design.units()
        model = design.devices[0].model if design.devices else ""
    places = places_of(capture)
    shift = find_shift(units, places, model, given)
    own = shift_columns(units, shift.columns)
    # A unit with packets was traced, even if the sequence of the slice does not start its trace.
    for owner in design.devices if device is None else [device]:
        declared = shift_columns(owner.declared, shift.columns)
        own = {place: declared[place] for place in places if place in declared} | own
    return Configuration(design, device, shift, own)


def places_of(capture: Capture) -> set[Place]:
    """Return kind, row and column of the units that have packets."""
    return {(stream.kind, stream.row, stream.col) for stream in capture.packets.streams}


def configuration_findings(
    chosen: Sequence[Configuration], captures: Sequence[Capture]
) -> list[Diagnostic]:
    """Report doubts about the configuration of each capture, each once."""
    every = [
        finding
        for configuration, capture in zip(chosen, captures, strict=True)
        for finding in configuration.findings(places_of(capture))
    ]
    # Slices of one device have the same doubts.
    return list(dict.fromkeys(every))
