"""Counters of requests, their durations, and the results of uploads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from app.server.shared_counts import COUNTS, Key

_BOUNDS = (0.005, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Upper bounds in seconds of the histogram's buckets; a further bucket has no bound."""
_REQUESTS, _INGESTS, _SECONDS, _SUM = "requests", "ingests", "seconds", "seconds sum"
"""First items of the counters' keys."""


def count_request(method: str, route: str, status: int) -> None:
    """Count a request in the metrics by method, route and status code."""
    COUNTS.add((_REQUESTS, method, route, str(status)))


def count_seconds(route: str, seconds: float) -> None:
    """Add a request's duration in seconds to the histogram of its route."""
    COUNTS.add((_SECONDS, route, str(bisect_left(_BOUNDS, seconds))))
    COUNTS.add((_SUM, route), seconds)


def count_ingest(status: str, times: int = 1) -> None:
    """Count `times` files or runs of an upload by status: new, updated, unchanged or skipped."""
    if times:
        COUNTS.add((_INGESTS, status), times)


class RequestMetrics(Collector):
    """Metrics of requests and uploads, added up over all processes of this server."""

    def collect(self) -> Iterator[Metric]:
        """Yield the current values: counter of requests, histogram of their seconds, counter of
        ingests.
        """
        totals = COUNTS.totals()
        requests = CounterMetricFamily(
            "tilescope_http_requests",
            "Handled requests.",
            labels=["method", "route", "status"],
        )
        ingests = CounterMetricFamily(
            "tilescope_ingests", "Runs and files ingested by requests.", labels=["status"]
        )
        for (kind, *labels), value in totals.items():
            if kind in (_REQUESTS, _INGESTS):
                (requests if kind == _REQUESTS else ingests).add_metric(labels, value)
        yield from (requests, _histogram(totals), ingests)


def _histogram(totals: Counter[Key]) -> Metric:
    """Build the histogram of request durations (s) by route, with cumulative counts per bucket."""
    family = HistogramMetricFamily(
        "tilescope_http_request_seconds",
        "Seconds from a complete request to its response.",
        labels=["route"],
    )
    names = [*map(str, _BOUNDS), "+Inf"]
    for kind, *rest in totals:
        if kind == _SUM:
            route = rest[0]
            counted = accumulate(
                totals[_SECONDS, route, str(bucket)] for bucket in range(len(names))
            )
            family.add_metric([route], [*zip(names, counted, strict=True)], totals[_SUM, route])
    return family
