"""Graphs of a kernel's program in two runs, after a rewrite step that both have."""

from __future__ import annotations

import json
from dataclasses import dataclass

from analysis.comparison.graph_difference import MAX_NODES, difference_columns
from analysis.comparison.line_pairs import LinePair, pair_lines
from analysis.comparison.program_lines import graph_lines
from analysis.program.state import State
from services.comparison.data import CompareData
from services.comparison.program_sides import (
    ProgramSide,
    SharedStep,
    last_states,
    program_side,
    shared_steps,
)


@dataclass(frozen=True)
class ComparedGraphs:
    """The graphs of both sides, and the pairs of their nodes as lines of text."""

    base: State
    new: State
    pairs: list[LinePair]

    @property
    def is_same(self) -> bool:
        """Whether all lines of the two graphs are equal."""
        return all(pair.is_same for pair in self.pairs)

    @property
    def is_drawn(self) -> bool:
        """Whether both graphs have at most MAX_NODES nodes, so that they are drawn over each other."""
        return max(len(self.base.order), len(self.new.order)) <= MAX_NODES


def kernel_sides(
    data: CompareData, base: str | None, new: str | None
) -> tuple[ProgramSide | None, ProgramSide | None]:
    """Return (base program, new program) of a kernel in the first run of each side, by the kernel's
    name in that side; a part is `None` if its name is None or its program is unknown.
    """
    return program_side(data.base[0], base), program_side(data.new[0], new)


def shown_step(base: ProgramSide, new: ProgramSide, wanted: str) -> SharedStep | None:
    """Return the shared step with the name `wanted`, else the last shared step; `None` if no step
    is shared.
    """
    steps = shared_steps(base, new)
    return next((step for step in steps if step.name == wanted), steps[-1] if steps else None)


def compared_graphs(
    data: CompareData, base: ProgramSide, new: ProgramSide, step: SharedStep
) -> ComparedGraphs:
    """Compare the graphs of two programs after a shared step. Raises ValueError if a run has no
    graph of it.
    """
    graphs = [data.graphs_of(side.run_id) for side in (base, new)]
    states = last_states([(base, step.base), (new, step.new)], graphs)
    return ComparedGraphs(*states, pair_lines(*map(graph_lines, states)))


def difference_text(graphs: ComparedGraphs, step: SharedStep) -> str:
    """Return the JSON text from which both graphs are drawn over each other: `step` (the name) and
    columns of nodes, see `difference_columns`.

    Raises ValueError if a graph has more than MAX_NODES nodes.
    """
    if not graphs.is_drawn:
        raise ValueError(
            f"a graph of more than {MAX_NODES} nodes cannot be compared with another graph"
        )
    columns = difference_columns(graphs.base, graphs.new, graphs.pairs)
    return json.dumps({"step": step.name} | columns, ensure_ascii=False, separators=(",", ":"))
