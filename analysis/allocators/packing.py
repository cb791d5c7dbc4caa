"""Built-in allocators for comparison: they place every block of an attempt again, without regard to
the capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis.allocators.demand import Demand, demand
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.attempts import whole, with_numbers
from analysis.memory.index import made_map
from schema.array_types import Ints
from schema.frames import complete
from schema.memory import MAX_BYTES

MAX_PARTS = 1 << 16
"""Maximum number of parts of lifetimes to pack: the time grows with their square, to about ten
seconds at this number.
"""

Choice = Callable[[Ints], int]
"""Function that receives the spare bytes of each gap (negative if the gap is too small) and returns
the index of the gap to use.
"""


def pack_map(amap: AttemptMap, name: str) -> AttemptMap:
    """Return a new map with all blocks except constants placed by an allocator of PACKERS; failed
    blocks too, and aliases stay aliases.

    Extent, live peak, waste, utilisation and fragmentation are computed for the new addresses.
    `bound` stays, since the problem is the same. An output that took over its operand's bytes gets
    bytes of its own. Raises KeyError for an unknown name, ValueError (one sentence) for more than
    MAX_PARTS (65,536) parts of lifetimes, or for sizes that add up to more than MAX_BYTES (2^62).
    """
    return _with_numbers(amap, place_blocks(amap, name), name)


def laid_out(amap: AttemptMap, address: Ints, name: str) -> AttemptMap:
    """Return a new map with the storages at new addresses, placed by the strategy `name`; numbers
    are computed as in `pack_map`.

    `address` is a placement of the problem that `build_problem` builds from the map, an address in
    bytes per storage. It is not checked: raises IndexError if it has too few entries.
    """
    return _with_numbers(amap, _move_blocks(amap.blocks, demand(amap), address), name)


def place_blocks(amap: AttemptMap, name: str) -> pd.DataFrame:
    """Return frame `allocations` of a map with new addresses by an allocator of PACKERS; rows and
    order stay. Raises KeyError for an unknown name, ValueError for more than MAX_PARTS (65,536)
    parts of lifetimes or MAX_BYTES (2^62).
    """
    wanted = _demand(amap)
    return _move_blocks(amap.blocks, wanted, PACKERS[name](wanted))


def needs(amap: AttemptMap) -> dict[str, int]:
    """Map each allocator of PACKERS to the end of the highest byte in use (bytes) if it places the
    map; 0 without blocks. Raises ValueError for more than MAX_PARTS (65,536) parts of lifetimes or
    MAX_BYTES (2^62).
    """
    wanted = _demand(amap)
    size = amap.blocks["size"].to_numpy(np.int64)[wanted.arena]
    return {
        name: int((place(wanted)[wanted.of] + size).max(initial=0))
        for name, place in PACKERS.items()
    }


def best_fit(wanted: Demand) -> Ints:
    """Compute an address in bytes per storage: the largest storage first (of equal sizes the
    earliest), each into the tightest gap that holds it.

    Of equal gaps the lowest is used; if no gap is large enough, the storage is placed on top of all
    that overlap it in time. TFLite's arena planner by size works this way.
    """
    return _addresses(wanted, np.lexsort((wanted.first, -wanted.size)), _tightest)


def first_fit(wanted: Demand) -> Ints:
    """Compute an address in bytes per storage: the earliest storage first (of equal starts the
    largest), each into the lowest gap that holds it. A wrapped lifetime counts as alive from step
    0.
    """
    return _addresses(wanted, np.lexsort((-wanted.size, wanted.first)), _lowest)


def place_in_order(wanted: Demand, order: Ints) -> Ints:
    """Compute an address in bytes per storage: storages in this order, each as low as possible.

    In the order of the addresses of a placement, no storage gets a higher address than it had.
    """
    return _addresses(wanted, order, _lowest)


PACKERS: Mapping[str, Callable[[Demand], Ints]] = MappingProxyType(
    {"best_fit": best_fit, "first_fit": first_fit}
)
"""Name -> allocator: a function from a demand to the address of each storage."""


def _demand(amap: AttemptMap) -> Demand:
    """Build the demand of a map; raises ValueError if it has more than MAX_PARTS (65,536) parts of
    lifetimes, or sizes and alignments above MAX_BYTES (2^62) in total.
    """
    wanted = demand(amap)
    if len(wanted.storage) > MAX_PARTS:
        raise ValueError(
            f"{amap.label} cannot be packed: it has {len(wanted.storage)} lifetimes, the limit is {MAX_PARTS}"
        )
    if (
        float(wanted.size.sum(dtype=np.float64)) + float(wanted.alignment.sum(dtype=np.float64))
        > MAX_BYTES
    ):
        raise ValueError(
            f"{amap.label} cannot be packed: its sizes and alignments may need more than 2^62 bytes"
        )
    return wanted


def _tightest(spare: Ints) -> int:
    return int(np.where(spare < 0, np.iinfo(np.int64).max, spare).argmin())


def _lowest(spare: Ints) -> int:
    return int((spare >= 0).argmax())


def _addresses(wanted: Demand, order: Ints, choose: Choice) -> Ints:
    """Compute an address in bytes per storage by placing storages in the given order, each into the
    gap that `choose` selects.
    """
    address = np.zeros(len(wanted), dtype=np.int64)
    placed = _Placed(len(wanted.storage))
    bounds = wanted.bounds
    for storage in order.tolist():
        parts = slice(bounds[storage], bounds[storage + 1])
        own = np.stack(
            [wanted.start[parts], wanted.end[parts], wanted.bottom[parts], wanted.top[parts]]
        )
        own = own[:, own[3] > own[2]]
        address[storage] = _spot(
            *placed.forbidden_ranges(own), int(wanted.alignment[storage]), choose
        )
        placed.add(own, int(address[storage]))
    return address


def _spot(left: Ints, right: Ints, alignment: int, choose: Choice) -> int:
    """Choose an aligned address outside the open ranges (left, right), which are sorted by `left`:
    in the gap that `choose` selects, or above all ranges if that gap is too small.
    """
    ends = np.maximum.accumulate(np.append(0, right))
    ends = -(-ends // alignment) * alignment if alignment > 1 else ends
    spare = left - ends[:-1]
    chosen = choose(spare) if len(spare) else 0
    return int(ends[chosen] if len(spare) and spare[chosen] >= 0 else ends[-1])


class _Placed:
    """Parts placed so far, sorted by address: an int64 array with the rows start,
    end, low, high.
    """

    def __init__(self, parts: int) -> None:
        self._room = np.zeros((4, parts), dtype=np.int64)
        self._used = 0

    def forbidden_ranges(self, own: Ints) -> tuple[Ints, Ints]:
        """Compute the open address ranges in which a storage with parts `own` cannot begin, since
        its parts would overlap parts placed so far.

        Two int64 arrays, left and right ends (bytes), sorted by left end; `own` has the rows start,
        end, bottom and top.
        """
        start, end, low, high = self._room[:, : self._used]
        lefts = [low[:0]]
        rights = [high[:0]]
        for first, last, bottom, top in own.T.tolist():
            met = np.flatnonzero((start < last) & (end > first))
            lefts.append(low[met] - top)
            rights.append(high[met] - bottom)
        if len(lefts) <= 2:
            return lefts[-1], rights[-1]
        left = np.concatenate(lefts)
        right = np.concatenate(rights)
        order = np.argsort(left, kind="stable")
        return left[order], right[order]

    def add(self, own: Ints, address: int) -> None:
        """Insert the parts of a storage at an address (bytes) into the parts placed so far; `own`
        has the rows start, end, bottom and top.
        """
        for first, last, bottom, top in own.T.tolist():
            spot = int(np.searchsorted(self._room[2, : self._used], address + bottom))
            self._room[:, spot + 1 : self._used + 1] = self._room[:, spot : self._used]
            self._room[:, spot] = first, last, address + bottom, address + top
            self._used += 1


def _move_blocks(blocks: pd.DataFrame, wanted: Demand, address: Ints) -> pd.DataFrame:
    """Return a copy of frame `allocations` with new addresses (`address` has an address per
    storage); a block that owns a storage has status "placed", its aliases "shared". Constants keep
    their address and status.
    """
    place = blocks["address"].to_numpy(np.int64, na_value=0, copy=True)
    nowhere = blocks["address"].isna().to_numpy(bool, copy=True)
    place[wanted.arena] = address[wanted.of]
    nowhere[wanted.arena] = False
    status = blocks["status"].astype("object").to_numpy(copy=True)
    status[wanted.arena] = "shared"
    status[wanted.row] = "placed"
    return blocks.assign(
        address=whole(place, nowhere),
        status=pd.Series(status, index=blocks.index, dtype="category"),
    )


def _with_numbers(amap: AttemptMap, blocks: pd.DataFrame, name: str) -> AttemptMap:
    """Build the map of these blocks with the numbers of its new addresses, as `solved` by strategy
    `name`; bytes and failures that the tool reported for the attempt are cleared.
    """
    new_values = {
        "outcome": "solved",
        "strategy": name,
        "reported_bytes": None,
        "reported_failed": None,
    }
    columns = {key: [value] for key, value in (dict(amap.attempt) | new_values).items()}
    row = with_numbers(complete("attempts", columns), blocks)
    bound = whole(np.array([amap.whole("bound") or 0]), amap.whole("bound") is None)
    row = row.assign(bound=bound, waste=row["extent"] - bound)
    return made_map(row, blocks, amap.steps, amap.uses, amap.facts)
