"""Differences in settings and health between the runs of two sides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from schema.likeness import run_key
from schema.runs import RUN

_OWN = frozenset(
    {
        "run_id",
        "name",
        "file",
        "sha256",
        "created_at",
        "companions",
        "companions_sha256",
        "taken_at",
        "taken_from",
    }
)
"""Columns that identify a file, and do not describe how it was made."""

_OF_ATTEMPTS = ("strategy", "search_strategy")
"""Columns of frame `attempts` that are settings of the tool."""

Record = Mapping[str, object]


def setup(base: Sequence[Record], new: Sequence[Record]) -> list[dict[str, object]]:
    """List key, base and new of each setting that differs, as records in the order of frame `run`;
    [] if all are equal.

    Several values of a side are joined by commas; a missing value is `None`. The records of the
    sides are those of frame `run`, with `strategy` (of the allocator), `errors` and `warnings`
    added.
    """
    return [row for row in settings(base, new) if row["base"] != row["new"]]


def settings(base: Sequence[Record], new: Sequence[Record]) -> list[dict[str, object]]:
    """List key, base and new of each setting that either side has, as records, also if they are
    equal; values are as in `setup`.
    """
    keys = [
        *(column.name for column in RUN.columns if column.name not in _OWN),
        *_OF_ATTEMPTS,
        "errors",
        "warnings",
    ]
    rows = ({"key": key, "base": _values(base, key), "new": _values(new, key)} for key in keys)
    return [row for row in rows if (row["base"], row["new"]) != (None, None)]


def _values(side: Sequence[Record], key: str) -> object:
    # Several runs of a side may have different values.
    stored = (run_key(record)[key] if key == "tags" else record.get(key) for record in side)
    values = list(dict.fromkeys(map(_plain, stored)))
    if len(values) == 1:
        return values[0]
    return ", ".join(sorted("none" if value is None else str(value) for value in values))


def _plain(value: object) -> object:
    """Return the value, or `None` if it is missing ("", NaN or `None`)."""
    return (
        None
        if value is None or value == "" or (isinstance(value, float) and math.isnan(value))
        else value
    )
