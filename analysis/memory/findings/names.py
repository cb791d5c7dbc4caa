"""How findings name attempts, levels and blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from schema.array_types import Ints

_MOST_NAMED = 6
_MOST_NAME = 60


def attempt_label(attempts: pd.DataFrame, position: int) -> str:
    """Return what people call the attempt at a position: its level, else `attempt 3`."""
    level = attempts["level"].iloc[position]
    return f"attempt {int(attempts['attempt'].iloc[position])}" if pd.isna(level) else str(level)


def places(attempts: pd.DataFrame, positions: Ints) -> str:
    """Return the names of the attempts at some positions, each once, shortened."""
    distinct = np.unique(positions)
    return first_names([attempt_label(attempts, int(position)) for position in distinct[:_MOST_NAMED]], len(distinct))


def first_names(names: Sequence[str], count: int) -> str:
    """Return the first names of `count`, and how many more there are."""
    more = count - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def block_label(name: object) -> str:
    """Return a block's name on one line, cut where it is long, in back quotes."""
    line = " ".join(str(name).split())
    return f"`{line[: _MOST_NAME - 1]}…`" if len(line) > _MOST_NAME else f"`{line}`"
