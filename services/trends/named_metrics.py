"""Named numbers of files of results as metrics of trends: the metrics that are offered, and a metric
by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from schema.metrics import METRICS, Metric
from schema.result_metrics import PREFIX, find_metric
from storage.cached_keys import KNOWN
from storage.catalogue import Catalogue
from storage.named_numbers import newest_named_keys

MAX_OFFERED = 500
"""Maximum number of named numbers that a list of metrics offers; an address may name any."""
_NO_FILTERS: Mapping[str, object] = {}
_WITH_NAMED_NUMBERS: Mapping[str, object] = {"named_numbers": KNOWN}


def filters_of(metric: Metric) -> Mapping[str, object]:
    """Return the filters of the runs that may have a number for the metric: for a named number the
    runs with files of results, since reading all runs for each name would take long.
    """
    return _WITH_NAMED_NUMBERS if metric.name.startswith(PREFIX) else _NO_FILTERS


def named_metrics(catalogue: Catalogue) -> tuple[Metric, ...]:
    """List the named numbers of the newest run of each key as metrics, in the order of their files,
    at most 500 (MAX_OFFERED).
    """
    return tuple(_metrics(newest_named_keys(catalogue))[:MAX_OFFERED])


def metrics_named(catalogue: Catalogue, name: str) -> list[Metric]:
    """List the metrics with a name: the metric of the registry, the named number with this key, or
    all named numbers of the newest runs that the files call so.
    """
    metric = find_metric(name)
    if metric is not None:
        return [metric]
    return [each for each in _metrics(newest_named_keys(catalogue)) if each.label == name]


def listed_metrics(
    metric: Metric, found: frozenset[str], catalogue: Catalogue
) -> tuple[Metric, ...]:
    """List the metrics of a page of trends: those of the registry with a name in `found`, the named
    numbers of the newest runs, and `metric` if it is in `found`.
    """
    named = {each.name: each for each in named_metrics(catalogue)}
    if metric.name.startswith(PREFIX) and metric.name in found:
        named.setdefault(metric.name, metric)
    # How many named numbers a run has says nothing about the measured code.
    known = found - {"named_numbers"}
    return (*(each for name, each in METRICS.items() if name in known), *named.values())


def _metrics(keys: Iterable[str]) -> list[Metric]:
    found = (find_metric(key) for key in keys)
    return [metric for metric in found if metric is not None]
