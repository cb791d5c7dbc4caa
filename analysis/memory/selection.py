"""Selection in the memory views of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MemorySelection:
    """Selected attempt, and the selection inside it; a field is `None` if it is not selected.

    `against` is the attempt to compare with. `block` is the number of a block in `attempt`. `span`
    (steps) and `addresses` (bytes) are the half-open ranges in view. `step` is the cursor.
    """

    attempt: int | None = None
    against: int | None = None
    block: int | None = None
    bank: int | None = None
    step: int | None = None
    span: tuple[int, int] | None = None
    addresses: tuple[int, int] | None = None
