"""The state of the page of trends as a query string, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from components.comparison.trend_places import BY
from schema.metrics import METRICS
from services.trends import DEFAULT_METRIC, FILTERS

DEFAULT_BY = "time"
ANY = "*"
"""What a control holds for any value: an empty one shows nothing."""
_LONGEST = 200


@dataclass(frozen=True)
class TrendsState:
    """What the page of trends shows.

    `metric` is "" for the default one, `by` what runs are placed by; a filter is "" for any value.
    """

    metric: str = ""
    by: str = DEFAULT_BY
    source: str = ""
    hwid: str = ""
    M: str = ""
    K: str = ""
    N: str = ""
    tag: str = ""

    @property
    def filters(self) -> dict[str, str]:
        """Return filter -> the value that is wanted, "" for any."""
        return {name: getattr(self, name) for name in FILTERS}

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        chosen = {"metric": self.metric, "by": "" if self.by == DEFAULT_BY else self.by, **self.filters}
        return urlencode({name: value for name, value in chosen.items() if value})


def parse(query: str) -> TrendsState:
    """Return the state that a query string (with or without `?`) names; what is unknown or malformed is passed over."""
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    return make(dict(parse_qsl(text)))


def make(chosen: Mapping[str, str | None]) -> TrendsState:
    """Return the canonical state of what the page's controls hold, by name."""
    metric, by = chosen.get("metric") or "", chosen.get("by") or ""
    return TrendsState(
        metric=metric if metric in METRICS and metric != DEFAULT_METRIC else "",
        by=by if by in BY else DEFAULT_BY,
        **{name: _filter(chosen.get(name)) for name in FILTERS},
    )


def _filter(value: str | None) -> str:
    return "" if value in (None, ANY) else str(value)[:_LONGEST]
