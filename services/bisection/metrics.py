"""Metrics of bisections: of the registry, or a named number of a file of results."""

from __future__ import annotations

from collections.abc import Sequence

from schema.metrics import METRICS, Metric
from schema.result_metrics import PREFIX, find_metric
from services.bisection.errors import BisectionError
from storage.repository import Repository

_MAX_NAMED = 10
"""Maximum number of names in an error."""


def numbers_of_run(repository: Repository, run_id: str) -> list[Metric]:
    """List the named numbers of a run in the order of its file; raises RunNotFound."""
    keys = [key for key in repository.find_run(run_id).headline if key.startswith(PREFIX)]
    return [metric for metric in map(find_metric, keys) if metric is not None]


def choose_metric(name: str, numbers: Sequence[Metric]) -> str:
    """Return the metric with a name: of the registry, a named number by its key, or the number of
    the run, of `numbers`, that its file calls so.

    Raises BisectionError if there is no such metric, or if several numbers have the name.
    """
    if find_metric(name) is not None:
        return name
    alike = [metric.name for metric in numbers if metric.label == name]
    if len(alike) > 1:
        raise BisectionError(f"several numbers have the name {name}: give one of {_list(alike)}")
    if not alike:
        names = _list([*METRICS, *(metric.label for metric in numbers)], len(METRICS) + _MAX_NAMED)
        raise BisectionError(f"unknown metric {name}: expected one of {names}")
    return alike[0]


def only_number(numbers: Sequence[Metric]) -> str:
    """Return the metric of a run that has a single number with a direction; raises BisectionError
    if there are none or several.
    """
    directed = [metric for metric in numbers if metric.polarity]
    if len(directed) == 1:
        return directed[0].name
    if not directed:
        raise BisectionError("no run of the key has a metric that decides verdicts: give --metric")
    names = _list([metric.label for metric in directed])
    raise BisectionError(f"the run has several numbers: give --metric, one of {names}")


def metric_of(name: str) -> Metric:
    """Return the metric of a stored bisection; raises BisectionError if it is unknown, such as in a
    store that a later release wrote.
    """
    metric = find_metric(name)
    if metric is None:
        raise BisectionError(f"unknown metric {name}")
    return metric


def _list(names: Sequence[str], limit: int = _MAX_NAMED) -> str:
    more = ", ..." if len(names) > limit else ""
    return f"{', '.join(names[:limit])}{more}"
