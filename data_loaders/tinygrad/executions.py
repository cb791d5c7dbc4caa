"""Executions of a tinygrad capture: what ran on a device or a copy engine, and the launch that it comes from.

An execution is joined to the last launch of the same kernel on its device before it. A kernel of a graph has only the
launch that the graph was made from: the values of its variables are those of that time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from data_loaders.tinygrad.capture import BATCHED, GRAPH, Capture
from data_loaders.tinygrad.columns import Integers, category, integers
from data_loaders.tinygrad.labels import Labels
from data_loaders.tinygrad.launches import Launches
from data_loaders.tinygrad.match import last_before
from data_loaders.tinygrad.names import function_name
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.timeline import Timeline
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import empty

_ROWS = ("device", "copy", "disk")
_MICROSECOND = 1000
_UNKNOWN = -1
MOST_CANDIDATES = 1_000_000
"""Most rows of executions with the programs that they may have run."""


@dataclass(frozen=True)
class Executions:
    """What ran, in the order of the timeline; `place` is an interval's place there.

    `launch` and `program` are ranks, -1 for none; `name` is a place in `names`, which have colours. `candidates` are
    the programs that an execution without one may have run, by its place in `names`: none, or two and more.
    """

    place: Integers
    name: Integers
    names: list[str]
    copy: npt.NDArray[np.bool_]
    batched: npt.NDArray[np.bool_]
    copied: Integers
    launch: Integers
    program: Integers
    candidates: list[tuple[int, ...]]


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
    program, candidates = _programs(labels, functions, programs)
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
        program=program[label],
        candidates=candidates,
    )


def _programs(
    labels: Labels, functions: Sequence[str], programs: Sequence[Program]
) -> tuple[Integers, list[tuple[int, ...]]]:
    """Return the program of each label, and the programs of which it is one where nothing decides.

    It is that of the context that a key leads to; else the one of its name, if programs of that name have one text.
    """
    of_context = {program.context: rank for rank, program in enumerate(programs) if program.context is not None}
    of_function: dict[str, list[int]] = {}
    for rank, program in enumerate(programs):
        of_function.setdefault(program.function, []).append(rank)
    found, candidates = [], []
    for context, keyed, function in zip(labels.contexts, labels.keyed, functions, strict=True):
        named = of_function.get(function, [])
        several = len({programs[rank].source or rank for rank in named}) > 1
        decided = context in of_context and (keyed or not several)
        candidates.append(tuple(named) if several and not decided else ())
        known = of_context[context] if decided else _UNKNOWN if several or not named else named[-1]
        found.append(known)
    return integers(found), candidates


def candidates_frame(runs: Executions, line: Timeline) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Return a row per execution and program that it may have run: track, kernel, program; and how many are left out.

    `kernel` is the rank that frame `kernels` has.
    """
    row = line.row[runs.place]
    rank = np.arange(len(row)) - np.searchsorted(row, np.arange(len(line.rows)))[row]
    counts = integers(map(len, runs.candidates))[runs.name]
    several = np.flatnonzero(counts > 0)
    kept = several[: np.searchsorted(np.cumsum(counts[several]), MOST_CANDIDATES, side="right")]
    repeated = np.repeat(kept, counts[kept])
    offered = [program for name in runs.name[kept].tolist() for program in runs.candidates[name]]
    columns = {
        "track": category(row[repeated], line.rows),
        "kernel": rank[repeated],
        "program": integers(offered),
    }
    what = f"whose programs are not listed: more than {MOST_CANDIDATES} are not kept"
    findings = occurrences("warning", "candidates_left_out", len(several) - len(kept), "kernel", what)
    return pd.DataFrame(columns) if len(kept) else empty("program_candidates"), findings
