"""Parser of XLA's live range text: lifetimes of values, and instructions by step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_STEP = re.compile(r" {4}\d{1,12}:(\S[^\n]{0,2000})")
_RANGE = re.compile(r"\A {4}(\S[^\n]{0,2000}):(\d{1,12})-(\d{1,12})")
_PEAK = re.compile(r" {2}Live ranges at (\d{1,12}) \(peak\):")
_CUMULATIVE = re.compile(r"\(cumulative: (\d{1,18}) bytes\)")


@dataclass(frozen=True)
class LiveRanges:
    """Instructions in the order of execution, and lifetimes of the values.

    `ranges` maps a value to its first and last step alive, both included. `peak` is the step and
    the number of bytes of the peak as XLA counts it; `None` if the text does not state it.
    """

    steps: Sequence[str]
    ranges: Mapping[str, tuple[int, int]]
    peak: tuple[int, int] | None


def is_live_range(head: str) -> bool:
    """Whether `head`, the beginning of a text, begins with `HloLiveRange`, as a live range file
    does.
    """
    return head.startswith("HloLiveRange")


def read_live_ranges(text: str) -> LiveRanges:
    """Parse a live range text; fields are empty if their part is missing.

    If the text is cut, the part before the cut is returned.
    """
    steps: list[str] = []
    ranges: dict[str, tuple[int, int]] = {}
    peak_step: int | None = None
    peak_bytes = 0
    part = ""
    for line in text.split("\n"):
        if line.startswith("  ") and not line.startswith("   "):
            peak = _PEAK.match(line)
            part = "peak" if peak else line.strip()
            peak_step = int(peak[1]) if peak else peak_step
        elif part == "InstructionSequence:" and (step := _STEP.fullmatch(line)):
            steps.append(step[1])
        elif part == "BufferLiveRange:" and (span := _RANGE.fullmatch(line)):
            ranges[span[1]] = (int(span[2]), int(span[3]))
        elif part == "peak" and (cumulative := _CUMULATIVE.search(line)):
            # The sums are cumulative, so the last line has the total.
            peak_bytes = int(cumulative[1])
    return LiveRanges(steps, ranges, None if peak_step is None else (peak_step, peak_bytes))


def range_name(value: str) -> str:
    """Return a value's name as in the live range text: without ` (phi)`, and with an index `{}` if
    it has none.
    """
    name = value.removesuffix(" (phi)")
    return name if name.endswith("}") else f"{name}{{}}"
