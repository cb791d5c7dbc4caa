"""What is selected in the memory views of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MemorySelection:
    """The selected attempt and what is selected in it; None means nothing is.

    `against` is the attempt that is compared with. `block` is a block's rank in `attempt`. `span` (steps) and
    `addresses` (bytes) are the half-open ranges in view. `step` is the cursor.
    """

    attempt: int | None = None
    against: int | None = None
    block: int | None = None
    bank: int | None = None
    step: int | None = None
    span: tuple[int, int] | None = None
    addresses: tuple[int, int] | None = None
