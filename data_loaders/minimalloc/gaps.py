"""Parse MiniMalloc's gaps, `a-b` and `a-b@low:high`: spans in which a buffer is not alive."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from schema.array_types import Bools, Ints

_GAP = r"^(?P<start>[0-9]{1,18})-(?P<end>[0-9]{1,18})(?P<window>@[0-9]{1,18}:[0-9]{1,18})?$"


def half_open_gaps(
    cells: pa.Array, start: Ints, end: Ints, inclusive: bool
) -> tuple[pd.Series, Bools]:
    """Convert the gaps of every row to text such as `3-5 7-9@0:64` of half-open spans, and return a
    mask of the rows with an invalid gap.

    `inclusive`: a span in the file includes its last step, as in files with a column `end`. `start`
    and `end` (exclusive) are the lifetimes. A gap is invalid if it is malformed, empty or outside
    the lifetime of its buffer. The text is "" for rows without gaps and rows with an invalid gap.
    """
    words = pc.split_pattern_regex(pc.ascii_trim_whitespace(cells), r"\s+")
    row = pc.list_parent_indices(words).to_numpy()
    spans = pc.list_flatten(words)
    filled = pc.not_equal(spans, "").to_numpy(zero_copy_only=False)
    row = row[filled]
    spans = spans.filter(pa.array(filled))
    low, high, window, valid = _parts(spans, inclusive)
    valid &= (low < high) & (start[row] <= low) & (high <= end[row])
    bad = np.zeros(len(cells), bool)
    bad[row[~valid]] = True
    return _join_spans(row, low, high, window, bad), bad


def _parts(spans: pa.Array, inclusive: bool) -> tuple[Ints, Ints, pa.Array, Bools]:
    """Parse spans into start, end (exclusive), window text (`@low:high` or ""), and a mask of the
    well-formed spans.

    All have an element per span; malformed spans have start and end of 0.
    """
    groups = pc.extract_regex(spans, _GAP)
    valid = groups.is_valid().to_numpy(zero_copy_only=False)
    low, high = (
        pc.fill_null(pc.struct_field(groups, part), "0").cast(pa.int64()).to_numpy().copy()
        for part in ("start", "end")
    )
    return low, high + inclusive, pc.fill_null(pc.struct_field(groups, "window"), ""), valid


def _join_spans(
    row: Ints,
    low: Ints,
    high: Ints,
    window: pa.Array,
    bad: Bools,
) -> pd.Series:
    """Join the spans of each row as `low-high` and window, with spaces between.

    "" for rows without spans or marked in `bad`.
    """
    text = pc.binary_join_element_wise(
        pa.array(low).cast(pa.string()), pa.array(high).cast(pa.string()), "-"
    )
    text = pc.binary_join_element_wise(text, window, "")
    good = ~bad[row]
    counts = np.bincount(row[good], minlength=len(bad))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    lists = pa.ListArray.from_arrays(pa.array(offsets), text.filter(pa.array(good)))
    return pc.binary_join(lists, " ").to_pandas().astype("str")
