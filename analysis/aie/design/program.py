"""Follow the program of a core as far as it decides the order of its lock requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

MAX_STEPS = 2_000_000
"""Maximum number of steps of a program that are followed."""
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {
        "slt": lambda left, right: left < right,
        "sle": lambda left, right: left <= right,
        "sgt": lambda left, right: left > right,
        "sge": lambda left, right: left >= right,
        "ult": lambda left, right: left < right,
        "ule": lambda left, right: left <= right,
        "eq": lambda left, right: left == right,
        "ne": lambda left, right: left != right,
    }
)


@dataclass(frozen=True)
class Request:
    """A request of a program: a lock (or objectfifo, without tile) that is acquired or released.

    `detail` is `Produce` or `Consume` for an objectfifo, else "".
    """

    is_acquire: bool
    lock: str
    lock_tile: str
    detail: str = ""


def follow(program: pd.DataFrame, count: int) -> list[Request]:
    """Return the first `count` requests of a core's rows of frame `design_programs`.

    There are fewer if the program ends, takes more than MAX_STEPS steps, or branches on a value
    that is not constant.
    """
    return _Run(program).requests(count)


class _Run:
    """State of a program: position and known values."""

    def __init__(self, program: pd.DataFrame) -> None:
        self._ops = program["op"].astype(str).tolist()
        self._operands = [str(text).split() for text in program["operands"]]
        self._locks = [
            (str(lock), "" if pd.isna(tile) else str(tile))
            for lock, tile in zip(program["lock"], program["lock_tile"], strict=True)
        ]
        self._labels = {
            operands[0]: place
            for place, (op, operands) in enumerate(zip(self._ops, self._operands, strict=True))
            if op == "label"
        }
        self._values: dict[str, int | bool | None] = {"zero": 0}
        self._place = 0

    def requests(self, count: int) -> list[Request]:
        found: list[Request] = []
        for _ in range(MAX_STEPS):
            if len(found) >= count or self._place >= len(self._ops):
                break
            op = self._ops[self._place]
            operands = self._operands[self._place]
            if op in ("acquire", "release"):
                detail = operands[0] if operands else ""
                found.append(Request(op == "acquire", *self._locks[self._place], detail))
            elif op == "jump":
                if not self._jump(operands[0], operands[1:]):
                    break
                continue
            elif op == "branch":
                if not self._branch(operands):
                    break
                continue
            elif op in ("end", "unknown"):
                break
            else:
                self._compute(op, operands)
            self._place += 1
        return found

    def _compute(self, op: str, operands: list[str]) -> None:
        if op == "set":
            self._values[operands[0]] = int(operands[1])
        elif op in ("add", "compare"):
            left = self._values.get(operands[-2])
            right = self._values.get(operands[-1])
            compare = _COMPARISONS.get(operands[1])
            if left is None or right is None or (op == "compare" and compare is None):
                self._values[operands[0]] = None
            elif op == "add":
                self._values[operands[0]] = left + right
            elif compare is not None:
                self._values[operands[0]] = compare(left, right)

    def _branch(self, operands: list[str]) -> bool:
        """Jump by the condition; False if it is not known."""
        condition = self._values.get(operands[0])
        if condition is None:
            return False
        count = int(operands[2])
        if condition:
            return self._jump(operands[1], operands[3 : 3 + count])
        return self._jump(operands[3 + count], operands[4 + count :])

    def _jump(self, label: str, arguments: list[str]) -> bool:
        """Go to a label and set its parameters; False if there is no such label."""
        place = self._labels.get(label)
        if place is None:
            return False
        values = [self._values.get(name) for name in arguments]
        self._values.update(zip(self._operands[place][1:], values, strict=False))
        self._place = place + 1
        return True
