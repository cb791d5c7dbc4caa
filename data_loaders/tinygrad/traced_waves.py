"""Frames of what thread traces saw, which a process of its own decodes."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable
from typing import Any

import pandas as pd

from data_loaders.reading.answer import Reading
from data_loaders.reading.limits import Limits
from data_loaders.tinygrad.decoding import LIMITS, DecoderResult, Frames, binaries_of, check_told, run_decoder
from data_loaders.tinygrad.machine.exchange import Binary, Trace
from data_loaders.tinygrad.machine.waves import NO_ROOM
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import FRAMES, complete, conform
from schema.plurals import plural

_FRAMES = ("waves", "wave_instructions")
_TOLD = ("trace", "packets", "waves", "executed", "why")
_MOST_REASONS = 3
_NOT_REACHED = "the process that decodes traces ended before it"
_NOTHING = "it holds no data"


def add_waves(reading: Reading, limits: Limits = LIMITS) -> None:
    """Add waves and their instructions of the thread traces that a capture has, and what is known of each trace.

    Where the process fails, what it answered until then is there, and a finding.
    """
    traces = reading.frames.get("thread_traces")
    if traces is None or not len(traces):
        return
    asked = [_trace_task(*row, reading) for row in zip(traces["trace"], traces["program"], strict=True)]
    asked = [trace for trace in asked if trace.contents]
    code = _binaries(reading.frames.get("machine_code"), {trace.program for trace in asked})
    answered = run_decoder("trace_child", limits, code, asked) if asked else DecoderResult()
    known = {trace.trace for trace in asked}
    frames, ending = answered.frames(lambda given: _frames(traces, known, given), "thread trace")
    reading.frames |= {name: frame for name, frame in frames.items() if len(frame)}
    reading.findings += _findings(frames["thread_traces"], ending)


def _trace_task(trace: int, program: Any, reading: Reading) -> Trace:  # noqa: ANN401 - a number or null of pandas
    known = None if pd.isna(program) else int(program)
    return Trace(int(trace), known, base64.b64encode(reading.blobs.get(trace, b"")).decode("ascii"))


def _binaries(code: pd.DataFrame | None, programs: set[int | None]) -> Iterable[Binary]:
    """Return the machine code of programs, without those that have no instructions."""
    if code is None:
        return ()
    return binaries_of(code[code["program"].isin(programs - {None}) & (code["instructions"] > 0)])


def _frames(traces: pd.DataFrame, known: Collection[int], given: DecoderResult) -> Frames:
    """Return the frames of the answers.

    Raises ValueError, TypeError, KeyError or OverflowError where they are none.
    """
    found = {name: complete(name, given.columns(name, FRAMES[name].names)) for name in _FRAMES}
    told = complete("thread_traces", given.columns("thread_traces", _TOLD))[[*_TOLD]].set_index("trace")
    check_told(told.index.tolist(), known, (frame["trace"] for frame in found.values()))
    missing = traces["bytes"].gt(0).map({True: NO_ROOM, False: _NOTHING})
    missing = missing.mask(traces["trace"].isin(known), _NOT_REACHED)
    rows = traces.drop(columns=[*_TOLD[1:]]).join(told, on="trace")
    return found | {"thread_traces": conform("thread_traces", rows.assign(why=rows["why"].fillna(missing)))}


def _findings(traces: pd.DataFrame, ending: str) -> list[Diagnostic]:
    """Return how the process ended, and why traces are not decoded, or not wholly."""
    lost = int((traces["why"] == _NOT_REACHED).sum())
    what = f"not decoded: the process that decodes them {ending or 'answered more than is read'}"
    found = occurrences("warning", "thread_traces_failed", lost, "thread trace", what)
    reasons = traces.loc[~traces["why"].isin(["", _NOT_REACHED, _NOTHING]), "why"].value_counts()
    said = [f"{count} x {why}" for why, count in reasons.head(_MOST_REASONS).items()]
    more = [f"{plural(len(reasons) - len(said), 'reason')} more"] if len(reasons) > len(said) else []
    what = f"not wholly decoded: {', '.join(said + more)}"
    return found + occurrences("info", "thread_traces_partial", int(reasons.sum()), "thread trace", what)
