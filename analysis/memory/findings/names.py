"""Names of attempts, levels and blocks in findings."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.array_types import Ints

_MAX_NAMED = 6
"""Maximum number of attempts that are named."""
_MAX_NAME = 60
"""Maximum number of characters of a block's name."""


def attempt_label(attempts: pd.DataFrame, position: int) -> str:
    """Display name of the attempt at a row of frame `attempts`: its memory level if it has any,
    else `attempt 3`.
    """
    level = attempts["level"].iloc[position]
    return f"attempt {int(attempts['attempt'].iloc[position])}" if pd.isna(level) else str(level)


def places(attempts: pd.DataFrame, positions: Ints) -> str:
    """Join the names of the attempts at these rows with commas, without duplicates: the first 6,
    then `and 2 more`. "" without rows.
    """
    distinct = np.unique(positions)
    # Only the names that are shown are looked up: there may be thousands.
    names = [attempt_label(attempts, int(position)) for position in distinct[:_MAX_NAMED]]
    more = len(distinct) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def block_label(name: object) -> str:
    """Quote a block's name for a sentence, such as `conv1` in back quotes: in a single line, cut
    after 59 characters with an ellipsis if it has more than 60.
    """
    line = " ".join(str(name).split())
    return f"`{line[: _MAX_NAME - 1]}…`" if len(line) > _MAX_NAME else f"`{line}`"
