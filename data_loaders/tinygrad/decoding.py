"""Run a decoder in a child process, which may crash, and collect its results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import pandas as pd

from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.limits import Limits
from data_loaders.reading.scratch import scratch_folder
from data_loaders.tinygrad.machine.exchange import Binary, Result, Trace, read_results, write_tasks

LIMITS = Limits(memory_mb=1000, processor_s=30, processor_s_per_mb=0, clock_s=120, clock_s_per_mb=0)
"""Limits of a decoding process.

AMD instructions are the slowest: the maximum number of them takes 8 s and a quarter of the memory.
"""
Frames = dict[str, pd.DataFrame]


def decoder_limits(limits: Limits) -> Limits:
    """Return the limits of a decoding process: `LIMITS`, but at most as much memory as `limits`
    allow.
    """
    return replace(LIMITS, memory_mb=min(limits.memory_mb, LIMITS.memory_mb))


@dataclass(frozen=True)
class DecoderResult:
    """Results of a decoding process; `ending` describes how it failed, "" if it succeeded."""

    results: Sequence[Result] = ()
    ending: str = ""

    def columns(self, frame: str, names: Iterable[str]) -> dict[str, list[Any]]:
        """Map each name to the values of this column of a frame, over all results of the process.

        Raise KeyError or TypeError if a result lacks the frame or column.
        """
        return {
            name: list(chain.from_iterable(result[frame][name] for result in self.results))
            for name in names
        }

    def frames(self, make: Callable[[DecoderResult], Frames], expected: str) -> tuple[Frames, str]:
        """Build frames with `make`.

        Return them and how the process failed, as the end of a sentence, "" if it succeeded. If the
        results are malformed (`make` raises ValueError, TypeError, KeyError or OverflowError), the
        frames are made of no results, and the text reports that an `expected` was not returned.
        """
        try:
            return make(self), self.ending
        except (ValueError, TypeError, KeyError, OverflowError):
            return make(DecoderResult()), self.ending or f"returned an invalid {expected}"


def run_decoder(
    module: str, limits: Limits, binaries: Iterable[Binary], traces: Iterable[Trace] = ()
) -> DecoderResult:
    """Run module `machine.MODULE` in a child process on these binaries and traces.

    Returns the results that it wrote before it ended, also if it failed.
    """
    with scratch_folder() as folder:
        write_tasks(folder, binaries, traces)
        ending = ""
        try:
            run_isolated(
                f"{__package__}.machine.{module}", [str(folder), limits.text()], limits.clock(0)
            )
        except KilledError as error:
            ending = str(error)
        return DecoderResult(read_results(folder), ending)


def decoder_tasks(code: pd.DataFrame) -> Iterable[Binary]:
    """Convert rows of frame `machine_code` to tasks (program, kind, architecture, contents) of the
    decoding process, in order.
    """
    columns = (
        code["program"],
        *(code[name].astype("str") for name in ("kind", "architecture", "contents")),
    )
    return map(Binary._make, zip(*columns, strict=True))


def check_results(
    reported: Sequence[int], requested: Collection[int], rows: Iterable[pd.Series]
) -> None:
    """Raise ValueError if results are duplicated or unrequested, or rows have no result.

    `reported` are the programs with a result, `rows` the program columns of the frames.
    """
    reached = set(reported)
    if len(reached) < len(reported) or not reached <= set(requested):
        raise ValueError("it returned an item twice, or an item that was not requested")
    if not all(reached.issuperset(own) for own in rows):
        raise ValueError("it returned rows for an unreported item")
