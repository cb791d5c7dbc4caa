"""Random problems of placement, a check of placements, and the least extent by exhaustive search.

All of it follows the text of the schema, byte by byte and step by step, and shares no code with the
allocators.
"""

from functools import cache

from hypothesis import strategies as st

from analysis.allocators.problem import build_problem
from tests.support.memory import amap, block

LENGTH = 6


def alive_at(row, step):
    if row["hold"]:
        return True
    if row["plan"] == "inner":
        return step == row["start"]
    if row["wraps"]:
        return step >= row["start"] or step < row["end"]
    return row["start"] <= step < row["end"]


def bytes_at(row, step):
    """Return the set of offsets of a block's bytes that are in use at a step, by the text of the
    schema.
    """
    if not alive_at(row, step):
        return set()
    for gap in row["gaps"].split():
        span, _, window = gap.partition("@")
        begin, end = map(int, span.split("-"))
        if begin <= step < end:
            low, high = map(int, window.split(":")) if window else (0, 0)
            return set(range(min(low, row["size"]), min(high, row["size"])))
    return set(range(row["size"]))


def root(rows, rank):
    """Return the rank of the block whose storage block `rank` uses, itself without an alias."""
    while rows[rank].get("alias_of") is not None:
        rank = rows[rank]["alias_of"]
    return rank


def in_storage(rows, rank, step):
    """Return the set of offsets in a block's storage that it keeps in use at a step; an alias keeps
    at least the whole storage.
    """
    whole = max(rows[rank]["size"], rows[root(rows, rank)]["size"])
    return bytes_at(
        rows[rank] | {"size": whole} if rows[rank]["alias_of"] is not None else rows[rank], step
    )


@st.composite
def lifetimes(draw):
    begin = draw(st.integers(0, LENGTH - 1))
    end = draw(st.integers(begin + 1, LENGTH))
    kind = draw(st.sampled_from(["plain", "plain", "gaps", "wraps", "hold", "inner"]))
    life = {"start": begin, "end": end, "plan": None}
    if kind == "wraps":
        return life | {
            "start": max(begin, 1),
            "end": draw(st.integers(0, max(begin, 1) - 1)),
            "wraps": True,
        }
    if kind == "gaps" and end - begin >= 3:
        window, then = (draw(st.sampled_from(["", "@0:2", "@3:9"])) for _ in range(2))
        middle = draw(st.integers(begin + 2, end - 1))
        more = f" {middle}-{end - 1}{then}" if middle < end - 1 else ""
        return life | {"gaps": f"{begin + draw(st.integers(0, 1))}-{middle}{window}{more}"}
    return life | ({kind: True} if kind == "hold" else {"plan": "inner"} if kind == "inner" else {})


@st.composite
def problems(draw, blocks=9, most=12):
    """Draw the rows of blocks; an alias shares an earlier block of the same plan that has no gaps."""
    rows = []
    for rank, life in enumerate(draw(st.lists(lifetimes(), min_size=1, max_size=blocks))):
        row = {
            "size": draw(st.integers(0, most)),
            "alignment": draw(st.sampled_from([None, 1, 2, 4, 8])),
            **life,
        }
        row |= {"alias_of": None, "gaps": row.get("gaps", ""), "plan": row["plan"]}
        hosts = [
            r for r in range(rank) if not rows[r]["gaps"] and rows[r]["plan"] == row["plan"] is None
        ]
        if hosts and not row["gaps"] and draw(st.booleans()):
            row |= {"alias_of": draw(st.sampled_from(hosts)), "status": "shared"}
        rows.append(block(f"b{rank}", **row))
    return rows


def problem(rows, fixed=None, **columns):
    """Build the problem of rows of blocks; `fixed` maps blocks to required addresses."""
    return build_problem(amap(rows, **columns), fixed)


def placed(posed, answer):
    """Map every block number to its address in a placement."""
    where = answer.address[posed.demand.of].tolist()
    return dict(zip(posed.block.tolist(), where, strict=True))


def faults(rows, where, fixed=None, length=LENGTH):
    """Return (list of faults, end of the highest byte in use) of a placement; `where` maps each
    block to its address.
    """
    found, owners, highest = [], {}, 0
    found += [
        f"{rank} lies at {where[rank]}"
        for rank, address in (fixed or {}).items()
        if where[rank] != address
    ]
    for rank, row in enumerate(rows):
        at, own = where[rank], root(rows, rank)
        found += [f"{rank} is not with its storage"] if at != where[own] else []
        found += [f"{rank} is not aligned"] if at % (row["alignment"] or 1) else []
        found += [f"{rank} lies at {at}"] if at < 0 else []
        for step in range(length):
            for offset in in_storage(rows, rank, step):
                highest = max(highest, at + offset + 1)
                if owners.setdefault((step, at + offset), own) != own:
                    found.append(f"{rank} meets {owners[step, at + offset]} at step {step}")
    return found, highest


def least_extent(rows, fixed=None):
    """Compute the least extent of any placement by trying all addresses; `fixed` blocks have only
    their required address.
    """
    used = _bits(rows)
    given = {root(rows, rank): address for rank, address in (fixed or {}).items()}
    start = [0] * LENGTH
    for own, address in given.items():
        start = [
            taken | bits << address
            for taken, bits in zip(start, used.pop(own, [0] * LENGTH), strict=True)
        ]
    free = sorted(
        ((_alignment(rows, own), tuple(bits)) for own, bits in used.items()),
        key=lambda one: -max(one[1]),
    )
    extent = max(taken.bit_length() for taken in start)
    while not _fits(tuple(free), tuple(start), extent):
        extent += 1
    return extent


def _bits(rows):
    """Map the root of each storage that is ever in use to its used bytes at each step, as bits of a
    number.
    """
    used = {}
    for rank in range(len(rows)):
        bits = used.setdefault(root(rows, rank), [0] * LENGTH)
        for step in range(LENGTH):
            bits[step] |= sum(1 << offset for offset in in_storage(rows, rank, step))
    return {own: bits for own, bits in used.items() if any(bits)}


def _alignment(rows, own):
    return max(row["alignment"] or 1 for rank, row in enumerate(rows) if root(rows, rank) == own)


@cache
def _fits(free, taken, extent):
    """Whether storages (alignment, bits per step) can be placed below `extent` around the bits
    `taken` per step.
    """
    if not free:
        return True
    (alignment, bits), *rest = free
    for address in range(0, extent - max(bits).bit_length() + 1, alignment):
        moved = [one << address for one in bits]
        if not any(one & other for one, other in zip(moved, taken, strict=True)):
            both = tuple(one | other for one, other in zip(moved, taken, strict=True))
            if _fits(tuple(rest), both, extent):
                return True
    return False
