"""Write trace units as raw words of a trace buffer, and the design that configures their events."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path

from samples.gemm_array import Unit
from samples.trace_file import SLOTS, start_late

EVENT_CODES: Mapping[str, int] = {
    "NONE": 0,
    "INSTR_EVENT_0": 33,
    "INSTR_EVENT_1": 34,
    "INSTR_VECTOR": 37,
    "MEMORY_STALL": 23,
    "STREAM_STALL": 24,
    "LOCK_STALL": 26,
    "PORT_RUNNING_0": 75,
    "PORT_RUNNING_1": 79,
}
"""Codes of the events of a core in the samples."""
_KINDS = ("core", "mem", "shim", "memtile")
_FIRST_PORT_OF_MEMTILE = 80
_BASES: Mapping[str, int] = {"core": 0x340D0, "memtile": 0x940D0}
_PAD = 0xFE
"""Byte that fills up a packet."""
_SYNC = 1 << 18
"""Cycles of a synchronisation byte."""
_PAYLOAD = 28
"""Bytes of a packet after its header."""
_UNUSED_WORDS = 64


def levels_stream(unit: Unit) -> bytes:
    """Encode a unit in mode 0: a sample when its levels change, repeats while they stay."""
    late = start_late(unit)
    # Reversed: several slots may have one event, and the first of them is used.
    slot = {event: rank for rank, event in reversed(list(enumerate(SLOTS[unit.kind])))}
    # A stream begins with its mode and seven bytes of the unit's timer.
    out = bytearray([0xF0, *(1000 + late).to_bytes(7, "big")])
    now = 0
    for mask, begin, end in _stretches(
        [(slot[event], a + late, b + late) for event, a, b in unit.spans]
    ):
        while begin - now - 1 >= _SYNC:
            # The gap of a sample has at most 18 bits; longer gaps are written as Event_Sync.
            out.append(0xFF)
            now += _SYNC
        gap = begin - now - 1
        out += _sample(mask, gap)
        held = end - begin - 1
        # A repeat of a sample with a gap would repeat the gap as well.
        if gap and held:
            out += _sample(mask, 0)
            held -= 1
        out += _repeats(held)
        now = end - 1
    return bytes(out)


def addresses_stream(records: Sequence[tuple[int, int]]) -> bytes:
    """Encode records (slots as bits, address) of a core in mode 1.

    An equal record becomes a repeat.
    """
    out = bytearray([0xF1, *bytes(7)])
    last: tuple[int, int] | None = None
    for slots, address in records:
        if (slots, address) == last:
            out.append(0xE1)
        else:
            out += (0xC4000000 | slots << 18 | address).to_bytes(4, "big")
        last = slots, address
    return bytes(out)


def _stretches(spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield (active slots as bits, begin, end) for each stretch of time with any active slot."""
    edges = sorted({edge for _, begin, end in spans for edge in (begin, end)})
    changes: dict[int, list[tuple[int, int]]] = {edge: [] for edge in edges}
    for slot, begin, end in spans:
        changes[begin].append((slot, 1))
        changes[end].append((slot, -1))
    depth = [0] * 8
    for begin, end in pairwise(edges):
        for slot, step in changes[begin]:
            depth[slot] += step
        mask = sum(1 << slot for slot in range(8) if depth[slot])
        if mask:
            yield mask, begin, end


def _sample(mask: int, gap: int) -> bytes:
    # Several slots: 1100, 110100 or 110101, eight bits for the slots, and a gap of 4, 10 or 18
    # bits.
    if mask & (mask - 1):
        if gap < 1 << 4:
            return (0xC000 | mask << 4 | gap).to_bytes(2, "big")
        short = gap < 1 << 10
        many = (0xD0 << 16 | mask << 10) if short else (0xD4 << 24 | mask << 18)
        return (many | gap).to_bytes(4 - short, "big")
    # A single slot: 0, 100 or 101, three bits for the slot, and a gap of 4, 10 or 18 bits.
    slot = mask.bit_length() - 1
    if gap < 1 << 4:
        return bytes([slot << 4 | gap])
    short = gap < 1 << 10
    return (0x8000 | slot << 10 | gap if short else 0xA00000 | slot << 18 | gap).to_bytes(
        3 - short, "big"
    )


def _repeats(count: int) -> bytes:
    out = b""
    while count > 0:
        step = min(count, 1023)
        # 1110 and a count of 4 bits, or 110110 and a count of 10 bits.
        out += bytes([0xE0 | step]) if step < 16 else (0xD800 | step).to_bytes(2, "big")
        count -= step
    return out


def trace_words(streams: Mapping[tuple[str, int, int], bytes]) -> list[int]:
    """Return the words of the buffer: packets of the units in turn, the end mark, and unused words.

    `streams` maps (kind, row, column) of a unit to its bytes.
    """
    packets = []
    for unit, content in streams.items():
        packets.append([_packet(unit, part) for part in _parts(content)])
    words: list[int] = []
    for turn in zip_longest(*packets, fillvalue=[]):
        for packet in turn:
            words += packet
    # This word ends the data; the rest of a buffer is zero.
    return [*words, 0xFEFEFEFE, *[0] * _UNUSED_WORDS]


def _parts(content: bytes) -> list[bytes]:
    parts = [content[at : at + _PAYLOAD] for at in range(0, len(content), _PAYLOAD)]
    return [part.ljust(_PAYLOAD, bytes([_PAD])) for part in parts]


def _packet(unit: tuple[str, int, int], payload: bytes) -> list[int]:
    kind, row, col = unit
    header = col << 21 | row << 16 | _KINDS.index(kind) << 12 | 1
    # The top bit makes the parity of the header odd.
    header |= (header.bit_count() % 2 == 0) << 31
    return [header, *(int.from_bytes(payload[at : at + 4], "big") for at in range(0, _PAYLOAD, 4))]


def design_text(units: Sequence[Unit], modes: Mapping[tuple[int, int], int], first_col: int) -> str:
    """Return the MLIR that configures the trace of these units; columns count from `first_col`."""
    writes = []
    for unit in units:
        codes = [_code(unit.kind, event) for event in SLOTS[unit.kind]]
        values = [modes.get((unit.row, unit.col), 0)]
        # A register has the codes of four slots, the first one in its low byte.
        values += [int.from_bytes(bytes(codes[at : at + 4]), "little") for at in (0, 4)]
        for offset, value in zip((0, 16, 20), values, strict=True):
            writes.append(
                f"      aiex.npu.write32 {{address = {_BASES[unit.kind] + offset} : ui32, "
                # A design counts its columns from 0; packets have the column of the hardware.
                f"column = {unit.col - first_col} : i32, row = {unit.row} : i32, value = {value} : ui32}}"
            )
    body = "\n".join(writes)
    return f"module {{\n  aie.device(npu1) {{\n    aiex.runtime_sequence @sequence() {{\n{body}\n    }}\n  }}\n}}\n"


def _code(kind: str, event: str) -> int:
    if kind == "memtile" and event.startswith("PORT_RUNNING_"):
        return _FIRST_PORT_OF_MEMTILE + 4 * int(event.removeprefix("PORT_RUNNING_"))
    return EVENT_CODES[event]


def write_words(folder: Path, words: Sequence[int], design: str, index: str | None = None) -> Path:
    """Write the words as compressed text, the design, and the script's settings.

    Return the words' path.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "aie.mlir").write_text(design, "utf-8")
    if index is not None:
        (folder / "index.json").write_text(index, "utf-8")
    path = folder / "trace.txt.gz"
    text = "".join(f"{word:08x}\n" for word in words)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return path
