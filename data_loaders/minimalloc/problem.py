"""Compute the tag that identifies a MiniMalloc problem by lifetimes, sizes, alignments and gaps."""

from __future__ import annotations

from hashlib import sha256

import pandas as pd

from schema.likeness import PROBLEM_TAG

TAG = PROBLEM_TAG
"""Prefix of the tag of a problem."""
_ROWS = ("start", "end", "size", "alignment", "gaps")
_DIGITS = 12


def problem_tag(frame: pd.DataFrame) -> str:
    """Compute the tag that a problem and its solutions share: PROBLEM_TAG and 12 hexadecimal digits
    of the rows' sha256.

    The hash ignores the order of the rows, names, offsets, hints and the capacity.
    """
    columns = [frame[name].astype("str").fillna("") for name in _ROWS if name in frame]
    # Sorted, since the order of the rows is not part of the problem.
    rows = sorted(" ".join(row) for row in zip(*columns, strict=True))
    return TAG + sha256("\n".join(rows).encode()).hexdigest()[:_DIGITS]
