"""Thread traces of AMD for tests, packet by packet: hand-made bit fields, lowest first.

They are of RDNA 3 unless a name has another generation. A packet is (bits, number of half bytes).
"""

from tests.support.machine_code import AMD, S_CBRANCH_SCC1, S_ENDPGM, S_NOP, elf, words

SALU, JUMP, JUMP_NO, CALL, OTHER_LDS, NO_KIND = 0, 3, 4, 5, 0x50, 0x7F
COUNTING = elf(AMD, words(S_NOP, S_NOP, S_CBRANCH_SCC1 | 0xFFFE, S_ENDPGM))
"""A program with a loop of the instructions at 4 and 8."""
TWICE = (SALU, SALU, JUMP, SALU, JUMP_NO)
"""Kinds of the instructions that a wave issues when it runs the loop twice."""


def trace(*packets):
    """Pack packets to the bytes of a trace, with eight more bytes, because the decoder looks ahead."""
    at = value = 0
    for bits, size in packets:
        value |= bits << at
        at += 4 * size
    return value.to_bytes((at + 7) // 8, "little") + bytes(8)


def header(simd=0, layout=3):
    return 0b0010001 | layout << 7 | simd << 13, 16


def start(slot, *, unit=0, simd=0, array=0, delta=0):
    return 0b01100 | delta << 5 | array << 7 | simd << 8 | unit << 10 | slot << 13, 8


def end(slot, *, unit=0, simd=0, array=0, delta=0):
    return 0b10101 | delta << 5 | array << 8 | simd << 9 | unit << 11 | slot << 15, 5


def vector(slot, delta=0):
    return 0b011 | delta << 3 | slot << 7, 3


def instruction(slot, kind=SALU, delta=0):
    return 0b010 | delta << 4 | slot << 8 | kind << 13, 5


def immediate(slot, delta=0):
    return 0b1101 | delta << 4 | slot << 7, 3


def immediates(mask, delta=0):
    return 0b00100 | delta << 5 | mask << 8, 6


def alu_execution(source, delta=0):
    return 0b1110 | delta << 4 | source << 6, 2


def memory_execution(source, delta=0):
    return 0b1111 | delta << 4 | source << 6, 2


def ready(mask, delta=0):
    return 0b10100 | delta << 5 | mask << 8, 6


def mark(real_time):
    """Build a packet with a mark of the real-time clock."""
    return 0b0000001 | 1 << 9 | real_time << 12, 12


def pause(clocks):
    """Build a packet that lets up to 2^36 clocks pass."""
    return 0b0000001 | clocks << 12, 12


def start_rdna4(slot, *, unit=0):
    return 0b01100 | unit << 10 | slot << 15, 8


def end_rdna4(slot):
    return 0b10101 | slot << 15, 5


def instruction_rdna4(slot, delta=0):
    return 0b010 | delta << 3 | slot << 7 | SALU << 12, 5


def long_pause_rdna4():
    """Build a packet that lets 2^52 - 1 clocks pass."""
    return 0b0000001 | (2**52 - 1) << 12, 16


def begin_cdna():
    return 0x11, 16


def start_cdna(slot, unit=0, simd=0):
    return 3 | unit << 6 | slot << 10 | simd << 14, 8


def end_cdna(slot, unit=0, simd=0):
    return 6 | unit << 6 | slot << 10 | simd << 14, 4


def instruction_cdna(slot):
    return 10 | slot << 5, 4


def pause_cdna(clocks):
    """Build a packet that lets up to 1,020 clocks pass, in steps of four."""
    return clocks // 4 << 4, 4


def counting(slot, kinds=TWICE):
    """List the packets of a wave that runs COUNTING, with a clock between packets."""
    return [start(slot), *(instruction(slot, kind, delta=1) for kind in kinds), end(slot, delta=1)]
