"""Sum the bytes of allocations by kind and memory space, and compare them with XLA's total."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from data_loaders.xla.assignment import Allocation
from schema.diagnostics import Diagnostic
from schema.frames import complete
from schema.memory import MAX_BYTES
from schema.plurals import plural

MAX_SPACES = 100
"""Maximum number of memory spaces; devices have less than ten."""
_KINDS = {
    "parameter": "parameter",
    "constant": "constant",
    "thread-local": "thread_local",
    "preallocated-temp": "preallocated_temp",
}
"""Kind of allocations -> kind in frame `allocation_totals`; all others are outputs."""


def totals_frame(allocations: Sequence[Allocation], stated: int | None) -> pd.DataFrame:
    """Build frame `allocation_totals`: a row per kind and memory space in the order of the file,
    then `stated`, the total in the file or the report beside it.
    """
    counts: Counter[tuple[str, int]] = Counter()
    sizes: Counter[tuple[str, int]] = Counter()
    for allocation in allocations:
        key = _KINDS.get(allocation.kind, "output"), allocation.color
        counts[key] += 1
        sizes[key] += allocation.size
    rows: list[tuple[object, ...]] = [
        (*key, counts[key], size, False) for key, size in sizes.items()
    ]
    if stated is not None:
        rows.append((None, None, None, stated, True))
    names = ("kind", "memory", "allocations", "bytes", "reported")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return complete("allocation_totals", columns)


def total_findings(allocations: Sequence[Allocation], stated: int | None) -> list[Diagnostic]:
    """Return a warning if the allocations do not sum to the total that XLA states."""
    total = sum(allocation.size for allocation in allocations)
    if stated is None or stated == total:
        return []
    text = (
        f"allocations sum to {plural(total, 'byte')}, but XLA counts {plural(stated, 'byte')} in all: "
        f"a difference of {plural(abs(total - stated), 'byte')}"
    )
    return [Diagnostic("warning", "total_differs", text)]


def outside_findings(allocations: Sequence[Allocation]) -> list[Diagnostic]:
    """Return an error if values end beyond their allocation."""
    outside = [
        (value.offset + value.size - allocation.size, value.name)
        for allocation in allocations
        for value in allocation.values
        if value.offset + value.size > allocation.size
    ]
    if not outside:
        return []
    excess, name = max(outside)
    text = (
        f"{plural(len(outside), 'value')} outside of the allocation: `{name}` ends "
        f"{plural(excess, 'byte')} beyond it, so that the peak is too high"
    )
    return [Diagnostic("error", "values_outside", text, "", len(outside))]


def check_limits(allocations: Sequence[Allocation]) -> None:
    """Check sizes and memory spaces. Raises ValueError if their number or sum is absurd."""
    if sum(allocation.size for allocation in allocations) >= MAX_BYTES:
        raise ValueError(f"the sizes of its allocations sum to more than {MAX_BYTES} bytes")
    spaces = len({allocation.color for allocation in allocations})
    if spaces > MAX_SPACES:
        raise ValueError(
            f"its allocations are in {spaces} memory spaces, at most {MAX_SPACES} are read"
        )
