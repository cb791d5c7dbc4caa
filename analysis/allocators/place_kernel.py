"""Inner loop of the simple allocators, compiled if numba is installed: gives the storages of a
queue their addresses.
"""

from __future__ import annotations

from typing import NamedTuple

from analysis.allocators.compiled import compile_cached, compile_inline
from analysis.allocators.problem import NOT_FIXED
from schema.array_types import Ints

LOWEST, TIGHTEST, ON_TOP = 0, 1, 2
"""Rules: into the lowest gap that holds the storage, into the tightest gap, or on top of all
storages that overlap it in time.
"""


class StorageLifetimes(NamedTuple):
    """Parts of the lifetimes of all storages, an entry per part; storage s has the parts
    [bounds[s], bounds[s + 1]).

    A part lasts [start, end) time steps and uses the bytes [bottom, top) of its storage.
    `alignment` (bytes) and `fixed` (the required address, NOT_FIXED if any address will do) have an
    entry per storage. All arrays are int64.
    """

    bounds: Ints
    start: Ints
    end: Ints
    bottom: Ints
    top: Ints
    alignment: Ints
    fixed: Ints


class Apart(NamedTuple):
    """Pairs of storages that should not share a memory bank, as int64 arrays with an entry per
    storage and partner; storage s has the entries [bounds[s], bounds[s + 1]).

    `other` is the partner. Only the first `own_bytes` of the storage and the first `other_bytes` of
    the partner are used together. Banks are `width` bytes wide. A storage is never moved above
    `limit` (bytes) for the sole purpose of avoiding a shared bank.
    """

    bounds: Ints
    other: Ints
    own_bytes: Ints
    other_bytes: Ints
    width: int
    limit: int


class Bench(NamedTuple):
    """Work arrays: the parts placed so far with their lowest addresses, sorted by address, and the
    ranges closed to the current storage.

    `address` has the address of each storage, NOT_FIXED until it is placed. The arrays hold a range
    per part and per entry of the pairs, and `spare` additional ranges.
    """

    address: Ints
    part: Ints
    begin: Ints
    low: Ints
    high: Ints
    spare: int


@compile_cached
def place(lives: StorageLifetimes, apart: Apart, bench: Bench, queue: Ints, rule: int) -> None:
    """Write an address (bytes) into `bench.address` for each storage of the queue, in order;
    `bench` must hold no placed storage before. Fixed storages get their required address without a
    check.
    """
    count = 0
    for at in range(len(queue)):
        storage = queue[at]
        first = lives.bounds[storage]
        last = lives.bounds[storage + 1]
        if lives.fixed[storage] != NOT_FIXED:
            place = lives.fixed[storage]
        else:
            met = _close_ranges(lives, bench, count, first, last)
            closed = _closed_banks(apart, bench, met, storage)
            place = _spot(bench, closed, lives.alignment[storage], rule)
            # The banks could only be avoided above the limit: share the fewest banks within it
            # instead.
            if closed > met and place + _reach(lives, storage) > apart.limit:
                met = _close_ranges(lives, bench, count, first, last)
                place = _least_shared(lives, apart, bench, met, storage)
        bench.address[storage] = place
        for own in range(first, last):
            # Insert sorted by address. Compiled code may not allocate arrays, so there is no
            # library sort.
            begin = place + lives.bottom[own]
            spot = count
            while spot > 0 and bench.begin[spot - 1] > begin:
                bench.begin[spot] = bench.begin[spot - 1]
                bench.part[spot] = bench.part[spot - 1]
                spot -= 1
            bench.begin[spot], bench.part[spot] = begin, own
            count += 1


@compile_inline
def _reach(lives: StorageLifetimes, storage: int) -> int:
    """Compute the highest offset that a storage uses, in bytes from its begin; 0 if it uses no
    byte.
    """
    reach = 0
    for own in range(lives.bounds[storage], lives.bounds[storage + 1]):
        reach = max(reach, lives.top[own])
    return reach


@compile_inline
def _close_ranges(lives: StorageLifetimes, bench: Bench, count: int, first: int, last: int) -> int:
    """Write the open ranges in which a storage with parts [first, last) cannot begin into `bench`,
    sorted by low end; return their number.

    The first `count` parts of `bench` are placed. The windows of a storage may leave free addresses
    between the ranges of a part. If there is no space to store these separately, they are merged,
    which closes more addresses than necessary.
    """
    met = 0
    spare = bench.spare
    for at in range(count):
        other = bench.part[at]
        start = lives.start[other]
        end = lives.end[other]
        low = 0
        high = 0
        for own in range(first, last):
            if start < lives.end[own] and end > lives.start[own]:
                left = bench.begin[at] - lives.top[own]
                right = bench.begin[at] + lives.top[other] - lives.bottom[other] - lives.bottom[own]
                if low == high:
                    low, high = left, right
                elif spare == 0 or (left < high and right > low):
                    low = min(low, left)
                    high = max(high, right)
                else:
                    _close(bench, met, low, high)
                    met = met + 1
                    spare = spare - 1
                    low, high = left, right
        if low != high:
            _close(bench, met, low, high)
            met += 1
    return met


@compile_inline
def _closed_banks(apart: Apart, bench: Bench, met: int, storage: int) -> int:
    """Add the ranges in which a storage would share a bank with a placed partner to the `met`
    ranges of `bench`; return the number of all ranges then.
    """
    for entry in range(apart.bounds[storage], apart.bounds[storage + 1]):
        begin = bench.address[apart.other[entry]]
        if begin != NOT_FIXED:
            low = begin // apart.width * apart.width - apart.own_bytes[entry]
            _close(bench, met, low, _end_of_bank(apart, begin + apart.other_bytes[entry]))
            met += 1
    return met


@compile_inline
def _close(bench: Bench, met: int, low: int, high: int) -> None:
    """Insert the range [low, high] into the list of `met` ranges in `bench`, which is sorted by low
    end.
    """
    spot = met
    while spot > 0 and bench.low[spot - 1] > low:
        bench.low[spot] = bench.low[spot - 1]
        bench.high[spot] = bench.high[spot - 1]
        spot -= 1
    bench.low[spot], bench.high[spot] = low, high


@compile_inline
def _least_shared(
    lives: StorageLifetimes, apart: Apart, bench: Bench, met: int, storage: int
) -> int:
    """Find the free, aligned address that exceeds the limit least, then shares the fewest banks
    with partners, then is lowest. The first `met` ranges of `bench` are closed.
    """
    alignment = lives.alignment[storage]
    begin = apart.bounds[storage]
    reach = _reach(lives, storage)
    best = -1
    least_over = 0
    fewest = 0
    # No place can be better than the lowest place above some range.
    for at in range(-1, met + apart.bounds[storage + 1] - begin):
        place = 0
        if 0 <= at < met:
            place = -(-bench.high[at] // alignment) * alignment
        elif at >= met:
            other = bench.address[apart.other[begin + at - met]]
            if other == NOT_FIXED:
                continue
            place = _end_of_bank(apart, other + apart.other_bytes[begin + at - met])
            place = -(-place // alignment) * alignment
        free = True
        for rank in range(met):
            free = free and (place <= bench.low[rank] or place >= bench.high[rank])
        if not free:
            continue
        over = max(place + reach - apart.limit, 0)
        shared = _count_shared_banks(apart, bench, storage, place)
        better = best < 0 or over < least_over
        if not better and over == least_over:
            better = shared < fewest or (shared == fewest and place < best)
        if better:
            best, least_over, fewest = place, over, shared
    return best


@compile_inline
def _count_shared_banks(apart: Apart, bench: Bench, storage: int, place: int) -> int:
    """Count the banks that a storage would share with its placed partners at address `place`,
    summed over partners.
    """
    shared = 0
    for entry in range(apart.bounds[storage], apart.bounds[storage + 1]):
        begin = bench.address[apart.other[entry]]
        if begin != NOT_FIXED:
            end = min(begin + apart.other_bytes[entry], place + apart.own_bytes[entry])
            shared += max((end - 1) // apart.width - max(begin, place) // apart.width + 1, 0)
    return shared


@compile_inline
def _end_of_bank(apart: Apart, end: int) -> int:
    """Round the end of a byte range up to the end of its last bank: to a multiple of the bank's
    width in bytes.
    """
    return -(-end // apart.width) * apart.width


@compile_inline
def _spot(bench: Bench, met: int, alignment: int, rule: int) -> int:
    """Choose an aligned address outside the first `met` closed ranges by the rule; above all ranges
    if no gap holds the storage, or if the rule is ON_TOP.
    """
    end = 0
    best = -1
    least = 0
    for at in range(met):
        spare = bench.low[at] - end
        if spare >= 0 and rule != ON_TOP:
            if rule == LOWEST:
                return end
            if best < 0 or spare < least:
                best, least = end, spare
        if bench.high[at] > end:
            end = -(-bench.high[at] // alignment) * alignment
    return end if best < 0 else best
