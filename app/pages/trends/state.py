"""The view state of the trends page; the declarations of its fields define its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kind import TextKind
from app.views.address.kinds import OneOf, Text, Words
from components.comparison.trend_places import BY
from schema.result_metrics import find_metric
from services.trends.run_filters import FILTERS
from services.trends.trends import DEFAULT_METRIC

DEFAULT_BY = "time"
ANY = "*"
"""Value of a control for any: an empty value would show an empty label."""
_FILTER = Text(200, nothing=ANY)


@dataclass(frozen=True)
class _MetricName(TextKind[str]):
    """The name of a metric of the registry other than the default, or the key of a named number."""

    def read(self, text: str) -> str | None:
        """Return the text if it names such a metric, else None."""
        return text if text != DEFAULT_METRIC and find_metric(text) is not None else None


@dataclass(frozen=True)
class TrendsState(Addressed):
    """The view state of the trends page.

    `metric` is "" for the default metric, `by` the x axis; a filter is "" for any value. The runs
    match all words of `q`. `rule` is the baseline rule that the verdicts on the points come from,
    "" for no rule.
    """

    safe = ""

    metric: str = param(_MetricName(), "")
    by: str = param(OneOf(BY), DEFAULT_BY)
    source: str = param(_FILTER, "")
    hwid: str = param(_FILTER, "")
    M: str = param(_FILTER, "")
    K: str = param(_FILTER, "")
    N: str = param(_FILTER, "")
    tag: str = param(_FILTER, "")
    q: str = param(Words(200), "")
    rule: str = param(_FILTER, "")

    @property
    def filters(self) -> dict[str, str]:
        """Filters of the state, name -> the required value, "" for any."""
        return {name: getattr(self, name) for name in FILTERS}


def parse(query: str) -> TrendsState:
    """Parse a query string, with or without `?`; unknown and malformed fields are ignored."""
    return parse_query(TrendsState, query)


def make(chosen: Mapping[str, str | None]) -> TrendsState:
    """Build the state from the values of the page's controls, by name; invalid values become the
    default.
    """
    return read_state(
        TrendsState, [(name, "" if value is None else str(value)) for name, value in chosen.items()]
    )
