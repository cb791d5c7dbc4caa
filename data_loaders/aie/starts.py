"""Find the start commands of units, and group them into captures.

A unit that is started again, because the design ran again, writes another start command with
another timer. The buffer then holds several captures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from data_loaders.aie.packets import START_BYTES, STARTS, command_places
from data_loaders.aie.words import Stream

MAX_TIMER = 1 << 50
"""Bound of the timer of a plausible second start, in cycles: about ten days at 1.25 GHz."""
MAX_CAPTURES = 256
"""Highest number of captures into which a buffer is divided."""
_MAX_STARTS = 1 << 18
"""Number of start commands of a unit that are looked at: a crafted file may have millions."""
_FILLER = b"\xfe"

Starts = list[tuple[int, int | None]]
"""Start commands of a stream: offset in bytes and timer, `None` if the command has no timer."""


def parse_start(content: bytes) -> tuple[int | None, int | None]:
    """Parse the start command at the begin of a stream, behind fillers, into mode (0 to 2) and
    timer (cycles).

    Both are `None` if the stream has no start command. Only mode 0 has a timer: in the other modes
    the bytes of the command hold the address at which execution begins.
    """
    at = len(content) - len(content.lstrip(_FILLER))
    mode = STARTS.get(content[at]) if at < len(content) else None
    timed = mode == 0 and len(content) >= at + START_BYTES
    return mode, int.from_bytes(content[at + 1 : at + START_BYTES], "big") if timed else None


def find_starts(content: bytes) -> Starts:
    """Return the (offset in bytes, timer) of the start commands of a stream.

    The first offset is 0 even without a command there. A start with the same timer as the previous
    start is not a new start. Streams of mode 2 are not searched beyond their first start, because
    the length of their commands is not documented. At most MAX_CAPTURES (256) starts are returned.
    """
    mode, timer = parse_start(content)
    starts: Starts = [(0, timer)]
    if mode not in (0, 1) or not _may_start_again(content, mode):
        return starts
    place, size = command_places(content, mode)
    first = np.frombuffer(content, np.uint8)[place]
    is_start = np.isin(first, _first_bytes(mode)) & (size == START_BYTES) & (place % 4 == 0)
    begin = len(content) - len(content.lstrip(_FILLER))
    for offset in place[is_start & (place > begin)][:_MAX_STARTS].tolist():
        again = parse_start(content[offset : offset + START_BYTES])[1]
        # Behind a damaged packet any byte may look like a start, but its timer is not plausible.
        if mode == 1 or (again is not None and again != starts[-1][1] and again < MAX_TIMER):
            starts.append((offset, again))
    return starts[:MAX_CAPTURES]


def _first_bytes(mode: int) -> list[int]:
    return [first for first, of_mode in STARTS.items() if of_mode == mode]


def _may_start_again(content: bytes, mode: int) -> bool:
    """Whether at least two words of the stream may be the first half of a start.

    Hardware begins starts at a word.
    """
    words = np.frombuffer(content[: len(content) // 4 * 4], ">u4")
    starts = np.isin(words >> 24, _first_bytes(mode))
    return int(np.count_nonzero(starts & ((words & 0xFFFFFF) < MAX_TIMER >> 32))) > 1


def count_captures(starts: Sequence[Starts]) -> int:
    """Return the number of captures in a buffer: the most starts that any unit has, 1 if there are
    no units.
    """
    return max((len(of_unit) for of_unit in starts), default=1)


def capture_timers(starts: Sequence[Starts]) -> list[int | None]:
    """Return the timer of each capture, `None` if unknown: the timers of the first of the units
    with the most starts.

    Without units, a single capture without a timer.
    """
    most = max(starts, key=len, default=[(0, None)])
    return [timer for _, timer in most]


def select_capture(
    streams: Sequence[Stream], starts: Sequence[Starts], capture: int
) -> list[Stream]:
    """Return the part of each stream that belongs to capture number `capture`, counted from 0.

    Units that take no part in it are left out. `starts` has the starts of each stream.
    """
    timers = capture_timers(starts)
    selected = []
    for stream, of_unit in zip(streams, starts, strict=True):
        numbers = _capture_numbers(of_unit, timers)
        if capture in numbers:
            rank = numbers.index(capture)
            begin = of_unit[rank][0]
            end = of_unit[rank + 1][0] if rank + 1 < len(of_unit) else len(stream.content)
            selected.append(replace(stream, content=stream.content[begin:end]))
    return selected


def _capture_numbers(of_unit: Starts, timers: Sequence[int | None]) -> list[int]:
    """Return the number of the capture, from 0, of each start of a unit.

    `timers` has the timer of each capture. Units of a capture start within a few cycles. A unit
    that took part in some captures only is therefore assigned by the nearest timer, if all timers
    are known and rise. Otherwise the starts are numbered in order.
    """
    own = [timer for _, timer in of_unit if timer is not None]
    all_timers = [timer for timer in timers if timer is not None]
    if len(of_unit) == len(timers) or len(own) < len(of_unit) or len(all_timers) < len(timers):
        return list(range(len(of_unit)))
    numbers = [
        min(range(len(all_timers)), key=lambda rank: abs(all_timers[rank] - timer)) for timer in own
    ]
    return numbers if len(set(numbers)) == len(numbers) else list(range(len(of_unit)))
