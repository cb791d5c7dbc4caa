"""Captions about a compiler's time."""

from __future__ import annotations

from pathlib import PurePosixPath

import pandas as pd

from analysis.program.compile_time import CompileTime, Ranges, ranges_by_name
from components.kernels.step_words import time_text
from components.numbers import count_text, percent, shorten

_MAX_NAME_CHARACTERS = 60


def compile_sentence(times: CompileTime) -> str:
    """Return the caption of a compile: the time of all matches, the step with most time of its own,
    and the busiest range.

    Times count once, also those of matches inside of other matches. If no match has a time, the
    caption gives the number of matches and contexts.
    """
    matches = int(times.steps["matches"].sum())
    if not times.elapsed:
        return f"{count_text(matches, 'match')} in {count_text(len(times.contexts), 'context')}, without times."
    first = shorten(str(times.own.index[0]), _MAX_NAME_CHARACTERS)
    share = percent(times.own.iloc[0] / times.elapsed)
    sentence = f"Matches took {time_text(times.elapsed)}, {share} of it in {first} itself."
    return f"{sentence} {ranges_sentence(times.ranges)}".strip()


def ranges_sentence(ranges: Ranges) -> str:
    """Write how long the compiler was busy, and the range with most time of its own, as a sentence.

    Returns "" if no range has a time.
    """
    named = ranges_by_name(ranges)
    if named.empty or not named["own"].sum():
        return ""
    # Own times, because the total of a range includes the ranges inside of it.
    most = named.loc[named["own"].idxmax()]
    whole = int(named["own"].sum())
    name = shorten(str(most["name"]), _MAX_NAME_CHARACTERS)
    own = f"{time_text(most['own'])} ({percent(most['own'] / whole)}) in {name} itself"
    return f"The compiler was busy for {time_text(whole)}, {own}."


def rule_place(file: str, line: object) -> str:
    """Format the place of a rule: `ops.py:12`, of an `__init__.py` with its folder; without a line
    if it is missing.

    "place not in the capture" if `file` is empty.
    """
    if not file:
        return "place not in the capture"
    path = PurePosixPath(file)
    # Every package has an `__init__.py`; its folder says which.
    whole = (
        f"{path.parent.name}/{path.name}"
        if path.name == "__init__.py" and path.parent.name
        else path.name
    )
    name = shorten(whole, _MAX_NAME_CHARACTERS)
    return name if pd.isna(line) else f"{name}:{line}"
