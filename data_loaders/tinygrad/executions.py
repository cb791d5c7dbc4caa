"""Executions of kernels and copies in a tinygrad capture, with their launches and programs.

An execution belongs to the last launch of the same kernel on its device before it. A kernel of a
graph has only the launch from which the graph was recorded, so the values of its variables are from
that time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.tinygrad.capture import BATCHED, GRAPH, Capture
from data_loaders.tinygrad.columns import integers
from data_loaders.tinygrad.labels import Labels
from data_loaders.tinygrad.launches import Launches
from data_loaders.tinygrad.match import last_before
from data_loaders.tinygrad.names import function_name
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.timeline import Timeline
from schema.array_types import Bools, Ints
from schema.arrays import category
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import empty

_ROWS = ("device", "copy", "disk")
_MICROSECOND = 1000
_UNKNOWN = -1
MAX_CANDIDATES = 1_000_000
"""Maximum rows of pairs of an execution and a program that it may have run."""


@dataclass(frozen=True)
class Executions:
    """Kernels and copies that ran, in the order of the timeline.

    `place` is the index of the interval there. `launch` and `program` are ranks, -1 if unknown;
    `name` is an index into `names`, which contain colour codes. `candidates` has, for each name,
    the programs that an execution without a program may have run: none, or at least two.
    """

    place: Ints
    name: Ints
    names: list[str]
    copy: Bools
    batched: Bools
    copied: Ints
    launch: Ints
    program: Ints
    candidates: list[tuple[int, ...]]


def read_executions(
    capture: Capture,
    line: Timeline,
    labels: Labels,
    launches: Launches,
    programs: Sequence[Program],
) -> Executions:
    """Select the intervals on devices, copy engines and disks, except whole graphs, and join them
    to launches and programs.

    Launch and program are -1 if they are unknown. The order is that of the timeline.
    """
    spans = capture.spans
    runs = np.isin(np.array(line.kinds), _ROWS)[line.row] & (spans.kind[line.span] != GRAPH)
    place = np.flatnonzero(runs)
    span = line.span[place]
    label = spans.label[span]
    # A name such as `DISK:w.bin -> CPU` shows a copy, even when the range has no `is_copy`.
    arrows = np.array([" -> " in name for name in labels.names], np.bool_)[label]
    engine = (np.array(line.kinds) == "copy")[line.row[place]]
    functions = [function_name(name) for name in labels.names]
    codes = {
        name: code for code, name in enumerate(dict.fromkeys([*functions, *launches.function]))
    }
    function_code = integers(codes[name] for name in functions)[label]
    program, candidates = _programs(labels, functions, programs)
    launch = last_before(
        launches.device * len(codes) + integers(codes[name] for name in launches.function),
        launches.start // _MICROSECOND,
        spans.track[span] * len(codes) + function_code,
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
) -> tuple[Ints, list[tuple[int, ...]]]:
    """Return the rank of each label's program, -1 if unknown, and its candidates, empty unless the
    program is ambiguous.

    The program is that of the context found by a key; otherwise the program with the label's name,
    provided that all programs with this name have the same source text.
    """
    of_context = {
        program.context: rank
        for rank, program in enumerate(programs)
        if program.context is not None
    }
    of_function: dict[str, list[int]] = {}
    for rank, program in enumerate(programs):
        of_function.setdefault(program.function, []).append(rank)
    ranks: list[int] = []
    candidates: list[tuple[int, ...]] = []
    for context, keyed, function in zip(labels.contexts, labels.keyed, functions, strict=True):
        named = of_function.get(function, [])
        several = len({programs[rank].source or rank for rank in named}) > 1
        decided = context in of_context and (keyed or not several)
        candidates.append(tuple(named) if several and not decided else ())
        if decided:
            ranks.append(of_context[context])
        else:
            ranks.append(_UNKNOWN if several or not named else named[-1])
    return integers(ranks), candidates


def candidates_frame(runs: Executions, line: Timeline) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Build frame `program_candidates`.

    A row per execution and candidate program: track, kernel, program. A finding counts executions
    that are left out because there are more than 1,000,000 rows. `kernel` is the rank on its track
    in frame `kernels`.
    """
    row = line.row[runs.place]
    rank = np.arange(len(row)) - np.searchsorted(row, np.arange(len(line.rows)))[row]
    counts = integers(map(len, runs.candidates))[runs.name]
    several = np.flatnonzero(counts > 0)
    listed = several[: np.searchsorted(np.cumsum(counts[several]), MAX_CANDIDATES, side="right")]
    repeated = np.repeat(listed, counts[listed])
    offered = [program for name in runs.name[listed].tolist() for program in runs.candidates[name]]
    columns = {
        "track": category(row[repeated], line.rows),
        "kernel": rank[repeated],
        "program": integers(offered),
    }
    text = f"whose programs are not listed: a kernel has at most {MAX_CANDIDATES} candidates"
    findings = occurrences(
        "warning", "candidates_left_out", len(several) - len(listed), "kernel", text
    )
    return pd.DataFrame(columns) if len(listed) else empty("program_candidates"), findings
