"""Parser of the cost tables of a TPU-MLIR log: `timestep_with_cycle` and `cycle_slack`.

A line of a table is a transfer (gdma) or a computation (layer) in a time step, with its cycles.
Tables `timestep_with_cycle` describe the schedule that the next attempt places; `cycle_slack`
describes the schedule before transfers were moved to better steps.
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
"""Kinds of tables, named as in the log after `timestep_`."""
# Names are raw text and may contain semicolons. Possessive quantifiers and a limit of 64 semicolons
# keep the search linear.
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
    """A line of a table.

    `lane` is gdma or layer, or "" if the line has the slack of a step. `cycles` is the cost or the
    slack. `first` is True if text precedes the line's first field, which marks the first line of a
    table.
    """

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
    """Lines of a table, with their position in the file (bytes), kind and number of time steps."""

    position: int
    kind: str
    length: int
    lines: Sequence[CycleLine]

    @property
    def shape_secs(self) -> str:
        """Slicing `nsecs,csecs,dsecs,hsecs,wsecs` in the last line of the table; "" if missing."""
        return self.lines[-1].shape_secs


def read_cycles(block: LogBlock) -> tuple[list[CycleLine], int]:
    """Parse the table lines of a block, in order.

    Also returns the number of such lines that are unreadable or of other tables.
    """
    ranks = block.fields.starting(b"; step = timestep_")
    at = block.fields.at[ranks].tolist()
    lines = [_line(block, match) for place in at if (match := _LINE.match(block.text, place))]
    tabular = [line for line in lines if line.kind in (ASSIGNED, BEFORE, SLACK)]
    return tabular, len(at) - len(tabular)


def _line(block: LogBlock, match: re.Match[bytes]) -> CycleLine:
    kind, step, lane, op_type, name, cycles, shape_secs, slack = (
        # The same operators and tensors are repeated in every table, so strings are shared to save
        # memory.
        sys.intern((text or b"").decode(errors="replace"))
        for text in match.groups()
    )
    first = match.start() > 0 and block.text[match.start() - 1] != ord("\n")
    position = block.offset + match.start()
    return CycleLine(
        position, kind, first, int(step), lane, op_type, name, int(cycles or slack), shape_secs
    )


def tables(lines: Sequence[CycleLine]) -> list[Table]:
    """Split the lines into tables, in the order of the file; empty without lines."""
    borders = [0]
    for rank, (previous, line) in enumerate(pairwise(lines), 1):
        if _begins_table(previous, line):
            borders.append(rank)
    borders.append(len(lines))
    parts = [lines[begin:end] for begin, end in pairwise(borders) if begin < end]
    return [Table(part[0].position, part[0].kind, 1 + part[-1].step, part) for part in parts]


def _begins_table(previous: CycleLine, line: CycleLine) -> bool:
    """Whether `line` begins a new table after `previous`: another kind, an earlier step, or the
    first line of an attempt's table.
    """
    # The compiler prints `action` and `debug_range` only before the first line of a
    # `timestep_with_cycle` table.
    return (
        previous.kind != line.kind
        or line.step < previous.step
        or (line.first and line.kind == ASSIGNED)
    )


def slack_mismatches(cost_tables: Sequence[Table]) -> int:
    """Count the time steps with a printed slack other than computation minus transfer cycles, over
    all tables of slack.
    """
    return sum(
        _mismatches(costs, printed)
        for costs, printed in pairwise(cost_tables)
        if (costs.kind, printed.kind) == (BEFORE, SLACK)
    )


def _mismatches(costs: Table, printed: Table) -> int:
    slack: dict[int, int] = {}
    for line in costs.lines:
        sign = 1 if line.lane == "layer" else -1
        slack[line.step] = slack.get(line.step, 0) + sign * line.cycles
    return sum(slack.get(line.step, 0) != line.cycles for line in printed.lines)
