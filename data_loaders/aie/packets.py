"""Decode the byte stream of a traced unit into level changes (mode 0) or address records (mode 1).

A stream is a sequence of commands of 1 to 8 bytes. In mode 0 each sample has the slots that are
active and the cycles since the last sample, which gives the intervals of each slot. In mode 1 each
record has the slots that fired and the address of the program.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schema.array_types import Bools, Ints

MAX_SAMPLES = 1 << 24
"""Highest number of samples per file: repeat commands can expand a file a thousandfold."""
SYNC_CYCLES = 1 << 18
"""Cycles that pass with a sync command: the range of a gap of 18 bits."""
SLOTS = 8
STARTS = {0xF0: 0, 0xF4: 0, 0xF1: 1, 0xF2: 2}
"""First byte of the command that starts a stream -> mode."""
START_BYTES = 8
"""Length in bytes of the command that starts a stream: its first byte and a timer of 56 bits."""
_FIRST_REPEAT = 0xD8
"""Commands with a lower first byte are samples."""


class TooManySamplesError(ValueError):
    """Repeat commands expand to more samples than the limit."""


@dataclass(frozen=True)
class Levels:
    """Level changes of a unit in order of time: slot, whether the slot begins or ends, cycle.

    `last` is the cycle at which the stream ends: repeats behind the last sample hold its levels, so
    it may be later than the last change. `syncs` is the number of sync commands. `unknown` counts
    invalid commands and repeats before the first sample.
    """

    slot: npt.NDArray[np.int8]
    begin: Bools
    ts: Ints
    last: int
    syncs: int
    unknown: int


@dataclass(frozen=True)
class Records:
    """Address records of a unit: slot, position of its record, byte address.

    `unknown` is counted as in `Levels`.
    """

    slot: npt.NDArray[np.int8]
    order: Ints
    pc: Ints
    unknown: int


def read_levels(content: bytes, most: int = MAX_SAMPLES) -> Levels:
    """Decode the level changes of a stream of mode 0; in the same cycle ends precede begins.

    Raises TooManySamplesError if there are more than `most` samples. Commands of an unknown kind,
    and a cut last command, are skipped.
    """
    first, tail = _commands(content, _LENGTHS)
    mask, gap, repeats = _samples(first, tail)
    sample = first < _FIRST_REPEAT
    unknown = int(_is_unknown_command(first).sum())
    is_sync = first == 0xFF
    is_repeat = repeats > 0
    owner = np.cumsum(sample) - 1
    unknown += int((is_repeat & (owner < 0)).sum())
    masks = mask[sample]
    gaps = gap[sample]
    of_sample = is_repeat & (owner >= 0)
    # A sync ends all levels, so a repeat behind it only adds time to the pause. If levels lasted
    # over a sync, as in mlir-aie's decoder, a marker of one cycle would look 262,145 cycles long.
    late = np.cumsum(is_sync) > np.concatenate(([0], np.cumsum(is_sync)[sample]))[owner + 1]
    # Repeats of a sample without a gap extend its levels; with a gap they replay gap and levels.
    times = _sums(owner, repeats, of_sample, len(masks))
    times_late = _sums(owner, repeats, of_sample & late, len(masks))
    replayed = np.where(gaps > 0, times, 0)
    replayed_late = np.where(gaps > 0, times_late, 0)
    held = np.where(gaps > 0, 0, times - times_late)
    passed = times - replayed - held
    syncs = np.bincount(owner[is_sync] + 1, minlength=len(masks) + 1)
    if len(masks) + int(replayed.sum()) > most:
        raise TooManySamplesError(f"repeats expand to more than {most} samples")
    pauses = _pauses(syncs, passed)
    slot, begin, ts = _level_changes(masks, gaps, (replayed, replayed_late), held, pauses)
    spent = int((1 + gaps + replayed * (1 + gaps) + held).sum() + pauses.sum())
    last = max(spent, int(ts.max(initial=0))) if len(masks) else 0
    return Levels(slot, begin, ts, last, int(is_sync.sum()), unknown)


def _is_unknown_command(first: Ints) -> Bools:
    """Return a mask of the commands that are invalid in mode 0; `first` has their first bytes."""
    valid: Bools = (first < 0xF0) | (first >= 0xFE) | (first == 0xF0) | (first == 0xF4)
    return ~valid


def read_records(content: bytes, most: int = MAX_SAMPLES) -> Records:
    """Decode the address records of a stream of mode 1.

    A repeat command adds as many copies of the record before it. A record with several slots gives
    an element per slot. Raises TooManySamplesError if there are more than `most` records.
    """
    first, tail = _commands(content, _RECORD_LENGTHS)
    record = first & 0xFC == 0xC4
    repeats = _repeats(first, tail)
    owner = np.cumsum(record) - 1
    of_record = (repeats > 0) & (owner >= 0)
    times = 1 + np.bincount(owner[of_record], repeats[of_record], int(record.sum())).astype(
        np.int64
    )
    if int(times.sum()) > most:
        raise TooManySamplesError(f"repeats expand to more than {most} records")
    word = np.repeat((first[record] << 24) | tail[record], times)
    rank, slot = np.nonzero(word[:, None] >> np.arange(18, 18 + SLOTS) & 1)
    valid = record | (repeats > 0) | (first >= 0xFE) | (first == 0xF1) | (first & 0xFC == 0xDC)
    unknown = int((~valid).sum() + ((repeats > 0) & (owner < 0)).sum())
    return Records(slot.astype(np.int8), rank.astype(np.int64), word[rank] & 0x3FFF, unknown)


def _lengths() -> bytes:
    """Compute the length in bytes of the commands of mode 0, as 256 bytes indexed by the first
    byte.
    """
    lengths = [1] * 256
    for first in range(0x80, 0xFE):
        lengths[first] = _command_length(first)
    return bytes(lengths)


def _command_length(first: int) -> int:
    """Return the length in bytes of a command of mode 0 whose first byte is `first` (0x80 or more)."""
    limits = (
        (0xA0, 2),
        (0xC0, 3),
        (0xD0, 2),
        (0xD4, 3),
        (0xD8, 4),
        (0xDC, 2),
        (0xE0, 4),
        (0xF0, 1),
    )
    if first >= 0xF0:
        return START_BYTES if first in STARTS else 1
    return next(length for limit, length in limits if first < limit)


def _record_lengths() -> bytes:
    """Compute the length in bytes of the commands of mode 1, as 256 bytes indexed by the first
    byte.
    """
    lengths = bytearray(b"\1" * 256)
    for first in range(0x100):
        if first & 0xFC in (0xC4, 0xDC):
            lengths[first] = 4
        elif first & 0xFC == 0xD8:
            lengths[first] = 2
    lengths[0xF1] = START_BYTES
    return bytes(lengths)


_LENGTHS = _lengths()
_RECORD_LENGTHS = _record_lengths()


def _commands(content: bytes, lengths: bytes) -> tuple[Ints, Ints]:
    """Split the content into whole commands.

    `lengths` has the length of a command by its first byte. Returns the first byte of each command,
    and its up to three further bytes as a big-endian number. A cut last command is left out.
    """
    place, size = _places(content, lengths)
    padded = np.frombuffer(content + bytes(3), np.uint8)
    first = padded[place].astype(np.int64)
    tail = np.zeros(len(place), np.int64)
    for rank in range(1, 4):
        more = size > rank
        tail[more] = tail[more] << 8 | padded[place[more] + rank]
    return first, tail


def command_places(content: bytes, mode: int) -> tuple[Ints, Ints]:
    """Return the offsets and the lengths, in bytes, of all whole commands of a stream of mode 0 or
    1, in order.
    """
    return _places(content, _RECORD_LENGTHS if mode else _LENGTHS)


def _places(content: bytes, lengths: bytes) -> tuple[Ints, Ints]:
    length = content.translate(lengths)
    begins = bytearray(len(content))
    at = 0
    # A command begins behind all commands before it, so this loop cannot be vectorised.
    while at < len(content):
        begins[at] = 1
        at += length[at]
    place = np.flatnonzero(np.frombuffer(begins, np.uint8))
    size = np.frombuffer(length, np.uint8)[place].astype(np.int64)
    if at > len(content):  # the last command is cut off
        place = place[:-1]
        size = size[:-1]
    return place, size


def _repeats(first: Ints, tail: Ints) -> Ints:
    """Return how often each command repeats the previous sample.

    Returns 0 for commands that are not repeats.
    """
    short = first & 0xF0 == 0xE0
    long = first & 0xFC == 0xD8
    return np.where(short, first & 15, 0) + np.where(long, (first & 3) << 8 | tail, 0)


def _samples(first: Ints, tail: Ints) -> tuple[Ints, Ints, Ints]:
    """Decode every command into (bit mask of active slots, gap in cycles, repeats of the previous
    sample), each of shape (commands,).

    Mask and gap are 0 for commands that are not samples.
    """
    kinds = [first < 0x80, first < 0xA0, first < 0xC0, first < 0xD0, first < 0xD4, first < 0xD8]
    single_slot = [1 << (first >> 4 & 7), 1 << (first >> 2 & 7), 1 << (first >> 2 & 7)]
    slot_masks = [
        (first & 15) << 4 | tail >> 4,
        (first & 3) << 6 | tail >> 10,
        (first & 3) << 6 | tail >> 18,
    ]
    mask = np.select(kinds, [*single_slot, *slot_masks], 0)
    short = [first & 15, (first & 3) << 8 | tail, (first & 3) << 16 | tail]
    gap = np.select(kinds, [*short, tail & 15, tail & 0x3FF, tail & 0x3FFFF], 0)
    return mask, gap, _repeats(first, tail)


def _sums(
    owner: Ints,
    repeats: Ints,
    chosen: Bools,
    count: int,
) -> Ints:
    """Sum the repeats of the commands in mask `chosen` per sample, shape (count,).

    `owner` is the sample of each command.
    """
    return np.bincount(owner[chosen], repeats[chosen], count).astype(np.int64)


def _pauses(syncs: Ints, passed: Ints) -> Ints:
    """Compute the cycles without any active slot, before every sample and after the last.

    Shape (samples + 1,). `syncs` counts the sync commands there, `passed` the cycles of repeats
    behind each sample.
    """
    return syncs * SYNC_CYCLES + np.concatenate(([0], passed))


def _level_changes(
    masks: Ints,
    gaps: Ints,
    replays: tuple[Ints, Ints],
    held: Ints,
    pauses: Ints,
) -> tuple[npt.NDArray[np.int8], Bools, Ints]:
    """Compute slot, whether the level begins, and cycle of every level change.

    Sorted by cycle with ends before begins. Per sample: active slots as bits (`masks`), cycles
    before it (`gaps`), times that it is replayed (all, and those behind a sync), cycles that it is
    held without a gap. `pauses` are cycles with a sync, before every sample and after the last. A
    level ends one cycle after its last sample.
    """
    replayed, replayed_late = replays
    count = 1 + replayed
    last = np.cumsum(count) - 1
    up = np.repeat(masks, count)
    gap = np.repeat(gaps, count)
    hold = np.zeros(len(up), np.int64)
    paused = np.zeros(len(up) + 1, np.int64)
    hold[last] = held
    # Replays behind a sync come after its pause, all others before it.
    is_late = replayed_late > 0
    paused[last[is_late] - replayed_late[is_late] + 1] = pauses[1:][is_late]
    waits = np.where(np.concatenate(([False], is_late)), 0, pauses)
    paused[last - replayed] = waits[:-1]
    paused[-1] = waits[-1]
    before = np.concatenate(([0], hold))[:-1]
    # Every sample takes a cycle in addition to its gap, as in mlir-aie's parse.py.
    begun = np.cumsum(gap + 1 + before + paused[:-1])
    ended = np.concatenate(([0], begun + hold + 1))
    previous = np.concatenate(([0], up))
    following = np.concatenate((up, [0]))
    # Levels last from a sample to the next only if no gap and no pause lies between the samples.
    continues = np.concatenate((gap == 0, [False])) & (paused == 0)
    ends = np.where(continues, previous & ~following, previous)
    ends[-1] = previous[-1] if paused[-1] else 0
    begins = np.where(continues[:-1], up & ~previous[:-1], up)
    return _changes(ends, ended, begins, begun)


def _changes(
    ends: Ints, ended: Ints, begins: Ints, begun: Ints
) -> tuple[npt.NDArray[np.int8], Bools, Ints]:
    """Return slot, whether the level begins, and cycle of all level changes.

    Sorted by cycle with ends before begins. Bit s of `ends` and `begins` is slot s; `ended` and
    `begun` are their cycles.
    """
    slots = []
    begin = []
    ts = []
    for slot in range(SLOTS):
        for bits, times, is_begin in ((ends, ended, False), (begins, begun, True)):
            at = times[(bits >> slot & 1).astype(bool)]
            slots.append(np.full(len(at), slot, np.int8))
            begin.append(np.full(len(at), is_begin))
            ts.append(at)
    when = np.concatenate(ts)
    which = np.concatenate(begin)
    order = np.argsort(when << 1 | which, kind="stable")
    return np.concatenate(slots)[order], which[order], when[order]
