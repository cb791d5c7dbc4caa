"""A process of its own that decodes binaries and traces, and may end at any time: what it answers,
and how it ended.
"""

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
"""Of AMD's instructions, the slowest, as many as are decoded take 8 s, and a quarter of the
memory.
"""
Frames = dict[str, pd.DataFrame]


def decoder_limits(limits: Limits) -> Limits:
    """Return the limits of the process where those of readers are `limits`."""
    return replace(LIMITS, memory_mb=min(limits.memory_mb, LIMITS.memory_mb))


@dataclass(frozen=True)
class DecoderResult:
    """What the process answered; `ending` says how it ended, empty where it ended well."""

    answers: Sequence[Result] = ()
    ending: str = ""

    def columns(self, frame: str, names: Iterable[str]) -> dict[str, list[Any]]:
        """Return the rows of a frame in all answers, by column.

        Raises KeyError or TypeError where one has none.
        """
        return {name: list(chain.from_iterable(answer[frame][name] for answer in self.answers)) for name in names}

    def frames(self, make: Callable[[DecoderResult], Frames], expected: str) -> tuple[Frames, str]:
        """Return what `make` makes of the answers, and how the process ended; of none where they are not as expected.

        `make` raises ValueError, TypeError, KeyError or OverflowError then.
        """
        try:
            return make(self), self.ending
        except (ValueError, TypeError, KeyError, OverflowError):
            return make(DecoderResult()), self.ending or f"answered what is no {expected}"


def run_decoder(module: str, limits: Limits, binaries: Iterable[Binary], traces: Iterable[Trace] = ()) -> DecoderResult:
    """Run a module of this package in a process of its own; return what it answered until it
    ended.
    """
    with scratch_folder() as folder:
        write_tasks(folder, binaries, traces)
        ending = ""
        try:
            run_isolated(f"{__package__}.machine.{module}", [str(folder), limits.text()], limits.clock(0))
        except KilledError as error:
            ending = str(error)
        return DecoderResult(read_results(folder), ending)


def binaries_of(code: pd.DataFrame) -> Iterable[Binary]:
    """Return rows of frame `machine_code` as the process is asked for them."""
    columns = (code["program"], *(code[name].astype("str") for name in ("kind", "architecture", "contents")))
    return map(Binary._make, zip(*columns, strict=True))


def check_told(told: Sequence[int], asked: Collection[int], rows: Iterable[pd.Series]) -> None:
    """Raise ValueError where something is told of twice or unasked, or rows are of what nothing is
    told of.
    """
    reached = set(told)
    if len(reached) < len(told) or not reached <= set(asked):
        raise ValueError("it answers twice, or for what it was not asked for")
    if not all(reached.issuperset(own) for own in rows):
        raise ValueError("it has rows of what it does not tell of")
