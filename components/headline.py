"""Texts of a run's headline: what the list of runs and the page of the run show."""

from __future__ import annotations

from components.counts import with_unit
from components.numbers import DASH, excess_percent, in_unit, integer
from schema.headlines import HEADLINE_KINDS, NO_HEADLINE, RunHeadline
from schema.metrics import METRICS

_EXACT_UNITS = {"bytes": "B", "ns": "ns"}
"""Units whose texts are rounded -> unit of the exact number in the tooltip."""


def headline_text(headline: RunHeadline | None) -> str:
    """Format a headline: number, unit and the detail with its base, such as `237 GMAC/s · 74.4 % of
    peak`; a dash without a headline.
    """
    if headline is None:
        return DASH
    kind = HEADLINE_KINDS[headline.kind]
    parts = [_with_unit(headline.value, headline.unit), kind.words]
    number = " ".join(filter(None, parts))
    if headline.detail is None:
        return number
    # A gap that is rounded to 0.0 % would look closed.
    write = excess_percent if kind.detail.is_excess else None
    detail = write(headline.detail) if write else in_unit(headline.detail, headline.detail_unit)
    return f"{number} · {detail} {headline.detail_of}"


def headline_help(headline: RunHeadline | None) -> str:
    """Explain a headline for its tooltip, a line each: metrics with formula and exact value."""
    if headline is None:
        return NO_HEADLINE
    metric = METRICS[headline.metric]
    lines = [f"{metric.label}: {metric.formula}{_exact(headline.value, headline.unit)}"]
    if headline.detail is not None:
        exact = _exact(headline.detail, headline.detail_unit)
        lines.append(f"{HEADLINE_KINDS[headline.kind].detail.help}{exact}")
    return "\n".join(lines)


def _with_unit(value: float, unit: str) -> str:
    return with_unit(in_unit(value, unit), unit)


def _exact(value: float, unit: str) -> str:
    return f"; {integer(value)} {_EXACT_UNITS[unit]}" if unit in _EXACT_UNITS else ""
