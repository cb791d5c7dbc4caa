"""When a profile's buffer is in use, and how long it only occupies memory."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class UseSpan:
    """Span from the begin of a buffer's first use to the end of its last use, in ns.

    `idle_before` and `idle_after` are the ns of its life before and after the span.
    """

    first: int
    last: int
    idle_before: int
    idle_after: int


def untimed_launches(launches: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `launches` of a block that have no execution in `kernels`, the result of
    `kernels_of_block`.
    """
    return launches[~launches["kernel"].isin(kernels["launch"])]


def use_span(
    life: tuple[int, int], kernels: pd.DataFrame, launches: pd.DataFrame
) -> UseSpan | None:
    """Compute the span in which a buffer alive in [begin, end) (ns) is in use; `None` if it is
    never used.

    `kernels` and `launches` are the results of `kernels_of_block` and `launches_of_block`. A launch
    without a timed kernel counts as a moment. Times outside the buffer's life are moved to its
    border, because a launch is recorded before its kernel allocates.
    """
    moments = untimed_launches(launches, kernels)["start"]
    begins = pd.concat([kernels["start"], moments]).astype("int64")
    ends = pd.concat([kernels["end"], moments]).astype("int64")
    if not len(begins):
        return None
    first, last = (min(max(int(at), life[0]), life[1]) for at in (begins.min(), ends.max()))
    return UseSpan(first, last, first - life[0], life[1] - last)
