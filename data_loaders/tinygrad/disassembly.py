"""Frames of instructions and basic blocks, which a child process decodes from machine code."""

from __future__ import annotations

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
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import FRAMES, complete, conform

_FRAMES = ("disassembly", "basic_blocks", "block_edges")
_REPORTED = [name for name in FRAMES["machine_code"].names if name not in ("kind", "contents")]
_MAX_REASONS = 10
_NOT_REACHED = "the disassembler process ended before this program"


def add_disassembly(reading: Reading, limits: Limits = LIMITS) -> None:
    """Add frames `disassembly`, `basic_blocks` and `block_edges` of all binaries to the reading,
    and complete its frame `machine_code`.

    If the process fails, the results before the failure are kept and a finding reports it. A
    reading without machine code stays as it is.
    """
    code = reading.frames.get("machine_code")
    if code is None or not len(code):
        return
    result = run_decoder("child", limits, decoder_tasks(code))
    frames, ending = result.frames(lambda part: _frames(code, part), "disassembly")
    reading.frames |= frames
    reading.findings += _findings(frames["machine_code"], ending)


def _frames(code: pd.DataFrame, result: DecoderResult) -> Frames:
    """Build frames `disassembly`, `basic_blocks`, `block_edges` and `machine_code` of the results.

    Binaries without a result have a reason in `why`. Raises ValueError, TypeError, KeyError or
    OverflowError if the results are malformed.
    """
    frames = {name: complete(name, result.columns(name, FRAMES[name].names)) for name in _FRAMES}
    reported = complete("machine_code", result.columns("machine_code", _REPORTED))
    check_results(
        reported["program"].tolist(),
        code["program"].tolist(),
        (frame["program"] for frame in frames.values()),
    )
    stored = code.set_index("program")[["kind", "contents"]]
    missing = code[~code["program"].isin(reported["program"])].assign(why=_NOT_REACHED)
    rows = pd.concat([reported[_REPORTED].join(stored, on="program"), missing]).sort_values(
        "program", ignore_index=True
    )
    return frames | {"machine_code": conform("machine_code", rows)}


def _findings(code: pd.DataFrame, ending: str) -> list[Diagnostic]:
    """Report how the process failed (`ending`), and for at most 10 reasons how many programs lack
    instructions; empty if all are complete.
    """
    lost = int((code["why"] == _NOT_REACHED).sum())
    text = f"without instructions: the disassembler process {ending or 'exceeded the limit of its output'}"
    findings = occurrences("warning", "disassembly_failed", lost, "program", text)
    reasons = code.loc[
        ~code["why"].isin(["", _NOT_REACHED]) & ~code["kind"].isin(["ptx", "operations"]), "why"
    ]
    for why, count in reasons.value_counts().head(_MAX_REASONS).items():
        findings += occurrences(
            "info", "disassembly_partial", int(count), "program", f"without all instructions: {why}"
        )
    return findings
