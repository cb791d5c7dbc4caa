"""Match packets of execution units with the instructions that waves issued to them.

Rules of tinygrad 0.14's viewer (`viz/serve.py`, `sqtt_timeline`): a unit executes in the order of
issue, and the packet of an execution names the unit alone. It marks the last clock of an execution
of the vector unit, and the first clock of all others.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from types import MappingProxyType
from typing import Any, Protocol

_UNITS = MappingProxyType(
    {
        **dict.fromkeys(("WMMA", "VALU", "VALU1", "VALUT", "VALUB", "VINTERP"), "VALU"),
        **dict.fromkeys(("SGMEM", "FLAT", "VMEM"), "VMEM"),
        **dict.fromkeys(("SALU", "SMEM"), "SALU"),
        "LDS": "LDS",
    }
)
"""First word of a kind of instruction -> the unit that executes it."""
_EXECUTED = MappingProxyType({"VALU_SALU": ("VALU", "SALU")})
"""Source in a packet -> units, if they differ from the source."""
_CLOCKS = re.compile(r"_(\d{1,3})$")
_TRANSCENDENTAL = "VALUT"
_WMMA_CLOCKS, _WMMA_CLOCKS_IU4 = 32, 16
"""Clocks of a matrix instruction on RDNA 3, whose packet does not tell it from other instructions of
the vector unit."""


class Issued(Protocol):
    """An issued instruction: clock and kind; `delay` is set when it is executed."""

    at: int
    kind: str
    delay: int | None


class UnitQueues:
    """Issued instructions that wait for their execution, in order, by unit."""

    def __init__(self) -> None:
        self._pending: dict[str, deque[tuple[Issued, str]]] = defaultdict(deque)

    def add_issue(self, issue: Issued, text: str) -> None:
        """Add an issued instruction; `text` is its disassembly, "" if unknown."""
        unit = _UNITS.get(issue.kind.partition("_")[0])
        if unit is not None:
            self._pending[unit].append((issue, _operation(issue.kind, text)))

    def execute(self, source: Any, clock: int) -> None:  # noqa: ANN401 - an enumeration of the decoder
        """Set the delay of the instruction that a packet from `source` belongs to.

        Packets of other SIMD units, and packets whose instruction the trace does not contain, are
        ignored.
        """
        name = str(getattr(source, "name", source))
        for unit in _EXECUTED.get(name, (name,)):
            if self._pending.get(unit):
                issue, operation = self._pending[unit].popleft()
                issue.delay = _first_clock(unit, operation, clock) - issue.at


def _operation(kind: str, text: str) -> str:
    if kind == "VALU" and text.startswith("v_wmma"):
        return f"WMMA_{_WMMA_CLOCKS_IU4 if 'iu4' in text else _WMMA_CLOCKS}"
    return kind


def _first_clock(unit: str, operation: str, clock: int) -> int:
    if unit != "VALU" or operation.startswith(_TRANSCENDENTAL):
        return clock
    clocks = _CLOCKS.search(operation)
    return clock - (int(clocks.group(1)) if clocks else 1)
