"""Find the words of a trace buffer that hold data, and the begins of packets among them.

Unused memory separates segments of packets; every eighth word of a segment is a packet header.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from schema.array_types import Bools, Ints

PACKET_WORDS = 8
"""Words of a packet, header included."""
PAD = 0xFEFEFEFE
"""Word that the hardware writes as padding."""
UNWRITTEN = 0xA5A5A5A5
"""Word of buffer memory that the trace never reached."""
_GAP = 8
"""Number of successive unwritten words that end a segment; behind them a new packet begins."""
_UNUSED = 0x7000CFE0
"""Bits that are 0 in every packet header."""
_MAX_RESTARTS = 1 << 18
"""Number of possible restarts that are looked at: a crafted file may have millions."""
STARTS = (0xF0, 0xF1, 0xF2, 0xF4)
"""First bytes of the command that starts a unit's stream."""

Words = npt.NDArray[np.uint32]


def is_header(words: Words) -> Bools:
    """Return a mask of the words that can be packet headers: an odd number of 1 bits, and all
    unused bits are 0.
    """
    odd = np.bitwise_count(words) % 2 == 1
    valid: Bools = odd & ((words & np.uint32(_UNUSED)) == 0)
    return valid


def find_data(words: Words) -> tuple[Bools, Ints, bool]:
    """Find the data words of the buffer.

    Returns a mask of the data words (packets with their headers), the position of every word in its
    segment (from 0), and whether data fill the buffer to its last word. All have the length of
    `words`, except the last, a bool.
    """
    rank = np.arange(len(words))
    blank = (words == 0) | (words == UNWRITTEN)
    edges = np.flatnonzero(np.diff(blank.astype(np.int8), prepend=0, append=0))
    begins = edges[::2]
    ends = edges[1::2]
    gaps = (ends - begins >= _GAP) | (ends == len(words))
    data = ~_within_gaps(len(words), begins[gaps], ends[gaps])
    starts = data & ~np.concatenate(([False], data[:-1])) if len(words) else data
    again = find_restarts(words, np.flatnonzero(starts))
    gaps |= np.isin(ends, again)
    data = ~_within_gaps(len(words), begins[gaps], ends[gaps])
    starts[again] = True
    start = np.maximum.accumulate(np.where(starts, rank, 0)) if len(words) else rank
    over = _behind_end(words, start)
    full = bool(len(words)) and bool(data[-1]) and not over[-1] and words[-1] != PAD
    return data & ~over, rank - start, full


def find_restarts(words: Words, starts: Ints) -> Ints:
    """Return the indices of the words at which packets begin again: not a multiple of 8 words
    behind their segment's begin, or behind an end mark.

    A second run of a design may be appended behind a few unused words. Its first word is a header
    behind an unused word, followed by the start of a unit. `starts` are the indices at which the
    known segments begin. Empty if there is no restart.
    """
    if len(words) < 2:
        return np.empty(0, np.int64)
    unused = (words[:-2] == 0) | (words[:-2] == UNWRITTEN) | (words[:-2] == PAD)
    is_start = np.isin(words[2:] >> 24, STARTS)
    places = np.flatnonzero(unused & is_header(words[1:-1]) & is_start) + 1
    marks = np.flatnonzero((words[:-2] == PAD) & (words[1:-1] == 0) & (words[2:] == 0))
    places = places[:_MAX_RESTARTS]
    segments = np.concatenate(([0], starts))[np.searchsorted(starts, places, side="right")]
    marks_before = np.searchsorted(marks, places)
    restarts: list[int] = []
    for place, first, ended in zip(
        places.tolist(), segments.tolist(), marks_before.tolist(), strict=True
    ):
        segment = max(first, restarts[-1] if restarts else 0)
        # The last mark before the word is behind the segment's begin only if the segment ended.
        after_end = ended > 0 and int(marks[ended - 1]) >= segment
        if (place - segment) % PACKET_WORDS or after_end:
            restarts.append(place)
    return np.array(restarts, np.int64)


def _within_gaps(length: int, begins: Ints, ends: Ints) -> Bools:
    depth = np.zeros(length + 1, np.int64)
    depth[begins] += 1
    depth[ends] -= 1
    within: Bools = np.cumsum(depth)[:length] > 0
    return within


def _behind_end(words: Words, start: Ints) -> Bools:
    """Return a mask of the words behind their segment's end mark: a padding word and two zeros.

    `start` is the index of the begin of each word's segment.
    """
    ends = np.zeros(len(words) + 1, np.int64)
    ends[1:-2] = (words[:-2] == PAD) & (words[1:-1] == 0) & (words[2:] == 0)
    before = np.cumsum(ends)[: len(words)]
    behind: Bools = before > before[start]
    return behind
