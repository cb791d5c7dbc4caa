"""What tells a run from others of its name: date, commit, branch, tile, grid and file, in a few words each."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from components.numbers import shorten, tame

_COMMIT = 7
_LONGEST = 48


def origin_facts(run: Mapping[str, object]) -> list[str]:
    """Return date (UTC), commit and branch of a row of frame `run`, without what is not known."""
    date = str(_value_or_empty(run, "taken_at") or _value_or_empty(run, "created_at"))[:16].replace("T", " ")
    commit, branch = (shorten(tame(str(_value_or_empty(run, name))), _LONGEST) for name in ("commit", "branch"))
    return [text for text in (date, commit[:_COMMIT], branch) if text]


def shape_facts(run: Mapping[str, object]) -> list[str]:
    """Return tile and grid of a row of frame `run`, without what is not known."""
    tile, grid = ([_value_or_empty(run, name) for name in names] for names in (("m", "k", "n"), ("rows", "cols")))
    tiles = [] if "" in tile else ["×".join(map(str, tile))]
    return [*tiles, *([] if "" in grid else [f"{grid[0]}×{grid[1]} cores"])]


def file_fact(run: Mapping[str, object]) -> str:
    """Return the name of the file that a run was read from."""
    return shorten(tame(str(_value_or_empty(run, "file"))), _LONGEST)


def _value_or_empty(run: Mapping[str, object], name: str) -> object:
    """Return a value, "" where it is missing."""
    value = run.get(name)
    return "" if value is None or value is pd.NA or value != value else value  # noqa: PLR0124 - NaN
