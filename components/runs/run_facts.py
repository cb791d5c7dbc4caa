"""Short facts that distinguish runs of the same name: date, commit, branch, tile, grid and file."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from components.numbers import shorten, tame

_COMMIT_CHARACTERS = 7
"""Characters of a commit that are shown."""
_MAX_CHARACTERS = 48
"""Characters of a fact at most."""


def origin_facts(run: Mapping[str, object]) -> list[str]:
    """List date (UTC, to the minute), commit (7 characters) and branch of a row of frame `run`;
    unknown facts are left out.
    """
    date = str(_value_or_empty(run, "taken_at") or _value_or_empty(run, "created_at"))[:16].replace(
        "T", " "
    )
    commit, branch = (
        shorten(tame(str(_value_or_empty(run, name))), _MAX_CHARACTERS)
        for name in ("commit", "branch")
    )
    return [text for text in (date, commit[:_COMMIT_CHARACTERS], branch) if text]


def shape_facts(run: Mapping[str, object]) -> list[str]:
    """List tile (`32×64×32`) and grid (`4×4 cores`) of a row of frame `run`; unknown facts are left
    out.
    """
    tile, grid = (
        [_value_or_empty(run, name) for name in names]
        for names in (("m", "k", "n"), ("rows", "cols"))
    )
    tiles = [] if "" in tile else ["×".join(map(str, tile))]
    return [*tiles, *([] if "" in grid else [f"{grid[0]}×{grid[1]} cores"])]


def file_fact(run: Mapping[str, object]) -> str:
    """Return the name of the file that a run was read from, with its middle cut beyond 48
    characters; "" if it is unknown.
    """
    return shorten(tame(str(_value_or_empty(run, "file"))), _MAX_CHARACTERS)


def _value_or_empty(run: Mapping[str, object], name: str) -> object:
    """Return the value of column `name` of the row, "" if it is None, NA, NaN or not in the row."""
    value = run.get(name)
    return "" if value is None or value is pd.NA or value != value else value  # noqa: PLR0124 - NaN
