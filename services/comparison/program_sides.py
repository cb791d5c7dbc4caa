"""The program of a kernel in two runs, and the rewrite steps that both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import pandas as pd

from analysis.program.state import State
from schema.frames import Frames, empty
from services.comparison.compared_runs import ComparedRun

GRAPH_NODES = 30_000
"""Maximum number of nodes of a step's first graph; larger steps are not replayed for a comparison.
"""


class Graphs(Protocol):
    """The graphs of a run."""

    def state(self, context: int, step: int, match: int) -> State:
        """Return the graph after a match of a step of a context; match 0 is the start of the step.

        Raises ValueError if there is no such graph.
        """


@dataclass(frozen=True)
class ProgramSide:
    """A program of a run: its row of frame `programs`, and its rows of the frames about it.

    `others` is the number of further programs that the kernel of this name ran.
    """

    run_id: str
    program: pd.Series
    frames: Frames
    others: int

    @property
    def source(self) -> str:
        """Source text of the program; "" if unknown."""
        return "" if pd.isna(self.program["source"]) else str(self.program["source"])


class SharedStep(NamedTuple):
    """A rewrite step that both sides have: its name (with a number if the name repeats), and its
    position in each side.
    """

    name: str
    base: int
    new: int


_PROGRAM_FRAMES = ("program_options", "machine_code", "disassembly", "basic_blocks", "block_edges")
"""Frames whose rows belong to a program."""


def program_side(run: ComparedRun, kernel: str | None) -> ProgramSide | None:
    """Return the program that a kernel ran most often in a run; if its runs name no program, the
    first program with the kernel's name.

    `None` if `kernel` is None or there is no such program.
    """
    if kernel is None:
        return None
    runs = run.profile.kernels
    # `value_counts` sorts by frequency, so that the most frequent program is the first.
    ran = runs.loc[(runs["name"] == kernel).to_numpy(bool), "program"].dropna().value_counts()
    programs = run.profile.programs
    own = (
        programs[programs["program"] == ran.index[0]]
        if len(ran)
        else programs[programs["name"] == kernel]
    )
    if own.empty:
        return None
    row = own.iloc[0]
    stored = run.frames
    frames = {name: stored[name] if name in stored else empty(name) for name in _PROGRAM_FRAMES}
    rows = {name: frame[frame["program"] == row["program"]] for name, frame in frames.items()}
    steps = stored["rewrite_steps"] if "rewrite_steps" in stored else empty("rewrite_steps")
    # No context has this number, so that no step is selected.
    context = -1 if pd.isna(row["context"]) else int(row["context"])
    rows["rewrite_steps"] = steps[steps["context"] == context]
    return ProgramSide(run.stored.run_id, row, rows, max(len(ran) - 1, 0))


def shared_steps(base: ProgramSide, new: ProgramSide) -> list[SharedStep]:
    """Return the rewrite steps with a graph of at most GRAPH_NODES nodes that both programs have,
    in the order of `new`; empty if they share none.
    """
    base_steps = _step_by_name_and_rank(base)
    new_steps = _step_by_name_and_rank(new)
    return [
        SharedStep(_step_name(*key), base_steps[key], step)
        for key, step in new_steps.items()
        if key in base_steps
    ]


def _step_name(name: str, rank: int) -> str:
    return f"{name} ({rank + 1})" if rank else name


def _step_by_name_and_rank(side: ProgramSide) -> dict[tuple[str, int], int]:
    steps = side.frames["rewrite_steps"]
    rank = steps.groupby(steps["name"].astype("str")).cumcount()
    rows = zip(steps["name"].astype("str"), rank.tolist(), steps["step"].tolist(), strict=True)
    drawn = (steps["root"].notna() & (steps["nodes"].fillna(0) <= GRAPH_NODES)).tolist()
    return {
        (name, int(at)): int(step)
        for (name, at, step), is_drawn in zip(rows, drawn, strict=True)
        if is_drawn
    }


def last_states(
    sides: Sequence[tuple[ProgramSide, int]], graphs: Sequence[Graphs]
) -> tuple[State, State]:
    """Return the graphs (base, new) after the last match of a step of each side; `sides` has
    (program, step), `graphs` the graphs of the run of each.

    Raises ValueError if there is no such graph.
    """
    states = []
    for (side, step), run_graphs in zip(sides, graphs, strict=True):
        steps = side.frames["rewrite_steps"]
        matches = int(steps.loc[steps["step"] == step, "matches"].iloc[0])
        states.append(run_graphs.state(int(side.program["context"]), step, matches))
    return states[0], states[1]
