"""Texts of a run's headline: what the list of runs and the page of the run show."""

from __future__ import annotations

from components.counts import with_unit
from components.metric_text import value_in_unit
from components.numbers import DASH, count_text, excess_percent, in_unit, integer, shorten, tame
from schema.headlines import HEADLINE_KINDS, NO_HEADLINE, RATE, RESULTS, UNPLACED, RunHeadline
from schema.impossible import explain_impossible
from schema.result_metrics import find_metric

_MAX_NAME_LENGTH = 48
_EXACT_UNITS = {"bytes": "B", "ns": "ns"}
"""Units whose texts are rounded -> unit of the exact number in the tooltip."""


def headline_text(headline: RunHeadline | None) -> str:
    """Format a headline: number, unit and the detail with its base, such as `237 GMAC/s · 74.4 % of
    peak`; a dash without a headline. A rate above the peak begins with "impossible:", and blocks
    that are not placed are counted at the end.
    """
    if headline is None:
        return DASH
    if headline.kind == RESULTS:
        return _named_text(headline)
    kind = HEADLINE_KINDS[headline.kind]
    parts = [_with_unit(headline.value, headline.unit), kind.words]
    number = " ".join(filter(None, parts))
    detail = _detail_text(headline)
    if headline.impossible and headline.kind == RATE:
        number = f"impossible: {number}"
    elif headline.impossible:
        detail = f"impossible: {detail}"
    unplaced = f"{count_text(headline.unplaced, 'block')} not placed" if headline.unplaced else ""
    return " · ".join(filter(None, [number, detail, unplaced]))


def _detail_text(headline: RunHeadline) -> str:
    if headline.detail is None:
        return ""
    detail_kind = HEADLINE_KINDS[headline.kind].detail
    # A gap that is rounded to 0.0 % would look closed.
    write = excess_percent if detail_kind.is_excess else None
    detail = write(headline.detail) if write else in_unit(headline.detail, headline.detail_unit)
    return f"{detail} {headline.detail_of}"


def headline_help(headline: RunHeadline | None) -> str:
    """Explain a headline for its tooltip, a line each: metrics with formula and exact value."""
    if headline is None:
        return NO_HEADLINE
    metric = find_metric(headline.metric)
    if metric is None:
        return NO_HEADLINE
    lines = [f"{tame(metric.label)}: {metric.formula}{_exact(headline.value, headline.unit)}"]
    if headline.detail is not None and headline.kind != RESULTS:
        exact = _exact(headline.detail, headline.detail_unit)
        lines.append(f"{HEADLINE_KINDS[headline.kind].detail.help}{exact}")
    if headline.impossible:
        lines.append(explain_impossible(HEADLINE_KINDS[headline.kind].detail.metric))
    if headline.unplaced:
        lines.append(UNPLACED)
    return "\n".join(lines)


def _named_text(headline: RunHeadline) -> str:
    """Format the first named number of a file of results, such as `3.20 ms decode step · first of
    24 numbers`.
    """
    metric = find_metric(headline.metric)
    name = "" if metric is None else shorten(metric.label, _MAX_NAME_LENGTH)
    text = f"{value_in_unit(headline.value, headline.unit)} {name}"
    return (
        text
        if headline.detail is None
        else f"{text} · first of {count_text(headline.detail, 'number')}"
    )


def _with_unit(value: float, unit: str) -> str:
    return with_unit(in_unit(value, unit), unit)


def _exact(value: float, unit: str) -> str:
    return f"; {integer(value)} {_EXACT_UNITS[unit]}" if unit in _EXACT_UNITS else ""
