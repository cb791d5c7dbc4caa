"""A compiler's time in words."""

from __future__ import annotations

from pathlib import PurePosixPath

import pandas as pd

from analysis.program.compile_time import CompileTime, Ranges, ranges_by_name
from components.kernels.step_words import time_text
from components.numbers import count_text, shorten

_NAME = 60


def compile_sentence(found: CompileTime) -> str:
    """Say what all matches took and which step most of it, and where the compiler really was."""
    matches = int(found.steps["matches"].sum())
    if not found.total:
        return f"{count_text(matches, 'match')} in {count_text(len(found.contexts), 'context')}, without times."
    first = found.steps.iloc[0]
    share = f"{100 * first['duration'] / found.total:.0f} %"
    said = f"Matches took {time_text(found.total)}, {share} of it in {shorten(str(first['name']), _NAME)}."
    return f"{said} {ranges_sentence(found.ranges)}".strip()


def ranges_sentence(ranges: Ranges) -> str:
    """Say how long the compiler was busy, and in what itself; empty where that is not known."""
    named = ranges_by_name(ranges)
    if named.empty or not named["own"].sum():
        return ""
    most, whole = named.loc[named["own"].idxmax()], int(named["own"].sum())
    own = f"{time_text(most['own'])} ({100 * most['own'] / whole:.0f} %) in {shorten(str(most['name']), _NAME)} itself"
    return f"The compiler was busy for {time_text(whole)}, {own}."


def rule_place(file: str, line: object) -> str:
    """Return `ops.py:12` of a rule's file and line, with its folder if it is a package; words if it is not known."""
    if not file:
        return "place not in the capture"
    path = PurePosixPath(file)
    whole = f"{path.parent.name}/{path.name}" if path.name == "__init__.py" and path.parent.name else path.name
    name = shorten(whole, _NAME)
    return name if pd.isna(line) else f"{name}:{line}"
