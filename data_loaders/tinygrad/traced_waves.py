"""Frames of waves and instructions, which a child process decodes from thread traces."""

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
    """Add waves and their instructions of a capture's thread traces, and complete frame
    `thread_traces`.

    If the process fails, the results before the failure are kept and a finding reports it.
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
    """Select the machine code of programs that have instructions."""
    if code is None:
        return ()
    return binaries_of(code[code["program"].isin(programs - {None}) & (code["instructions"] > 0)])


def _frames(traces: pd.DataFrame, known: Collection[int], given: DecoderResult) -> Frames:
    """Build the frames of the results.

    Raise ValueError, TypeError, KeyError or OverflowError if they are malformed.
    """
    found = {name: complete(name, given.columns(name, FRAMES[name].names)) for name in _FRAMES}
    told = complete("thread_traces", given.columns("thread_traces", _TOLD))[[*_TOLD]].set_index("trace")
    check_told(told.index.tolist(), known, (frame["trace"] for frame in found.values()))
    missing = traces["bytes"].gt(0).map({True: NO_ROOM, False: _NOTHING})
    missing = missing.mask(traces["trace"].isin(known), _NOT_REACHED)
    rows = traces.drop(columns=[*_TOLD[1:]]).join(told, on="trace")
    return found | {"thread_traces": conform("thread_traces", rows.assign(why=rows["why"].fillna(missing)))}


def _findings(traces: pd.DataFrame, ending: str) -> list[Diagnostic]:
    """Report how the process failed, and why traces are not decoded completely."""
    lost = int((traces["why"] == _NOT_REACHED).sum())
    what = f"not decoded: the process that decodes them {ending or 'answered more than is read'}"
    found = occurrences("warning", "thread_traces_failed", lost, "thread trace", what)
    reasons = traces.loc[~traces["why"].isin(["", _NOT_REACHED, _NOTHING]), "why"].value_counts()
    said = [f"{count} x {why}" for why, count in reasons.head(_MOST_REASONS).items()]
    more = [f"{plural(len(reasons) - len(said), 'reason')} more"] if len(reasons) > len(said) else []
    what = f"not wholly decoded: {', '.join(said + more)}"
    return found + occurrences("info", "thread_traces_partial", int(reasons.sum()), "thread trace", what)
