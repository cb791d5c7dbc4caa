"""Expected run of a compiled network: TPU-MLIR's profile of core 0, and its list of operators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from samples.tpu_compile import Attempt
from samples.tpu_schedule import Cost

CLOCK_HZ = 1.0e9
"""Clock of the engines."""
_FIRST_LINE = 14
"""Line of the first operator in the module's text."""
_WIDTH = 92
"""Characters of a column."""
_RULE = "-" * 38
_ENGINES = {"layer": "ENGINE_BD", "gdma": "ENGINE_GDMA"}
_COMMANDS = {"tpu.Conv2D": "CONV", "tpu.MatMul": "MM", "tpu.Pool2D": "PorD"}


@dataclass(frozen=True)
class Command:
    """A command of an engine for the operator on a line of the module.

    `start` is its first cycle.
    """

    cost: Cost
    line: int
    start: int

    @property
    def end(self) -> int:
        """Last cycle, inclusive."""
        return self.start + self.cost.cycles - 1

    def cell(self, bd: int, gdma: int) -> str:
        """Return its cell of the profile.

        `bd` and `gdma` are the commands so far of each engine.
        """
        name = f"{self.cost.op_type.removeprefix('tpu.')}_{self.line}"
        load = self.cost.op_type == "tpu.Load"
        transfer = self.cost.lane == "gdma"
        what = "GDMA_TENSOR" if transfer else _COMMANDS.get(self.cost.op_type, "AR")
        cell = f"{name}|{what}|s:{self.start}|b:{bd}|g:{gdma}|e:{self.end}|t:{self.cost.cycles}"
        speed = self.cost.size / self.cost.cycles
        return f"{cell}|dr:{int(not load)}|sz:{self.cost.size}|bw:{speed:.2f}" if transfer else cell


def map_lines(finals: Sequence[Attempt]) -> dict[tuple[int, int], int]:
    """Map (group, rank of the cost) to the line of the compiled module."""
    keys = [(attempt.group, rank) for attempt in finals for rank in range(len(attempt.costs))]
    return {key: _FIRST_LINE + place for place, key in enumerate(keys)}


def bmodel(finals: Sequence[Attempt]) -> str:
    """Return bmodel.json: every operator with its line and its output tensor."""
    lines = map_lines(finals)
    entries = [
        {
            "file-line": lines[attempt.group, rank],
            "subnet_id": 0,
            "core_id": 0,
            "opcode": cost.op_type,
            "is_local": True,
            "operands": [],
            "results": [{"name": f"load_{cost.name}" if cost.op_type == "tpu.Load" else cost.name}],
            "buffers": [],
        }
        for attempt in finals
        for rank, cost in enumerate(attempt.costs)
    ]
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"


def commands(finals: Sequence[Attempt]) -> list[Command]:
    """Schedule both engines: groups in turn, each time step as long as the longer engine.

    Weights that stay in memory for all slices are loaded only with the first slice.
    """
    lines = map_lines(finals)
    now = 0
    schedule: list[Command] = []
    for attempt in finals:
        held = {block.name for block in attempt.blocks if block.hold}
        for turn in range(attempt.hsecs):
            costs = [(lines[attempt.group, rank], cost) for rank, cost in enumerate(attempt.costs)]
            due = [(line, cost) for line, cost in costs if not turn or cost.name not in held]
            for step in range(attempt.steps):
                step_commands = _step(
                    [(line, cost) for line, cost in due if cost.step == step], now
                )
                schedule += step_commands
                # A time step ends when both engines have finished.
                now = max([now, *(command.end + 1 for command in step_commands)])
    return schedule


def _step(due: Sequence[tuple[int, Cost]], begin: int) -> list[Command]:
    """Schedule the commands of a time step from cycle `begin`.

    Each engine runs its commands in order.
    """
    free = {"gdma": begin, "layer": begin}
    step_commands = []
    for line, cost in due:
        step_commands.append(Command(cost, line, free[cost.lane]))
        free[cost.lane] += cost.cycles
    return step_commands


def profile_text(schedule: Sequence[Command]) -> str:
    """Return compiler_profile_0.txt: a row per command in its engine's column, and the totals."""
    counts = {"layer": 0, "gdma": 0}
    rows = []
    for command in sorted(schedule, key=lambda command: command.start):
        lane = command.cost.lane
        counts[lane] += 1
        cell = command.cell(counts["layer"], counts["gdma"])
        rows.append(cell if lane == "layer" else " " * _WIDTH + cell)
    legend = "s: start time, b: bd_id, g: gdma_id, e: end time, t: cmd cost time, dr: direction, sz: memsize, bw: bandwidth"
    head = [_RULE, legend, _RULE, "".join(name.ljust(_WIDTH) for name in _ENGINES.values())]
    return "\n".join([*head, *rows, *_totals(schedule, counts), ""])


def _totals(schedule: Sequence[Command], counts: dict[str, int]) -> list[str]:
    total = max(command.end for command in schedule) + 1
    spent = {lane: sum(c.cost.cycles for c in schedule if c.cost.lane == lane) for lane in counts}
    moved = [
        sum(c.cost.size for c in schedule if c.cost.op_type == f"tpu.{what}")
        for what in ("Load", "Store")
    ]
    seconds = total / CLOCK_HZ
    return [
        _RULE,
        f"API_END total_cycle:{total}|b:{counts['layer']}|g:{counts['gdma']}",
        f"TCYC : {total}. (bdc_cycle:{spent['layer']}, gdma_cycle:{spent['gdma']})",
        f"GDMA SUMMARY : |dr[0] S2L:{moved[0]}|dr[1] L2S:{moved[1]}|dr[2] S2S:0|dr[3] L2L:0",
        f"DDR DATASIZE(MB) : {sum(moved) / 2**20:.6f}",
        f"flops: {64 * 512 * spent['layer']}, runtime: {1e3 * seconds:.6f}ms, ComputationAbility: 2.000000T",
    ]
