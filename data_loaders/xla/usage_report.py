"""Parser of XLA's memory usage report: the bytes that the compiler counts."""

from __future__ import annotations

import re

from data_loaders.xla.assignment import stated_bytes

_SPACE = "Memory Space: "
_TOTAL = re.compile(r"^Total bytes(?: used)?:", re.MULTILINE)


def is_usage_report(head: str) -> bool:
    """Whether a text begins as a memory usage report does; reports of older releases begin with
    their total and list allocations by size.
    """
    begin = head[:200].lstrip()
    return begin.startswith((_SPACE, "Total bytes:")) or (
        begin.startswith("Total bytes used:") and "\nAllocations sorted by size" in head[:1000]
    )


def reported_total(text: str) -> int | None:
    """Sum the totals of all memory spaces, in bytes; None if any of them is not a number of bytes."""
    totals = [
        stated_bytes(text[match.end() : match.end() + 100]) for match in _TOTAL.finditer(text)
    ]
    known = [total for total in totals if total is not None]
    return sum(known) if known and len(known) == len(totals) else None
