"""What a TPU-MLIR log says of the cost of time steps: tables of `timestep_with_cycle` and of `cycle_slack`.

A line is a transfer (gdma) or a computation (layer) in one time step, with its cycles. `timestep_with_cycle` is the
assignment that the attempt after it lays out; `cycle_slack` that before transfers were moved to where they fit best.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from data_loaders.tpu_mlir.blocks import LogBlock

ASSIGNED, BEFORE, SLACK = "with_cycle", "cycle", "cycle_slack"
"""Kinds of tables, as the compiler calls them after `timestep_`."""
_NAME = r"[^;\n]*+(?:;(?! (?:concerning_op|cycle|tag) = )[^;\n]*+){0,64}+"
_LINE = re.compile(
    (
        r'; step = timestep_(\w+); tag = result; remark = "[^"\n]*+"; action = \w+; timestep = ([0-9]{1,7})'
        r"(?:; timestep_type = (gdma|layer)(?:; op = ([^;\n]*+))?"
        rf"; tensor_name = ({_NAME})(?:; concerning_op = [^;\n]*+; concerning_op_name = {_NAME})?"
        r"; cycle = ([0-9]{1,12})(?:; shape_secs = ([0-9,]++))?"
        r"|; cycle_slack = (-?[0-9]{1,12}))"
    ).encode()
)


class CycleLine(NamedTuple):
    """A line of a table. `lane` is gdma, layer, or empty where it is the slack of a step; `cycles` is either."""

    position: int
    kind: str
    first: bool
    step: int
    lane: str
    op_type: str
    name: str
    cycles: int
    shape_secs: str


@dataclass(frozen=True)
class Table:
    """Lines that were printed together: where they begin, of which kind they are, and how many time steps they have."""

    position: int
    kind: str
    length: int
    lines: Sequence[CycleLine]

    @property
    def shape_secs(self) -> str:
        """Return the slicing that it was made for; empty where it does not say."""
        return self.lines[-1].shape_secs


def read_cycles(block: LogBlock) -> tuple[list[CycleLine], int]:
    """Return the lines of tables in a block, and how many more could not be read."""
    ranks = block.fields.starting(b"; step = timestep_")
    at = block.fields.at[ranks].tolist()
    lines = [_line(block, match) for place in at if (match := _LINE.match(block.text, place))]
    known = [line for line in lines if line.kind in (ASSIGNED, BEFORE, SLACK)]
    return known, len(at) - len(known)


def _line(block: LogBlock, match: re.Match[bytes]) -> CycleLine:
    kind, step, lane, op_type, name, cycles, shape_secs, slack = (
        sys.intern((text or b"").decode(errors="replace")) for text in match.groups()
    )
    first = match.start() > 0 and block.text[match.start() - 1] != ord("\n")
    position = block.offset + match.start()
    return CycleLine(position, kind, first, int(step), lane, op_type, name, int(cycles or slack), shape_secs)


def tables(lines: Sequence[CycleLine]) -> list[Table]:
    """Return the lines by table, in the order of the file."""
    borders = [0, *(rank for rank, (one, other) in enumerate(pairwise(lines), 1) if _apart(one, other)), len(lines)]
    parts = [lines[begin:end] for begin, end in pairwise(borders) if begin < end]
    return [Table(part[0].position, part[0].kind, 1 + part[-1].step, part) for part in parts]


def _apart(one: CycleLine, other: CycleLine) -> bool:
    """Return whether a line begins another table than the one before: only the first of a table has a prefix."""
    return one.kind != other.kind or other.step < one.step or (other.first and other.kind == ASSIGNED)


def slack_mismatches(found: Sequence[Table]) -> int:
    """Return in how many time steps the printed slack is not computation less transfers."""
    return sum(_mismatches(one, other) for one, other in pairwise(found) if (one.kind, other.kind) == (BEFORE, SLACK))


def _mismatches(costs: Table, printed: Table) -> int:
    slack: dict[int, int] = {}
    for line in costs.lines:
        slack[line.step] = slack.get(line.step, 0) + (line.cycles if line.lane == "layer" else -line.cycles)
    return sum(slack.get(line.step, 0) != line.cycles for line in printed.lines)
