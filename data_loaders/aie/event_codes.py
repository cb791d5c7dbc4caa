"""Names of hardware events by code: a table for each kind of traced unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

_FIRST = "NONE TRUE GROUP_0 TIMER_SYNC TIMER_VALUE_REACHED"
_SCRUBBED = (
    "DM_ECC_ERROR_SCRUB_CORRECTED DM_ECC_ERROR_SCRUB_2BIT DM_ECC_ERROR_1BIT DM_ECC_ERROR_2BIT"
)
_LOCK_WORDS = ("ACQ_EQ", "ACQ_GE", "REL", "EQUAL_TO_VALUE")


def code_name(kind: str, code: int) -> str:
    """Return the event name of a code on a unit of kind core, mem, shim or memtile.

    Returns `Unknown` if the code is beyond the kind's table; raises KeyError for other kinds.
    """
    names = _NAMES[kind]
    return names[code] if code < len(names) else "Unknown"


def _numbers(pattern: str, count: int, first: int = 0) -> str:
    """Expand a pattern such as `PC_#` to `count` names, numbered from `first`, in one text with
    spaces between: `PC_0 PC_1`.
    """
    return " ".join(pattern.replace("#", str(number)) for number in range(first, first + count))


def _each(prefix: str, words: Sequence[str]) -> str:
    return " ".join(prefix + word for word in words)


def _dma(channel: str = "#") -> str:
    """List the event names of a DMA with two channels per direction, in order of their codes, in
    one text with spaces between.
    """
    both = "START_TASK", "FINISHED_BD", "FINISHED_TASK", "STALLED_LOCK"
    pairs = [(word, word) for word in both]
    pairs += [
        ("STREAM_STARVATION", "STREAM_BACKPRESSURE"),
        ("MEMORY_BACKPRESSURE", "MEMORY_STARVATION"),
    ]
    return " ".join(
        f"{_numbers(f'DMA_S2MM_{channel}_{into}', 2)} {_numbers(f'DMA_MM2S_{channel}_{out}', 2)}"
        for into, out in pairs
    )


def _ports() -> str:
    states = ("IDLE", "RUNNING", "STALLED", "TLAST")
    return " ".join(f"PORT_{state}_{port}" for port in range(8) for state in states)


def _combos() -> str:
    return f"{_numbers('COMBO_EVENT_#', 4)} {_numbers('EDGE_DETECTION_EVENT_#', 2)}"


def _last(users: int) -> str:
    return f"GROUP_BROADCAST {_numbers('BROADCAST_#', 16)} GROUP_USER_EVENT {_numbers('USER_EVENT_#', users)}"


def _core() -> str:
    instructions = [
        "CALL",
        "RETURN",
        "VECTOR",
        "LOAD",
        "STORE",
        "STREAM_GET",
        "STREAM_PUT",
        "CASCADE_GET",
        "CASCADE_PUT",
    ]
    return (
        f"{_FIRST} {_numbers('PERF_CNT_#', 4)} {_combos()} GROUP_PC_EVENT {_numbers('PC_#', 4)} "
        "PC_RANGE_0_1 PC_RANGE_2_3 GROUP_STALL MEMORY_STALL STREAM_STALL CASCADE_STALL LOCK_STALL DEBUG_HALTED "
        "ACTIVE DISABLED ECC_ERROR_STALL ECC_SCRUBBING_STALL GROUP_PROGRAM_FLOW INSTR_EVENT_0 INSTR_EVENT_1 "
        f"{_each('INSTR_', instructions)} INSTR_LOCK_ACQUIRE_REQ INSTR_LOCK_RELEASE_REQ "
        "GROUP_ERRORS_0 GROUP_ERRORS_1 SRS_OVERFLOW UPS_OVERFLOW FP_HUGE INT_FP_0 FP_INVALID FP_INF rsvd_54 "
        "PM_REG_ACCESS_FAILURE STREAM_PKT_PARITY_ERROR CONTROL_PKT_ERROR AXI_MM_SLAVE_ERROR INSTR_DECOMPRSN_ERROR "
        "DM_ADDRESS_OUT_OF_RANGE PM_ECC_ERROR_SCRUB_CORRECTED PM_ECC_ERROR_SCRUB_2BIT PM_ECC_ERROR_1BIT "
        "PM_ECC_ERROR_2BIT PM_ADDRESS_OUT_OF_RANGE DM_ACCESS_TO_UNAVAILABLE LOCK_ACCESS_TO_UNAVAILABLE "
        "INSTR_WARNING INSTR_ERROR DECOMPRESSION_UNDERFLOW STREAM_SWITCH_PORT_PARITY_ERROR PROCESSOR_BUS_ERROR "
        f"GROUP_STREAM_SWITCH {_ports()} {_last(users=4)}"
    )


def _memory() -> str:
    locks = " ".join(
        f"LOCK_SEL{lock}_ACQ_EQ LOCK_SEL{lock}_ACQ_GE LOCK_{lock}_REL LOCK_SEL{lock}_EQUAL_TO_VALUE"
        for lock in range(8)
    )
    return (
        f"{_FIRST} PERF_CNT_0 PERF_CNT_1 {_combos()} rsvd_13 rsvd_14 GROUP_WATCHPOINT WATCHPOINT_0 WATCHPOINT_1 "
        f"GROUP_DMA_ACTIVITY {_dma()} GROUP_LOCK {locks} GROUP_MEMORY_CONFLICT {_numbers('CONFLICT_DM_BANK_#', 8)} "
        f"rsvd_85 GROUP_ERRORS {_SCRUBBED} {_numbers('DM_PARITY_ERROR_BANK_#', 6, 2)} "
        f"{_numbers('DMA_S2MM_#_ERROR', 2)} {_numbers('DMA_MM2S_#_ERROR', 2)} LOCK_ERROR DMA_TASK_TOKEN_STALL "
        f"{_numbers('rsvd_#', 3, 103)} {_last(users=4)}"
    )


def _shim() -> str:
    locks = " ".join(_each(f"LOCK_{lock}_", _LOCK_WORDS) for lock in range(6))
    return (
        f"{_FIRST} PERF_CNT_0 PERF_CNT_1 {_combos()} GROUP_DMA_ACTIVITY {_dma()} GROUP_LOCK {locks} GROUP_ERRORS "
        "AXI_MM_SLAVE_ERROR CONTROL_PKT_ERROR STREAM_SWITCH_PARITY_ERROR AXI_MM_DECODE_NSU_ERROR "
        "AXI_MM_SLAVE_NSU_ERROR AXI_MM_UNSUPPORTED_TRAFFIC AXI_MM_UNSECURE_ACCESS_IN_SECURE_MODE "
        "AXI_MM_BYTE_STROBE_ERROR DMA_S2MM_ERROR DMA_MM2S_ERROR LOCK_ERROR DMA_TASK_TOKEN_STALL "
        f"GROUP_STREAM_SWITCH {_ports()} GROUP_BROADCAST_A {_numbers('BROADCAST_A_#', 16)} USER_EVENT_0 USER_EVENT_1"
    )


def _memtile() -> str:
    locks = " ".join(_each(f"LOCK_SEL{lock}_", _LOCK_WORDS) for lock in range(8))
    return (
        f"{_FIRST} {_numbers('PERF_CNT#_EVENT', 4)} {_combos()} GROUP_WATCHPOINT {_numbers('WATCHPOINT_#', 4)} "
        f"GROUP_DMA_ACTIVITY {_dma('SEL#')} GROUP_LOCK {locks} GROUP_STREAM_SWITCH {_ports()} GROUP_MEMORY_CONFLICT "
        f"{_numbers('CONFLICT_DM_BANK_#', 16)} GROUP_ERRORS {_SCRUBBED} DMA_S2MM_ERROR DMA_MM2S_ERROR "
        "STREAM_SWITCH_PARITY_ERROR STREAM_PKT_ERROR CONTROL_PKT_ERROR AXI_MM_SLAVE_ERROR LOCK_ERROR "
        f"DMA_TASK_TOKEN_STALL {_last(users=2)}"
    )


_NAMES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "core": _core().split(),
        "mem": _memory().split(),
        "shim": _shim().split(),
        "memtile": _memtile().split(),
    }
)
