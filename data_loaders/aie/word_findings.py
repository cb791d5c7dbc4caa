"""Findings about the words of a trace buffer and the design beside them."""

from __future__ import annotations

from collections.abc import Collection

from data_loaders.aie.captures import Capture, Captures
from data_loaders.aie.configuration import Design, Device
from data_loaders.aie.segments import Words
from data_loaders.aie.slices import MAX_SLICES
from data_loaders.aie.unit_collector import MAX_NAMED_UNITS
from data_loaders.aie.units import Place, Units, unit_name
from data_loaders.aie.words import Packets
from schema.diagnostics import Diagnostic, occurrences
from schema.plurals import first_names, plural

_BUFFER_STEP = 1024
"""Bytes; sizes of trace buffers are multiples of it."""
_MAX_SILENT_NAMES = 12
"""Number of silent units that a finding names."""


def packet_findings(capture: Capture, file: str) -> list[Diagnostic]:
    """Report damaged headers, lost words, and data up to the last word of the buffer or slice.

    Empty without such problems.
    """
    packets: Packets = capture.packets
    what = "with a damaged header: assigned to the previous unit"
    findings = occurrences("warning", "bad_headers", packets.bad, "packet", what)
    findings += occurrences(
        "warning", "words_lost", packets.lost, "word", "before the first packet of a unit ignored"
    )
    whole = capture.slice is not None and 4 * capture.words == capture.slice.size
    if packets.full and (whole or 4 * capture.words % _BUFFER_STEP == 0):
        where = f"slice of device {capture.slice.device}" if capture.slice else "buffer"
        text = f"the {where} of {plural(4 * capture.words, 'byte')} is full, so its end may be missing: increase trace_size"
        findings.append(Diagnostic("warning", "trace_overrun", text, file))
    return findings


def capture_findings(
    captures: Captures, capture: Capture, file: str, *, is_only: bool
) -> list[Diagnostic]:
    """Report how the buffer was divided into captures, and slices and words that are left out.

    Empty if it is a single capture. With `is_only`, this capture is the only run of the buffer, and
    further captures are reported as left out.
    """
    findings = []
    if capture.count > 1:
        at = f" at timer {capture.timer}" if capture.timer is not None else ""
        text = (
            f"the units were started {plural(capture.count, 'time')}: this run is start {capture.number} of "
            f"{capture.count}{at}; the other starts are separate runs"
        )
        findings.append(Diagnostic("info", "started_again", text, file, capture.count))
    is_alone = not captures.are_joined
    if (
        capture.slice is not None
        and is_alone
        and len(captures.captures) + len(captures.unwritten) > 1
    ):
        text = f"this run is the slice of device {capture.slice.device} of a buffer that several devices share"
        findings.append(
            Diagnostic("info", "slice_read", text, f"{file}, byte {capture.slice.offset}")
        )
    if is_only and len(captures.captures) > 1:
        names = [other.name for other in captures.captures if other.name != capture.name]
        text = f"the buffer holds several captures: {first_names(names, MAX_NAMED_UNITS)} ignored"
        findings.append(Diagnostic("warning", "captures_left", text, file, len(names)))
    for part in captures.unwritten:
        text = f"the slice of device {part.device} (byte {part.offset}, {plural(part.size, 'byte')}) was never written"
        findings.append(Diagnostic("warning", "slice_unwritten", text, file))
    findings += occurrences(
        "warning", "words_outside", captures.outside, "word", "in no slice of the design ignored"
    )
    return findings


def silent_findings(units: Units, traced: Collection[Place]) -> list[Diagnostic]:
    """Report units that are configured and wrote no packet: a warning for cores, an info finding
    for all other units.

    Empty if there are none, or if no configured unit wrote a packet.
    """
    silent = sorted(
        place for place, unit in units.items() if unit.is_traced and place not in traced
    )
    if not any(place in units for place in traced):
        return []  # the MLIR is of another design, so all its units would be silent
    findings = []
    for severity, is_core in (("warning", True), ("info", False)):
        names = [unit_name(place) for place in silent if (place[0] == "core") == is_core]
        if names:
            text = (
                f"{plural(len(names), 'unit')} configured without a packet in the words, stalled before the first "
                f"event or not routed: {first_names(names, _MAX_SILENT_NAMES)}"
            )
            where = first_names(names, _MAX_SILENT_NAMES)
            findings.append(Diagnostic(severity, "units_silent", text, where, len(names)))
    return findings


def design_findings(design: Design, device: Device | None) -> list[Diagnostic]:
    """Report traces without a place, and, if `device` is `None`, units that several devices
    configure differently.

    Empty if there are none.
    """
    findings = []
    devices = design.devices if device is None else [device]
    unplaced = [name for owner in devices for name in owner.unplaced]
    if unplaced:
        text = f"{plural(len(unplaced), 'trace')} of a tile without a position ignored: {first_names(unplaced, MAX_NAMED_UNITS)}"
        findings.append(Diagnostic("warning", "trace_unplaced", text, "", len(unplaced)))
    contested = (
        [] if device is not None else [unit_name(place) for place in design.find_contested()]
    )
    if contested:
        text = (
            f"several devices of the design configure {first_names(contested, MAX_NAMED_UNITS)} differently: its events have the "
            "names of the first device"
        )
        where = first_names(contested, MAX_NAMED_UNITS)
        findings.append(Diagnostic("warning", "devices_contest", text, where, len(contested)))
    return findings


def cut_finding(file: str, *, cut: bool) -> list[Diagnostic]:
    """Return a list with a warning that the file ends inside a word if it is `cut`, otherwise an
    empty list.
    """
    text = "the file ends inside a word: the complete words before the cut were read"
    return [Diagnostic("warning", "file_cut", text, file)] if cut else []


def no_packet_reason(words: Words) -> str:
    """Explain why the words contain no packet, as the end of a sentence about the file: no words,
    all zero, or no packet.
    """
    if not len(words):
        return "has no whole trace word"
    return (
        "every word is zero: no event was traced"
        if not words.any()
        else "its words contain no trace packet"
    )


def unread_slices(count: int, file: str) -> list[Diagnostic]:
    """Report the slices that a design declares and that are left out."""
    if not count:
        return []
    text = (
        f"{plural(count, 'slice')} of the trace buffer left out: slices that overlap, do not begin and end at whole "
        f"words, lie outside of every buffer, or are beyond the first {MAX_SLICES}"
    )
    return [Diagnostic("warning", "slices_unread", text, file, count)]
