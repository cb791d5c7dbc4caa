"""Decode a thread trace: waves of all units, and instructions of a single unit.

A trace is a stream of packets, which package tinygrad parses. Packets of instructions contain only
a wave's slot: they belong to the SIMD unit that the first packet names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any

from data_loaders.tinygrad.machine.executions import UnitQueues
from data_loaders.tinygrad.machine.follower import LAST, UNKNOWN, InstructionMap
from data_loaders.tinygrad.machine.shader_clock import ShaderClock
from schema.command import FULL
from schema.plurals import plural

MAX_PACKETS = 300_000
"""Maximum packets of a trace, which take two seconds.

A matrix product of 1024 x 1024 has some ten thousand packets on an engine.
"""
NOT_INSTALLED = f"the trace decoder, tinygrad 0.14, is not installed: install {FULL}"
NO_ROOM = "earlier traces reach the limit of decoded data of a capture"
_OTHER = "OTHER_"
"""Prefix of kinds that another SIMD unit issued; the trace does not contain the wave."""
_SLOTS = 16
"""Bits of a mask of waves."""
_MAX_CLOCK = 2**62
"""Maximum clock of a trace; a delta may have 52 bits, so a broken trace could exceed int64."""
_BARRIERS = frozenset({"BARRIER", "BARRIER_SIGNAL"})
_UNIT = (0, 0)
"""Shader array and unit for which tinygrad records instructions."""


@dataclass
class Wave:
    """A wave, the shader array, unit, SIMD unit and slot in which it ran, and the clocks of its
    start and end.

    `closed` is True if the trace contains both.
    """

    array: int
    unit: int
    simd: int
    slot: int
    start: int
    end: int
    closed: bool = False


@dataclass(slots=True)
class Issue:
    """An instruction issued by the wave of rank `wave`.

    `duration` is the number of clocks until the wave's next issue, `delay` until an execution unit
    begins it, and `released` the clock at which the wave is ready again behind a barrier.
    """

    wave: int
    at: int
    pc: int | None
    kind: str
    duration: int | None = None
    delay: int | None = None
    released: int | None = None


@dataclass
class Traced:
    """Packets of a trace by kind, waves, and instructions in the order of the trace.

    `why` is the reason if some packets are missing, else "".
    """

    packets: Counter[str] = field(default_factory=Counter)
    waves: list[Wave] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    clock: ShaderClock = field(default_factory=ShaderClock)
    why: str = ""


def decode_waves(
    blob: bytes,
    program: InstructionMap,
    most_packets: int = MAX_PACKETS,
    most_rows: int = MAX_PACKETS,
) -> Traced:
    """Decode a trace, up to `most_packets` packets and `most_rows` waves and instructions.

    Clocks count from the trace's begin. If the decoder fails or is not installed, the result has
    the packets before that and a reason.
    """
    try:
        # The package is optional, and only this child process imports it, when a capture has
        # traces.
        from tinygrad.renderer.amd.sqtt import decode  # noqa: PLC0415 - the child alone
    except ImportError:
        return Traced(why=NOT_INSTALLED)
    reader = _Reader(program, most_rows)
    try:
        # Limits count packets and rows, not seconds, so that a capture has the same frames on a
        # slow machine.
        packets = decode(blob)
        for packet in islice(packets, most_packets):
            reader.take(packet)
            if reader.full:
                break
        else:
            # Without a packet after the limit the trace is complete.
            reader.stopped = next(packets, None) is not None
    except Exception:
        reader.broken = True
    return reader.result()


class _Reader:
    """Decoder state: handles the packets of a trace in order."""

    def __init__(self, program: InstructionMap, most_rows: int) -> None:
        self._program = program
        self._max_rows = most_rows
        self._traced = Traced()
        self._simd = 0
        self._clock = 0
        self._inflight: dict[tuple[int, int, int, int], int] = {}
        """Shader array, unit, SIMD unit and slot -> wave in that slot."""
        self._pcs: dict[int, int | None] = {}
        """Wave -> pc of its next instruction."""
        self._latest: dict[int, Issue] = {}
        """Wave -> its last issue."""
        self._lost: set[int] = set()
        self._executions = UnitQueues()
        self.stopped = self.broken = False

    @property
    def full(self) -> bool:
        """Whether the limit of waves and instructions is reached."""
        return len(self._traced.waves) + len(self._traced.issues) >= self._max_rows

    def take(self, packet: Any) -> None:  # noqa: ANN401 - a packet of the decoder
        """Handle a packet: count it, advance the clock, and add its waves and instructions.

        Raises ValueError if the clock exceeds 2**62.
        """
        # Packets of RDNA 4 are handled as their RDNA 3 counterparts.
        kind = type(packet).__name__.removesuffix("_RDNA4")
        self._traced.packets[kind] += 1
        self._clock = max(self._clock, packet._time)
        if self._clock > _MAX_CLOCK:
            raise ValueError("its times exceed the limit of a trace")
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, packet)

    def result(self) -> Traced:
        """Return the decoded trace, with the reasons for missing data in `why`.

        Waves that are still active end with the trace.
        """
        for wave in self._inflight.values():
            self._traced.waves[wave].end = self._clock
        self._traced.why = "; ".join(self._reasons())
        return self._traced

    def _reasons(self) -> Iterator[str]:
        if self.broken:
            yield "the decoder fails at one of its packets"
        elif self.full or self.stopped:
            yield f"only its first {sum(self._traced.packets.values())} packets are decoded"
        if "CDNA_INST" in self._traced.packets:
            yield "instructions in CDNA traces are not decoded"
        elif self._traced.issues and self._program.first is None:
            yield "its instructions have no address: the program's machine code is not known"
        elif self._lost:
            count = len(self._lost)
            yield f"{plural(count, 'wave')} did not follow the program's machine code"

    def header(self, packet: Any) -> None:  # noqa: ANN401
        """Store the SIMD unit of a header packet: the instructions behind it belong to this unit."""
        self._simd = packet.simd

    def begin(self, packet: Any) -> None:  # noqa: ANN401
        """Begin the wave of a start packet at the current clock.

        When the slot is still occupied, the earlier wave ends here and stays unclosed.
        """
        place = _place(packet)
        before = self._inflight.get(place)
        if before is not None:
            self._traced.waves[before].end = self._clock
        self._pcs[self._enter(place, self._clock)] = self._program.first

    def end(self, packet: Any) -> None:  # noqa: ANN401
        """End the wave of an end packet at the current clock.

        It is `closed` if its start is in the trace.
        """
        place = _place(packet)
        wave = self._wave(place)
        ended = self._traced.waves[wave]
        ended.end = self._clock
        ended.closed = wave in self._pcs
        if place[:3] == (*_UNIT, self._simd):
            self._add_issue(packet.wave, LAST)
        del self._inflight[place]

    def issue(self, packet: Any) -> None:  # noqa: ANN401
        """Add the instruction that a packet reports to its wave.

        Instructions of other SIMD units are ignored.
        """
        kind = _kind(packet)
        if not kind.startswith(_OTHER):
            self._add_issue(packet.wave, kind)

    def issue_several(self, packet: Any) -> None:  # noqa: ANN401
        """Add an instruction of kind IMMEDIATE for each wave slot in the packet's mask."""
        for slot in range(_SLOTS):
            if packet.mask >> slot & 1:
                self._add_issue(slot, "IMMEDIATE")

    def _add_issue(self, slot: int, kind: str) -> None:
        wave = self._wave((*_UNIT, self._simd, slot))
        pc, following = self._program.follow_issue(self._pcs.get(wave), kind)
        if pc is None and self._program.first is not None:
            self._lost.add(wave)
        if wave in self._pcs:
            self._pcs[wave] = following
        issue = Issue(wave, self._clock, pc, kind)
        self._traced.issues.append(issue)
        self._executions.add_issue(issue, self._program.text(pc))
        before = self._latest.get(wave)
        if before is not None:
            before.duration = self._clock - before.at
        self._latest[wave] = issue

    def execute(self, packet: Any) -> None:  # noqa: ANN401
        """Match the packet of an execution unit with the instruction that it executes."""
        self._executions.execute(packet.src, packet._time)

    def release(self, packet: Any) -> None:  # noqa: ANN401
        """End the barriers of the waves of a mask."""
        for slot in range(_SLOTS):
            wave = (
                self._inflight.get((*_UNIT, self._simd, slot)) if packet.mask >> slot & 1 else None
            )
            latest = None if wave is None else self._latest.get(wave)
            if latest is not None and latest.kind in _BARRIERS and latest.released is None:
                latest.released = self._clock

    def mark(self, packet: Any) -> None:  # noqa: ANN401
        """Add a mark of the real-time clock."""
        if packet.is_marker:
            self._traced.clock.add_mark(self._clock, packet.delta)

    def _wave(self, place: tuple[int, int, int, int]) -> int:
        """Return the rank of the active wave in a slot.

        A wave without a start packet is added, active since clock 0.
        """
        wave = self._inflight.get(place)
        # The trace began after the wave's start.
        return self._enter(place, 0) if wave is None else wave

    def _enter(self, place: tuple[int, int, int, int], at: int) -> int:
        wave = self._inflight[place] = len(self._traced.waves)
        self._traced.waves.append(Wave(*place, at, at))
        return wave


def _place(packet: Any) -> tuple[int, int, int, int]:  # noqa: ANN401
    """Return (shader array, unit, SIMD unit, slot) of a wave's start or end packet."""
    if hasattr(packet, "wgp"):
        return packet.sa, packet.wgp, packet.simd, packet.wave
    return packet.sh, packet.cu, packet.simd, packet.wave


def _kind(packet: Any) -> str:  # noqa: ANN401
    """Return the kind of instruction that a packet reports, such as `VALU` or the name of its
    operation; UNKNOWN for an unknown number.
    """
    name = type(packet).__name__
    if not name.startswith("INST"):
        return name.removesuffix("INST")
    try:
        # `op` of the decoder is an enumeration; an unknown number raises ValueError.
        return str(packet.op.name)
    except ValueError:
        return UNKNOWN


_HANDLERS: Mapping[str, Callable[[_Reader, Any], None]] = MappingProxyType(
    {
        "LAYOUT_HEADER": _Reader.header,
        "WAVESTART": _Reader.begin,
        "CDNA_WAVESTART": _Reader.begin,
        "WAVEEND": _Reader.end,
        "CDNA_WAVEEND": _Reader.end,
        "VALUINST": _Reader.issue,
        "INST": _Reader.issue,
        "IMMEDIATE": _Reader.issue,
        "IMMEDIATE_MASK": _Reader.issue_several,
        "ALUEXEC": _Reader.execute,
        "VMEMEXEC": _Reader.execute,
        "WAVERDY": _Reader.release,
        "TS_DELTA_OR_MARK": _Reader.mark,
    }
)
