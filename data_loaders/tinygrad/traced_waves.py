"""Frames of waves and instructions, which a child process decodes from thread traces."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable
from typing import Any

import pandas as pd

from data_loaders.reading.limits import Limits
from data_loaders.reading.result_folder import Reading
from data_loaders.tinygrad.decoding import (
    LIMITS,
    DecoderResult,
    Frames,
    check_results,
    decoder_tasks,
    run_decoder,
)
from data_loaders.tinygrad.machine.exchange import Binary, Trace
from data_loaders.tinygrad.machine.waves import NO_ROOM
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import FRAMES, complete, conform
from schema.plurals import plural

_FRAMES = ("waves", "wave_instructions")
_CLOCKS = ("clock_hz", "clock_min_hz", "clock_max_hz")
_REPORTED = ("trace", "packets", "waves", "executed", *_CLOCKS, "why")
_MAX_REASONS = 3
_NOT_REACHED = "the decoder process ended before this trace"
_NOTHING = "it is empty"


def add_waves(reading: Reading, limits: Limits = LIMITS) -> None:
    """Add frames `waves` and `wave_instructions` of all thread traces to the reading, and complete
    its frame `thread_traces`.

    If the process fails, the results before the failure are kept and a finding reports it. A
    reading without traces stays as it is; frames without rows are not added.
    """
    traces = reading.frames.get("thread_traces")
    if traces is None or not len(traces):
        return
    tasks = [
        _trace_task(*row, reading) for row in zip(traces["trace"], traces["program"], strict=True)
    ]
    tasks = [trace for trace in tasks if trace.contents]
    code = _binaries(reading.frames.get("machine_code"), {trace.program for trace in tasks})
    result = run_decoder("trace_child", limits, code, tasks) if tasks else DecoderResult()
    requested = {trace.trace for trace in tasks}
    frames, ending = result.frames(lambda part: _frames(traces, requested, part), "thread trace")
    reading.frames |= {name: frame for name, frame in frames.items() if len(frame)}
    reading.findings += _findings(frames["thread_traces"], ending)


def _trace_task(trace: int, program: Any, reading: Reading) -> Trace:  # noqa: ANN401 - a number or null of pandas
    rank = None if pd.isna(program) else int(program)
    return Trace(int(trace), rank, base64.b64encode(reading.blobs.get(trace, b"")).decode("ascii"))


def _binaries(code: pd.DataFrame | None, programs: set[int | None]) -> Iterable[Binary]:
    """Convert the machine code of the programs in `programs` that have instructions to tasks.

    () without machine code.
    """
    if code is None:
        return ()
    return decoder_tasks(code[code["program"].isin(programs - {None}) & (code["instructions"] > 0)])


def _frames(traces: pd.DataFrame, requested: Collection[int], result: DecoderResult) -> Frames:
    """Build frames `waves`, `wave_instructions` and `thread_traces` of the results.

    Traces without a result have a reason in `why`. Raises ValueError, TypeError, KeyError or
    OverflowError if the results are malformed.
    """
    frames = {name: complete(name, result.columns(name, FRAMES[name].names)) for name in _FRAMES}
    reported = complete("thread_traces", result.columns("thread_traces", _REPORTED))[
        [*_REPORTED]
    ].set_index("trace")
    check_results(reported.index.tolist(), requested, (frame["trace"] for frame in frames.values()))
    missing = traces["bytes"].gt(0).map({True: NO_ROOM, False: _NOTHING})
    missing = missing.mask(traces["trace"].isin(requested), _NOT_REACHED)
    rows = traces.drop(columns=[*_REPORTED[1:]]).join(reported, on="trace")
    return frames | {
        "thread_traces": conform("thread_traces", rows.assign(why=rows["why"].fillna(missing)))
    }


def _findings(traces: pd.DataFrame, ending: str) -> list[Diagnostic]:
    """Report how many traces the process did not reach, and why traces are not decoded completely
    (the 3 most frequent reasons).

    Empty if all are complete.
    """
    lost = int((traces["why"] == _NOT_REACHED).sum())
    what = f"not decoded: the decoder process {ending or 'exceeded the limit of its output'}"
    findings = occurrences("warning", "thread_traces_failed", lost, "thread trace", what)
    reasons = traces.loc[~traces["why"].isin(["", _NOT_REACHED, _NOTHING]), "why"].value_counts()
    reason_texts = [f"{count} x {why}" for why, count in reasons.head(_MAX_REASONS).items()]
    more = (
        [f"{plural(len(reasons) - len(reason_texts), 'reason')} more"]
        if len(reasons) > len(reason_texts)
        else []
    )
    what = f"not completely decoded: {', '.join(reason_texts + more)}"
    return findings + occurrences(
        "info", "thread_traces_partial", int(reasons.sum()), "thread trace", what
    )
