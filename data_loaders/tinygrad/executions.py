"""Executions of a tinygrad capture: what ran on a device or a copy engine, and the launch that it comes from.

An execution is joined to the last launch of the same kernel on its device before it. A kernel of a graph has only the
launch that the graph was made from: the values of its variables are those of that time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from data_loaders.tinygrad.capture import BATCHED, GRAPH, Capture
from data_loaders.tinygrad.columns import Integers, integers
from data_loaders.tinygrad.labels import Labels
from data_loaders.tinygrad.launches import Launches
from data_loaders.tinygrad.match import last_before
from data_loaders.tinygrad.names import function_name
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.timeline import Timeline

_ROWS = ("device", "copy", "disk")
_MICROSECOND = 1000
_UNKNOWN = -1


@dataclass(frozen=True)
class Executions:
    """What ran, in the order of the timeline; `place` is an interval's place there.

    `launch` and `program` are ranks, -1 for none; `name` is a place in `names`, which have colours.
    """

    place: Integers
    name: Integers
    names: list[str]
    copy: npt.NDArray[np.bool_]
    batched: npt.NDArray[np.bool_]
    copied: Integers
    launch: Integers
    program: Integers


def read_executions(
    capture: Capture, line: Timeline, labels: Labels, launches: Launches, programs: Sequence[Program]
) -> Executions:
    """Return what ran on devices and copy engines, joined to launches and programs."""
    spans = capture.spans
    runs = np.isin(np.array(line.kinds), _ROWS)[line.row] & (spans.kind[line.span] != GRAPH)
    place = np.flatnonzero(runs)
    span = line.span[place]
    label = spans.label[span]
    arrows = np.array([" -> " in name for name in labels.names], np.bool_)[label]
    engine = (np.array(line.kinds) == "copy")[line.row[place]]
    functions = [function_name(name) for name in labels.names]
    codes = {name: code for code, name in enumerate(dict.fromkeys([*functions, *launches.function]))}
    of = integers(codes[name] for name in functions)[label]
    launch = last_before(
        launches.device * len(codes) + integers(codes[name] for name in launches.function),
        launches.start // _MICROSECOND,
        spans.track[span] * len(codes) + of,
        line.start[place] // _MICROSECOND,
    )
    return Executions(
        place=place,
        name=label,
        names=labels.names,
        copy=spans.copy[span] | arrows | engine,
        batched=spans.kind[span] == BATCHED,
        copied=spans.copied[span],
        launch=launch,
        program=_programs(labels, functions, programs)[label],
    )


def _programs(labels: Labels, functions: Sequence[str], programs: Sequence[Program]) -> Integers:
    """Return the program of each label: that of its context, else the one of its function; where programs of one
    function differ, none.
    """
    of_context = {program.context: rank for rank, program in enumerate(programs)}
    texts: dict[str, set[str | int]] = {}
    for rank, program in enumerate(programs):
        texts.setdefault(program.function, set()).add(program.source or rank)
    of_function = {program.function: rank for rank, program in enumerate(programs) if len(texts[program.function]) == 1}
    return integers(
        of_context.get(context, of_function.get(function, _UNKNOWN))
        for context, function in zip(labels.contexts, functions, strict=True)
    )
