"""When a buffer of a profile is in use, and for how long it only takes up room."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class UseSpan:
    """First and last use of a buffer, ns: `first` begins, `last` is when the last use ends.

    `idle_before` and `idle_after` are how long it was alive before and after.
    """

    first: int
    last: int
    idle_before: int
    idle_after: int


def untimed_launches(launches: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `profile.links.launches_of_block` of which no execution is among `kernels_of_block`."""
    return launches[~launches["kernel"].isin(kernels["launch"])]


def use_span(life: tuple[int, int], kernels: pd.DataFrame, launches: pd.DataFrame) -> UseSpan | None:
    """Return when a buffer alive in [begin, end) is in use; None where nobody uses it.

    `kernels` and `launches` are those of `profile.links.kernels_of_block` and `launches_of_block`. A launch whose
    kernel was not timed is a moment; what lies outside of the buffer's life (a launch is made before its kernel
    allocates) counts as its border.
    """
    moments = untimed_launches(launches, kernels)["start"]
    begins = pd.concat([kernels["start"], moments]).astype("int64")
    ends = pd.concat([kernels["end"], moments]).astype("int64")
    if not len(begins):
        return None
    first, last = (min(max(int(at), life[0]), life[1]) for at in (begins.min(), ends.max()))
    return UseSpan(first, last, first - life[0], life[1] - last)
