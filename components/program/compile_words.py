"""Captions about a compiler's time."""

from __future__ import annotations

from pathlib import PurePosixPath

import pandas as pd

from analysis.program.compile_time import CompileTime, Ranges, ranges_by_name
from components.kernels.step_words import time_text
from components.numbers import count_text, shorten

_NAME = 60


def compile_sentence(found: CompileTime) -> str:
    """Write the caption of a compile: the time of all matches, the step with most of it, and the
    busiest range.

    If no match has a time, it gives the number of matches and contexts.
    """
    matches = int(found.steps["matches"].sum())
    if not found.total:
        return f"{count_text(matches, 'match')} in {count_text(len(found.contexts), 'context')}, without times."
    first = found.steps.iloc[0]
    share = f"{100 * first['duration'] / found.total:.0f} %"
    said = f"Matches took {time_text(found.total)}, {share} of it in {shorten(str(first['name']), _NAME)}."
    return f"{said} {ranges_sentence(found.ranges)}".strip()


def ranges_sentence(ranges: Ranges) -> str:
    """Write how long the compiler was busy, and the range with most time of its own.

    "" if no range has a time.
    """
    named = ranges_by_name(ranges)
    if named.empty or not named["own"].sum():
        return ""
    most, whole = named.loc[named["own"].idxmax()], int(named["own"].sum())
    own = f"{time_text(most['own'])} ({100 * most['own'] / whole:.0f} %) in {shorten(str(most['name']), _NAME)} itself"
    return f"The compiler was busy for {time_text(whole)}, {own}."


def rule_place(file: str, line: object) -> str:
    """Format the place of a rule: `ops.py:12`, of an `__init__.py` with its folder.

    A sentence if `file` is empty.
    """
    if not file:
        return "place not in the capture"
    path = PurePosixPath(file)
    whole = f"{path.parent.name}/{path.name}" if path.name == "__init__.py" and path.parent.name else path.name
    name = shorten(whole, _NAME)
    return name if pd.isna(line) else f"{name}:{line}"
