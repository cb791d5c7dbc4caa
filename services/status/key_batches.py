"""Split likenesses (hashes of keys) into batches, so that the memory for their runs is bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

MAX_RUNS, MAX_LIKENESSES = 5_000, 500
"""Maximum numbers of runs and likenesses of a batch; a likeness with more runs is a batch."""


def split_likenesses(counts: Mapping[str, int]) -> Iterator[list[str]]:
    """Split likenesses, mapped to the numbers of runs to read, into batches in their order."""
    batch: list[str] = []
    total = 0
    for likeness, count in counts.items():
        if batch and (total + count > MAX_RUNS or len(batch) == MAX_LIKENESSES):
            yield batch
            batch = []
            total = 0
        batch.append(likeness)
        total += count
    if batch:
        yield batch
