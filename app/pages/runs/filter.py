"""Which runs a state of the runs page covers, and how many each facet value would."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from app.pages.runs.state import FACETS, Range, RunsState

_SEARCHED = ("name", "source", "hwid", "tags", "file", "run_id")


def gemm_size(runs: pd.DataFrame) -> pd.Series:
    """Return M*K*N as float64; NaN where a run has no GEMM."""
    sizes = [runs[column].astype("Float64") for column in ("M", "K", "N")]
    return (sizes[0] * sizes[1] * sizes[2]).astype("float64")


def matching(runs: pd.DataFrame, state: RunsState) -> pd.DataFrame:
    """Return the rows of the catalogue's listing that the state covers."""
    return runs[_mask(runs, state, FACETS)]


def facet_counts(runs: pd.DataFrame, state: RunsState) -> dict[str, list[tuple[str, int]]]:
    """Return facet -> (value, runs under the other filters), every value of the catalogue and every chosen one."""
    return {facet: _counts(runs, state, facet) for facet in FACETS}


def _counts(runs: pd.DataFrame, state: RunsState, facet: str) -> list[tuple[str, int]]:
    values = _as_text(runs[facet])
    others = _mask(runs, state, [other for other in FACETS if other != facet])
    counts = values[others].value_counts().to_dict()
    known = set(values) | set(state.chosen(facet))
    return [(value, int(counts.get(value, 0))) for value in sorted(known, key=_rank)]


def _rank(value: str) -> tuple[bool, int, str]:
    """Sort numbers by size, then text, then the missing value."""
    return (not value, int(value) if value.isdecimal() else 2**63, value)


def _as_text(column: pd.Series) -> pd.Series:
    return column.astype("str").fillna("")


def _mask(runs: pd.DataFrame, state: RunsState, facets: Iterable[str]) -> pd.Series:
    mask = _found(runs, state.q)
    for facet in facets:
        if state.chosen(facet):
            mask &= _as_text(runs[facet]).isin(state.chosen(facet))
    mask &= _within(gemm_size(runs), state.size)
    return mask & _within(runs["gmacs_mean"], state.rate)


def _found(runs: pd.DataFrame, q: str) -> pd.Series:
    """Return which rows have every word of the search somewhere in their text."""
    mask = pd.Series(True, index=runs.index)
    if q and len(runs):
        text = _as_text(runs[_SEARCHED[0]])
        for column in _SEARCHED[1:]:
            text = text + " " + _as_text(runs[column])
        text = text.str.lower()
        for word in q.lower().split():
            mask &= text.str.contains(word, regex=False).astype(bool)
    return mask


def _within(values: pd.Series, span: Range | None) -> pd.Series:
    if span is None:
        return pd.Series(True, index=values.index)
    return values.between(*span).astype(bool)
