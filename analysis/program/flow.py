"""Control flow of a program as columns for the graph renderer: blocks with their instructions, from
top to bottom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from analysis.program.block_loops import Loops, block_pairs
from analysis.program.loops import walk_blocks
from analysis.program.nodes import NONE
from analysis.program.slots import Slots, compute_slots
from schema.plurals import plural

MAX_BLOCKS = 2_000
"""Maximum number of blocks that are drawn; programs have a few hundred."""
WAYS = ("always", "taken", "not taken")
"""Kinds of edges; the port of an edge is the index of its kind."""
BOX_LINES, BOX_WIDTH = 17, 44
"""Maximum number of lines of a block's box, including its name, and of characters per line."""
_MAX_CARD_TEXT = 160
"""Maximum number of characters of an instruction in a card."""
_MIN_RUN = 4
"""Minimum number of adjacent instructions with the same operation that are merged into a line."""
_Instruction = tuple[int, str]
"""The pc and the text of an instruction."""
_LOOP_KINDS = 6
"""Number of colours that loops of the source text cycle through."""


@dataclass(frozen=True)
class Code:
    """Machine code of a program: its rows of `disassembly`, `basic_blocks` and `block_edges`.

    `issued` maps a pc to the number of times that thread traces recorded its issue.
    """

    instructions: pd.DataFrame
    blocks: pd.DataFrame
    edges: pd.DataFrame
    issued: Mapping[int, int]


@dataclass(frozen=True)
class _Line:
    """Line of a box: shortened text, full text for a card, and the pc of its first instruction."""

    text: str
    card: str
    pc: int


def flow_columns(code: Code, loops: Loops) -> dict[str, Any]:
    """Build a dict of columns in the format of `graph_columns` from a program's blocks (at most
    MAX_BLOCKS, 2,000), with blocks as nodes and layers from top to bottom.

    The port of an edge is the index of its kind in `WAYS`; `cards` and `pcs` have a list per box
    with an element per line.
    """
    blocks = code.blocks.head(MAX_BLOCKS)
    order = walk_blocks(blocks["block"].tolist(), block_pairs(code.edges))[0]
    at = {block: rank for rank, block in enumerate(order)}
    edges = [(a, b, WAYS.index(kind)) for a, b, kind in _edges(code.edges) if a in at and b in at]
    slots = compute_slots(order, [(a, b) for a, b, _ in edges], routed=True)
    boxes = _boxes(code, blocks, loops)
    sizes = [(0, 0) if block == NONE else _size(boxes[block]) for block in slots.nodes]
    return box_columns(order, slots, sizes, [_kind(loops, block) for block in order]) | {
        "ways": ["", *WAYS[1:]],
        "box": [BOX_LINES, BOX_WIDTH],
        "root": int(blocks["block"].iloc[0]) if len(blocks) else NONE,
        "total": len(code.blocks),
        "around": len(blocks) < len(code.blocks),
        "label": ["\n".join(line.text for line in boxes[block]) for block in order],
        "cards": [[line.card for line in boxes[block]] for block in order],
        "pcs": [[line.pc for line in boxes[block]] for block in order],
        "edges": [number for a, b, way in edges for number in (at[a], at[b], way, 1)],
    }


def box_columns(
    order: Sequence[int], slots: Slots, sizes: Sequence[tuple[int, int]], kinds: Sequence[str]
) -> dict[str, Any]:
    """Build the columns that all graphs of boxes have: names, kinds and places of the boxes.

    `order` has the boxes, `kinds` their kinds; `sizes` has the characters and lines of each slot.
    """
    at = {box: rank for rank, box in enumerate(order)}
    place = {box: slot for slot, box in enumerate(slots.nodes) if box != NONE}
    numbers: dict[str, int] = {}
    kind = [numbers.setdefault(own, len(numbers)) for own in kinds]
    return {
        "down": True,
        "names": order,
        "change": [0] * len(order),
        "kinds": [*numbers],
        "kind": kind,
        "types": [""],
        "type": [0] * len(order),
        "operands": [1] * len(order),
        "tags": {},
        "contexts": {},
        "slot": [place[box] for box in order],
        "passed": {str(at[box]): [*own] for box, own in slots.passed.items() if own},
        "slots": {
            "layers": [*slots.layers],
            "chars": [chars for chars, _ in sizes],
            "lines": [lines for _, lines in sizes],
            "links": [number for pair in slots.links for number in pair],
        },
        "repeats": [],
    }


def _edges(edges: pd.DataFrame) -> Iterator[tuple[int, int, str]]:
    return zip(
        edges["source"].tolist(), edges["target"].tolist(), edges["kind"].astype("str"), strict=True
    )


def _kind(loops: Loops, block: int) -> str:
    number = loops.number_of.get(block)
    if number is not None:
        return f"loop {(number - 1) % _LOOP_KINDS + 1}"
    return "innermost loop" if loops.name(block) else "block"


def _size(lines: list[_Line]) -> tuple[int, int]:
    return min(max(len(line.text) for line in lines), BOX_WIDTH), len(lines)


def _boxes(code: Code, blocks: pd.DataFrame, loops: Loops) -> dict[int, list[_Line]]:
    """Map each block number to the lines of its box: its name with its share of issues in percent,
    then its instructions, at most 17 lines.
    """
    issues = sum(code.issued.values())
    rows = code.instructions.sort_values("pc", kind="stable")
    pcs = rows["pc"].to_numpy()
    instructions = list(zip(pcs.tolist(), rows["text"].astype("str").tolist(), strict=True))
    boxes = {}
    for block in blocks.itertuples():
        begin = pcs.searchsorted(block.start)
        end = pcs.searchsorted(block.end)
        own = instructions[begin:end]
        count = sum(code.issued.get(pc, 0) for pc, _ in own)
        # Blocks that were never issued, or programs without traces, get no share.
        share = f"{100 * count / issues:.1f} % of issues" if issues and count else ""
        number = int(block.block)
        name = " · ".join(filter(None, (f"block {number}", loops.words(number), share)))
        card = f"{name}\n{block.start:#x} – {block.end:#x}, {len(own)} instruction{'s' * (len(own) != 1)}"
        boxes[number] = [
            _Line(name, card, int(block.start)),
            *_shorten(_lines(own, code.issued, issues)),
        ]
    return boxes


def _shorten(lines: list[_Line]) -> list[_Line]:
    """Return at most 16 lines of a box; if lines are left out, the line before the last has their
    number.
    """
    room = BOX_LINES - 1
    if len(lines) <= room:
        return lines
    left = len(lines) - room + 1
    note = f"… {plural(left, 'more line')}"
    # The last instruction is kept, since it shows which block follows.
    return [*lines[: room - 2], _Line(note, note, lines[room - 2].pc), lines[-1]]


def _operation(text: str) -> str:
    return text.partition(" ")[0]


def _lines(rows: Sequence[_Instruction], issued: Mapping[int, int], issues: int) -> list[_Line]:
    """Write instructions as lines; neighbours with equal text, or at least four with the same
    operation, are merged into a line. `issues` is the number of all issues.
    """
    lines: list[_Line] = []
    for _, neighbours in groupby(rows, key=lambda row: _operation(row[1])):
        alike = list(neighbours)
        if len(alike) >= _MIN_RUN or len({text for _, text in alike}) == 1:
            lines.append(_line(alike, issued, issues))
        else:
            lines += [_line([row], issued, issues) for row in alike]
    return lines


def _line(rows: Sequence[_Instruction], issued: Mapping[int, int], issues: int) -> _Line:
    texts = [text for _, text in rows]
    first = rows[0][0]
    last = rows[-1][0]
    same = len(set(texts)) == 1
    text = texts[0] if same else f"{_operation(texts[0])} …"
    shown = f"{_cut(text, BOX_WIDTH - 6)} x {len(rows)}" if len(rows) > 1 else _cut(text, BOX_WIDTH)
    count = sum(issued.get(pc, 0) for pc, _ in rows)
    position = (
        f"{first:#x}"
        if len(rows) == 1
        else f"{first:#x} to {last:#x}, {plural(len(rows), 'instruction')}"
    )
    share = (
        f"{count} of {plural(issues, 'issue')} in thread traces, {100 * count / issues:.1f} %"
        if issues
        else ""
    )
    card = [*_first_few(texts[:1] if same else texts), position, share]
    return _Line(shown, "\n".join(filter(None, card)), first)


def _first_few(texts: list[str]) -> Iterable[str]:
    return [_cut(text, _MAX_CARD_TEXT) for text in texts[:_MIN_RUN]] + (
        ["…"] if len(texts) > _MIN_RUN else []
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
