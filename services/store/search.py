"""Parser of the filters of the list of runs as text: sizes of tiles and grids, and dates from and
to.
"""

from __future__ import annotations

import re
from datetime import UTC

from schema.moments import parse_since
from storage.run_query import CaptureFilter, RunFilter, search_words

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SIZES = re.compile(r"[0-9]{1,10}")


class SearchError(ValueError):
    """A filter cannot be parsed; the message is a sentence for the user."""


def bound_date(name: str, text: str) -> str:
    """Convert a time, or an age before now, to ISO 8601 in UTC; "" for "".

    If `name` is `until`, a day without a time means its last millisecond. Raises MomentError, which
    quotes `name`.
    """
    moment = parse_since(name, text.strip())
    if moment is None:
        return ""
    if name == "until" and _DAY.fullmatch(text.strip()):
        # dates of captures have milliseconds
        moment = moment.replace(hour=23, minute=59, second=59, microsecond=999_000)
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def run_filter(
    columns: dict[str, str],
    *,
    search: str = "",
    tile: str = "",
    grid: str = "",
    branch: str = "",
    commit: str = "",
    since: str = "",
    until: str = "",
) -> RunFilter:
    """Build the filter of the list of runs from search words, sizes such as 32x64x32 (`tile`) and
    4x4 (`grid`), and observations; "" does not filter. `columns` has values by facet.

    Raises SearchError if a size, and MomentError if a time is invalid.
    """
    facets = {name: (value,) for name, value in columns.items()}
    if tile:
        facets |= {name: (size,) for name, size in zip("mkn", _sizes("tile", tile, 3), strict=True)}
    if grid:
        facets["grid"] = ("x".join(_sizes("grid", grid, 2)),)
    branches = (branch,) if branch else ()
    capture = CaptureFilter(
        branches, commit, bound_date("since", since), bound_date("until", until)
    )
    return RunFilter(**facets, capture=capture, words=search_words(search))  # type: ignore[arg-type]


def _sizes(name: str, text: str, count: int) -> list[str]:
    """Parse `count` whole numbers that `x` or `×` separates, as texts without leading zeros.

    Raises SearchError, which names the field `name`, if there are more or fewer, or a part is not a
    number of at most ten digits.
    """
    parts = text.strip().lower().replace("×", "x").split("x")
    if len(parts) != count or not all(map(_SIZES.fullmatch, parts)):
        example = "32x64x32 (m x k x n)" if count == 3 else "4x4 (rows x columns)"
        raise SearchError(f"{name} {text[:60]}: expected sizes such as {example}")
    return [str(int(part)) for part in parts]
