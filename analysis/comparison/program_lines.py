"""Machine code and graphs as lines for a diff, without addresses and node numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.program.state import State

_MAX_TEXT = 200
"""Maximum number of characters of a line."""


def instruction_lines(instructions: pd.DataFrame, blocks: pd.DataFrame) -> list[str]:
    """Write a line per instruction, indented, and a heading `block 3` per block, from rows of
    frames `disassembly` and `basic_blocks`.

    A jump shows the number of its target block (`elsewhere` if there is none) instead of an
    address. Instructions are cut to 200 characters.
    """
    of_start = dict(zip(blocks["start"].tolist(), blocks["block"].tolist(), strict=True))
    lines: list[str] = []
    columns = (instructions[name].tolist() for name in ("pc", "text", "target", "symbol"))
    for pc, text, target, symbol in zip(*columns, strict=True):
        lines += [f"block {of_start[pc]}"] if pc in of_start else []
        lines.append(f"  {_instruction(str(text), target, symbol, of_start)}")
    return lines


def _instruction(text: str, target: object, symbol: object, of_start: dict[int, int]) -> str:
    suffix = "" if pd.isna(symbol) or not symbol else f"  {symbol}"
    if pd.isna(target):
        return f"{text}{suffix}"[:_MAX_TEXT]
    block = of_start.get(int(target))  # type: ignore[call-overload]
    return f"{text.split(maxsplit=1)[0]} → {'elsewhere' if block is None else f'block {block}'}{suffix}"[
        :_MAX_TEXT
    ]


def graph_lines(state: State) -> list[str]:
    """Write a line per node, operands before users: operation, type (unless it is void), operations
    of its operands, argument; cut to 200 characters.

    Two graphs number their nodes differently, so equal lines mean nodes with equal operations on
    equal operations.
    """
    nodes = state.nodes
    return [
        _node(state, node, [nodes.operations[source] for source in nodes.sources[node]])
        for node in state.order
    ]


def _node(state: State, node: int, operands: Sequence[str]) -> str:
    nodes = state.nodes
    dtype = state.nodes.dtypes[node]
    argument = " ".join(nodes.argument_text(node).split())
    parts = [
        nodes.operations[node],
        "" if dtype == "void" else dtype,
        f"({', '.join(operands)})" if operands else "",
    ]
    return " ".join(part for part in (*parts, argument) if part)[:_MAX_TEXT]
