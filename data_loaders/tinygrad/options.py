"""Optimisations of a kernel that the compiler applied, such as UPCAST, UNROLL and LOCAL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from data_loaders.tinygrad.columns import integers, numbers, texts
from data_loaders.tinygrad.contexts import Rewrites, Step
from data_loaders.tinygrad.names import clean
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.records import Opt, OptOps, list_items, record_fields

MAX_OPTIONS = 200
"""Maximum optimisations of a kernel; a beam search ends below twenty."""
_NAMES = (
    "TC",
    "UPCAST",
    "UNROLL",
    "LOCAL",
    "THREAD",
    "GROUP",
    "GROUPTOP",
    "NOLOCALS",
    "PADTO",
    "SWAP",
)
"""Members of tinygrad's enumeration OptOps, from number 1 on.

Identical in all releases from 0.12 to 0.14.
"""
_SHIFT = re.compile(r"shift \([0-9, ]{0,99}\) ([0-9]{1,18}) (\w{1,40})")
"""Name of a rewrite step that splits a loop: the loop, the factor and the kind of the new loop."""
_SPLITS = {"GROUP": "group_reduce", "GROUPTOP": "group_reduce"}
"""Optimisation -> kind of loop in the step's name, if it is not the optimisation's name in lower
case.
"""


class Option(NamedTuple):
    """An optimisation: operation, axis, and amount as text; an amount of 0 is the whole axis."""

    op: str
    axis: int | None
    amount: str


def read_options(value: object) -> list[Option]:
    """Parse a pickled list of optimisations, in the order of their application; at most 200.

    Empty for other values; unreadable items are left out.
    """
    records = (record_fields(item, Opt) for item in list_items(value)[:MAX_OPTIONS])
    return [_option(fields) for fields in records if fields is not None]


def _option(fields: Mapping[str, object]) -> Option:
    axis = fields.get("axis")
    fits = type(axis) is int and abs(axis) < 2**31
    return Option(_name(fields.get("op")), axis if fits else None, _amount(fields.get("arg")))  # type: ignore[arg-type]


def _name(op: object) -> str:
    """Return the name of a member of OptOps, which is pickled as a number or a name.

    Returns `op#99` for an unknown number 99, `?` for other values.
    """
    arguments = getattr(op, "args", ()) if type(op) is OptOps else ()
    value = arguments[0] if arguments else None
    if type(value) is int and 1 <= value <= len(_NAMES):
        return _NAMES[value - 1]
    if type(value) is str:
        return clean(value)
    return f"op#{value}" if type(value) is int else "?"


def _amount(value: object) -> str:
    """Format an option's amount: an integer, `None`, or the first 8 integers of a tuple (for a
    tensor core) as `(0, 1, 2)`.

    Returns `?` for other values.
    """
    if value is None or (type(value) is int and abs(value) < 2**63):
        return str(value)
    if type(value) is tuple and all(type(part) is int and abs(part) < 2**63 for part in value):
        return str(value[:8])
    return "?"


def options_frame(programs: Sequence[Program], rewrites: Rewrites | None) -> pd.DataFrame:
    """Build a row per optimisation of a program: program, rank, op, axis, amount, step.

    Ranks count from 0 per program. `axis` and `step` are Int64, null if unknown. `step` is the
    rewrite step of the program's context that applied it; null if no step is named after it.
    """
    rows = list(_rows(programs, rewrites))
    program, rank, op, axis, amount, step = zip(*rows, strict=True) if rows else ((),) * 6
    columns = {
        "program": integers(program),
        "rank": integers(rank),
        "op": pd.Categorical(list(op)),
        "axis": numbers(axis),
        "amount": texts(amount),
        "step": numbers(step),
    }
    return pd.DataFrame(columns)


def _rows(
    programs: Sequence[Program], rewrites: Rewrites | None
) -> Iterator[tuple[int, int, str, int | None, str, int | None]]:
    for place, program in enumerate(programs):
        options = read_options(program.options)
        steps: Sequence[Step] = ()
        if rewrites is not None and program.context is not None:
            steps = rewrites.contexts[program.context].steps
        for rank, (option, step) in enumerate(
            zip(options, _match_steps(options, steps), strict=True)
        ):
            yield place, rank, option.op, option.axis, option.amount, step


def _match_steps(options: Sequence[Option], steps: Sequence[Step]) -> list[int | None]:
    """Return the rank (from 0) of the rewrite step of each option, `None` if no step is named after
    it.

    Options are matched from the last to the first, because a search tries other options before.
    """
    named = ((rank, _SHIFT.fullmatch(step.name)) for rank, step in enumerate(steps))
    splits = [(rank, split) for rank, split in named if split is not None]
    ranks: list[int | None] = []
    for option in reversed(options):
        wanted = _SPLITS.get(option.op, option.op.lower())
        backwards = range(len(splits) - 1, -1, -1)
        matches = (at for at in backwards if _fits(splits[at][1], wanted, option.amount))
        place = next(matches, None)
        ranks.append(None if place is None else splits[place][0])
        splits = splits if place is None else splits[:place]
    return ranks[::-1]


def _fits(split: re.Match[str], wanted: str, amount: str) -> bool:
    return split[2] == wanted and amount in ("0", split[1])
