"""The state of the page of trends; how its fields are declared says how an address has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import OneOf, Text, Words
from components.comparison.trend_places import BY
from schema.metrics import METRICS
from services.trends.run_filters import FILTERS
from services.trends.trends import DEFAULT_METRIC

DEFAULT_BY = "time"
ANY = "*"
"""What a control holds for any value: an empty one shows nothing."""
_FILTER = Text(200, nothing=ANY)


@dataclass(frozen=True)
class TrendsState(Addressed):
    """What the page of trends shows.

    `metric` is "" for the default one, `by` what runs are placed by; a filter is "" for any value. All words of `q` fit
    the runs; `rule` names the baseline rule whose verdicts are drawn on the points, "" for none.
    """

    safe = ""

    metric: str = param(OneOf(METRICS.keys() - {DEFAULT_METRIC}), "")
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
        """Return filter -> the value that is wanted, "" for any."""
        return {name: getattr(self, name) for name in FILTERS}


def parse(query: str) -> TrendsState:
    """Return the state that a query string (with or without `?`) names; what is unknown or malformed is passed over."""
    return parse_query(TrendsState, query)


def make(chosen: Mapping[str, str | None]) -> TrendsState:
    """Return the canonical state of what the page's controls hold, by name."""
    return read_state(TrendsState, [(name, "" if value is None else str(value)) for name, value in chosen.items()])
