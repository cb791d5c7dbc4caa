"""Table of the stalls of each traced core that a design explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dash import html
from dash.development.base_component import Component

from analysis.aie.design.join import LockJoin, MemoryJoin
from analysis.aie.design.sentences import name_core
from components.numbers import integer, percent, shorten
from schema.plurals import first_names

_MAX_NAMES = 3
_UNKNOWN = "unknown"
_PAIRS = "pairs"
HEADS = (
    ("core", "traced core; click selects it"),
    ("memory stall", "cycles of MEMORY_STALL in the selected window, or in all of the trace"),
    ("bank", "banks with traced conflicts"),
    (
        _PAIRS,
        "pairs of buffers that share such a bank; without traced conflicts, all possible pairs",
    ),
    ("move", "smallest move of buffers that leaves fewer pairs; the compiler has to confirm it"),
    ("lock stall", "cycles of LOCK_STALL in the selected window, or in all of the trace"),
    ("lock", "lock with most of the cycles, and its share"),
    ("released by", "cores and DMA channels that release this lock"),
    ("late", "tile that the wait comes from; none if waits take less than 5 % of the core's time"),
)
"""Labels and meanings of the columns."""


class NamedPair(NamedTuple):
    """Two buffers that share a bank: the tile whose memory has them, and their names."""

    memory: str
    words: str


@dataclass(frozen=True)
class StallRow:
    """The joins of a core, and its stalls in the window in cycles; `None` if not traced.

    `lock_cycles` are the cycles of the locks of `locks.by_lock` in the window. `slice` is that of
    the core in a trace buffer with several.
    """

    core: str
    memory_stall: int | None
    memory: MemoryJoin
    lock_stall: int | None
    locks: LockJoin
    lock_cycles: Sequence[int]
    slice: str = ""


PairLink = Callable[[str, NamedPair, int], Component]


def stall_cells(row: StallRow) -> list[str]:
    """Write a row as texts in the order of HEADS."""
    stalls = row.memory.stalls
    shown = [pair for pair in stalls.pairs if not stalls.conflicts or stalls.is_traced(pair)]
    banks = [f"{bank} of {memory}" for memory, found in stalls.conflicts.items() for bank in found]
    moves = [
        f"{shorten(move.buffer, 30)} to bank {move.to_bank} ({move.address:#x})"
        for move in row.memory.moves
    ]
    return [
        name_core(row.core, row.slice),
        _cycles(row.memory_stall),
        ", ".join(banks) or (_UNKNOWN if row.memory_stall != 0 else ""),
        _pair_words([(pair.first, pair.second) for pair in shown], traced=bool(stalls.conflicts)),
        first_names(moves, _MAX_NAMES, "; "),
        _cycles(row.lock_stall),
        *_lock_cells(row),
    ]


def named_pairs(row: StallRow) -> list[NamedPair]:
    """List the pairs of the row's cell `pairs` in order, without duplicates, at most _MAX_NAMES."""
    stalls = row.memory.stalls
    shown = [pair for pair in stalls.pairs if not stalls.conflicts or stalls.is_traced(pair)]
    pairs = [
        NamedPair(pair.memory, f"{shorten(pair.first, 30)} and {shorten(pair.second, 30)}")
        for pair in shown
    ]
    return [*dict.fromkeys(pairs)][:_MAX_NAMES]


def _lock_cells(row: StallRow) -> list[str]:
    """Write the lock with most cycles, its releasers, and the culprit."""
    if not row.lock_stall:
        return ["" if row.lock_stall == 0 else _UNKNOWN, "", ""]
    ranked = sorted(zip(row.lock_cycles, row.locks.by_lock, strict=True), key=lambda wait: -wait[0])
    late = _late_words(row.locks)
    if not ranked or not ranked[0][0]:
        return [_UNKNOWN, "", late]
    cycles, wait = ranked[0]
    lock = f"{shorten(wait.request.lock, 30)} ({percent(cycles / row.lock_stall)})"
    return [lock, first_names(wait.released_by, _MAX_NAMES, "; "), late]


def _late_words(locks: LockJoin) -> str:
    """Name the tile that is late, or the locks that wait for each other; `none` if the waits are
    short.
    """
    if locks.stuck:
        return "none: " + ", ".join(f"{one.lock} begins at {one.init}" for one in locks.stuck)
    if locks.blame.time_share is not None:
        return f"none: {percent(locks.blame.time_share)} of its time"
    culprit = locks.blame.culprit
    return _UNKNOWN if culprit is None else f"{culprit.tile}, {culprit.what}"


def _pair_words(pairs: Sequence[tuple[str, str]], *, traced: bool) -> str:
    """Name the first _MAX_NAMES pairs, after `possible:` if the trace does not narrow the stalls to
    a bank.
    """
    names = [f"{shorten(one, 30)} and {shorten(other, 30)}" for one, other in dict.fromkeys(pairs)]
    words = first_names(names, _MAX_NAMES, "; ")
    return words if traced or not names else f"possible: {words}"


def _cycles(cycles: int | None) -> str:
    return "not traced" if cycles is None else integer(cycles)


def _cell(text: str, row: StallRow, link_pair: PairLink, *, is_pairs: bool) -> html.Td:
    """Lay out a cell; the names of pairs in the cell of pairs are links."""
    if not is_pairs:
        return html.Td(text)
    parts: list[Component | str] = []
    for rank, pair in enumerate(named_pairs(row)):
        before, _, text = text.partition(pair.words)
        parts += [before, link_pair(row.core, pair, rank)]
    return html.Td([*parts, text])


def stall_table(
    rows: Sequence[StallRow],
    link: Callable[[str], Component],
    link_pair: PairLink,
    chosen: str | None,
) -> html.Div:
    """Lay out the table; `link` makes the cell of a core, `link_pair` the link of a pair of buffers
    (core, pair, rank in its cell), `chosen` is the selected core.
    """
    heads = [html.Th(label, scope="col", title=meaning) for label, meaning in HEADS]
    body = [
        html.Tr(
            [
                html.Th(
                    [link(row.core), html.Small(f" {row.slice}") if row.slice else None],
                    scope="row",
                ),
                *(
                    _cell(text, row, link_pair, is_pairs=head == _PAIRS)
                    for (head, _), text in zip(HEADS[1:], stall_cells(row)[1:], strict=True)
                ),
            ],
            className="ts-chosen" if row.core == chosen else "",
        )
        for row in rows
    ]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className="ts-stalls")
    return html.Div(table, className="ts-scroll", tabIndex=0)
