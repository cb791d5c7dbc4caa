"""`GET /metrics`: counters and times of all processes of this server, in Prometheus format."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

from flask import Flask, Response, g, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.context import AppContext
from app.server.request_metrics import RequestMetrics, count_request, count_seconds
from app.server.store_metrics import StoreMetrics
from schema.sources import SOURCES
from services.store.backups import backup_state
from storage.errors import StorageError
from storage.run_list import RunList

_ELSEWHERE = "other"
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
"""Methods that get a time series of their own.

A client may send any word as its method, and each word would be a new series that never ends.
"""


class _CatalogueMetrics(Collector):
    """Metrics of the catalogue, read at each scrape."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def collect(self) -> Iterator[Metric]:
        """Yield number of runs and of captures without GMAC/s, both only if the catalogue is
        reachable, and whether it is (1 or 0).
        """
        captures = [source.name for source in SOURCES if "iterations" in source.derives]
        try:
            runs: int | None = self._context.repository.count()
            bare = RunList(self._context.repository.catalogue).count_without("gmacs_mean", captures)
        except StorageError:
            runs = None
        if runs is not None:
            yield GaugeMetricFamily("tilescope_runs", "Runs in the catalogue.", runs)
            yield GaugeMetricFamily(
                "tilescope_runs_without_main_number", "Captures without GMAC/s.", bare
            )
        yield GaugeMetricFamily(
            "tilescope_storage_up", "1 if the catalogue responds.", float(runs is not None)
        )


class _BackupMetrics(Collector):
    """Metrics of scheduled backups.

    Empty if no backup target is set or the catalogue is unreachable.
    """

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def collect(self) -> Iterator[Metric]:
        """Yield gauges of the last success: time (s since 1970, 0: never), size in bytes, problems;
        then the interval (s) and a counter of failures.
        """
        plan = self._context.settings.backup_plan()
        if not plan.to:
            return
        try:
            state = backup_state(self._context.repository.catalogue, plan)
        except StorageError:
            return
        last = datetime.fromisoformat(state.last_at).timestamp() if state.last_at else 0.0
        for name, meaning, value in (
            (
                "last_success_timestamp_seconds",
                "Start time of the last complete backup, 0: never.",
                last,
            ),
            ("last_size_bytes", "Size of the last complete backup.", state.size or 0),
            (
                "last_problems",
                "Damaged frames in the last complete backup.",
                state.problems or 0,
            ),
            (
                "interval_seconds",
                "Seconds between two scheduled backups, 0: on request.",
                plan.every_s,
            ),
        ):
            yield GaugeMetricFamily(f"tilescope_backup_{name}", meaning, value)
        yield CounterMetricFamily(
            "tilescope_backup_failures", "Backups that failed.", state.failures
        )


def register(server: Flask, context: AppContext) -> None:
    """Count every request with its time, and add the route `/metrics`."""

    @server.before_request
    def begin() -> None:
        g.tilescope_metrics_began = time.perf_counter()

    @server.after_request
    def end(response: Response) -> Response:
        route = request.url_rule.rule if request.url_rule else _ELSEWHERE
        method = request.method if request.method in _METHODS else _ELSEWHERE
        count_request(method, route, response.status_code)
        began = g.get("tilescope_metrics_began")
        if began is not None:
            count_seconds(route, time.perf_counter() - began)
        return response

    @server.get("/metrics")
    def metrics() -> Response:
        # A registry per request: the values come from shared memory and the catalogue each time.
        registry = CollectorRegistry()
        registry.register(RequestMetrics())
        registry.register(_CatalogueMetrics(context))
        registry.register(_BackupMetrics(context))
        registry.register(StoreMetrics(context))
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
