"""Steps of a profile whose markers have an end, and which of them count."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pandas as pd

from schema.array_types import Ints
from schema.torch_profiler import ANNOTATION

_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_MAX_DIGITS = 18
"""Maximum digits of a number that fits int64."""


def marked_steps(spans: pd.DataFrame, work_starts: Ints) -> pd.DataFrame:
    """Compute the steps of markers: name, start, end, duration, counted, left_out; by start.

    `spans` has name, start and end of each marker; of several with one name the first counts. A
    step lasts until the next marker if that has the next number and is no tail, else to its own
    end. `work_starts` are the moments that count as work: launches, or begins of operators. A step
    is `left_out` as "tail" (the last, with less than half of the median work) or as "warm_up" (the
    first, longer than all counted steps and than twice their median); else "".
    """
    first = spans.sort_values("start", kind="stable").drop_duplicates("name", ignore_index=True)
    names = first["name"].astype("str").tolist()
    start = first["start"].to_numpy(np.int64)
    own_end = first["end"].to_numpy(np.int64)
    numbers = [_last_number(name) for name in names]
    following = np.append(start[1:], own_end[-1:])
    is_next = [before is not None and after == before + 1 for before, after in pairwise(numbers)]
    ends = np.where(np.append(np.array(is_next, np.bool_), False)[: len(start)], following, own_end)
    work = _counts(work_starts, start, ends)
    has_tail = len(work) > 1 and 2 * work[-1] < lower_median(work[:-1])
    if has_tail:
        ends[-2] = own_end[-2]
    duration = ends - start
    left_out = [""] * len(names)
    if has_tail:
        left_out[-1] = "tail"
    others = duration[1 : len(names) - has_tail]
    if len(others) > 1 and duration[0] > max(others.max(), 2 * lower_median(others)):
        left_out[0] = "warm_up"
    return pd.DataFrame(
        {
            "name": names,
            "start": start,
            "end": ends,
            "duration": duration,
            "counted": [not reason for reason in left_out],
            "left_out": left_out,
        }
    )


def lower_median_duration(counted: Ints) -> float | None:
    """Return the lower median of durations of counted steps; None for two, of which none is typical.

    Of an odd number it is the median, so that it is the duration of a step that exists. None
    without steps.
    """
    return None if len(counted) in (0, 2) else float(lower_median(counted))


def annotated_spans(events: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """List name, start and end of the annotations whose names begin with a text."""
    names = events["name"].cat.categories
    if "category" not in events.columns:
        return events.head(0)[["name", "start", "end"]]
    wanted = np.array([str(name).startswith(prefix) for name in names], np.bool_)
    is_marker = (
        wanted[events["name"].cat.codes.to_numpy()] if len(wanted) else np.zeros(0, np.bool_)
    )
    is_annotation = (events["category"] == ANNOTATION).to_numpy(np.bool_)
    return events.loc[is_marker & is_annotation, ["name", "start", "end"]]


def lower_median(values: Ints) -> int:
    """Return the median, of an even number of values the lower of the two in the middle."""
    return int(np.sort(values)[(len(values) - 1) // 2])


def _counts(moments: Ints, start: Ints, end: Ints) -> Ints:
    """Count the moments in each window [start, end)."""
    ordered = np.sort(moments)
    return np.searchsorted(ordered, end) - np.searchsorted(ordered, start)


def _last_number(name: str) -> int | None:
    numbers = _NUMBER.findall(name)
    return int(numbers[-1]) if numbers and len(numbers[-1]) <= _MAX_DIGITS else None
