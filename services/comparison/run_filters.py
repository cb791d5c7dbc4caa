"""What narrows the runs of a trend: values of filters, and how many runs each of them leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from storage.listed_run import run_texts
from storage.run_query import search_words
from storage.run_values import RunValues

FILTERS = ("source", "hwid", "M", "K", "N", "tag")
"""What narrows the runs, by the name that it has in addresses."""


def select_runs(runs: Iterable[RunValues], filters: Mapping[str, object]) -> list[RunValues]:
    """Return the runs that fit values of FILTERS; "" and None are any."""
    wanted = _wanted(filters)
    return [one for one in runs if not _misfits(one, wanted)]


def search_runs(runs: Iterable[RunValues], text: str) -> list[RunValues]:
    """Return the captures that all words of a text fit, as the search of the list of runs has it.

    A word is part of a name, hwid, tag, file, tile, grid and the like, or begins the commit.
    """
    words = search_words(text)
    return [one for one in runs if _has_words(one, words)] if words else [*runs]


def _has_words(one: RunValues, words: Sequence[str]) -> bool:
    texts = " ".join([*run_texts(one.run), *one.tags]).lower()
    commit = str(one.run["commit"]).lower()
    return all(word in texts or commit.startswith(word) for word in words)


def _wanted(filters: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in filters.items() if value not in (None, "")}


def _misfits(one: RunValues, wanted: Mapping[str, str]) -> list[str]:
    """Return the filters that a run does not fit."""
    return [name for name, value in wanted.items() if value not in _values_of(one, name)]


def _values_of(one: RunValues, name: str) -> Iterable[str]:
    """Return the values that a run has for a filter, as text."""
    if name == "tag":
        return one.tags
    value = one.run[name]
    return () if value is None or value == "" else (str(value),)


def count_choices(
    runs: Sequence[RunValues], valued: Sequence[RunValues], filters: Mapping[str, object]
) -> dict[str, dict[str, int]]:
    """Return filter -> the values that it has, numbers by size -> how many runs they leave."""
    wanted = _wanted(filters)
    counts: dict[str, Counter[str]] = {name: Counter() for name in FILTERS}
    for one in valued:
        misfits = _misfits(one, wanted)
        for name in FILTERS if not misfits else misfits if len(misfits) == 1 else ():
            counts[name].update(_values_of(one, name))
    every = {name: {value for one in runs for value in _values_of(one, name)} for name in FILTERS}
    return {name: {value: counts[name][value] for value in sorted(every[name], key=_rank)} for name in FILTERS}


def _rank(value: str) -> tuple[int, str]:
    return (len(value) if value.isdecimal() else 0, value)
