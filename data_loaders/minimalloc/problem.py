"""What makes two MiniMalloc files one problem: the same lifetimes, sizes, alignments and gaps, in any order."""

from __future__ import annotations

from hashlib import sha256

import pandas as pd

from schema.likeness import PROBLEM_TAG

TAG = PROBLEM_TAG
"""What the tag of a problem begins with."""
_ROWS = ("start", "end", "size", "alignment", "gaps")
_DIGITS = 12


def problem_tag(frame: pd.DataFrame) -> str:
    """Return the tag that a problem and all its solutions share: `problem-` and a hash of the rows.

    Names, offsets, hints and the capacity are no part of it.
    """
    columns = [frame[name].astype("str").fillna("") for name in _ROWS if name in frame]
    rows = sorted(" ".join(row) for row in zip(*columns, strict=True))
    return TAG + sha256("\n".join(rows).encode()).hexdigest()[:_DIGITS]
