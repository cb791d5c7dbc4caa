"""Computation of trends and of the status of rules before a page or alert requests them."""

from __future__ import annotations

from collections.abc import Callable

from schema.metrics import METRICS, Metric
from services.status.status import StatusCache, lacks_status
from services.trends.cached_trends import keep_trends, lacks_trends, stored_metrics
from services.trends.trends import DEFAULT_METRIC
from storage.catalogue import Catalogue
from storage.repository import Repository
from storage.rules import Rules

_FEW_RUNS = 2000
"""Trends of fewer runs are not computed ahead: a page judges them within a second."""
_PART_S = 5.0
"""Seconds of comparisons between two calls of `on_part`."""


def lacks_results(catalogue: Catalogue) -> bool:
    """Whether results are missing that can be computed ahead: the status of a rule, or trends if
    there are at least _FEW_RUNS (2,000) runs. False without a catalogue.
    """
    if not catalogue.is_created():
        return False
    if any(lacks_status(catalogue, rule) for rule in Rules(catalogue).all()):
        return True
    return catalogue.count() >= _FEW_RUNS and any(
        lacks_trends(catalogue, metric) for metric in _metrics(catalogue)
    )


def judge_ahead(repository: Repository, on_part: Callable[[], None]) -> None:
    """Compute and store the trends of metrics that were requested before, and the status of all
    rules.

    `on_part` is called before each part, which takes seconds, and may raise to end the work. Raises
    StorageError.
    """
    keep_trends(repository.catalogue, _metrics(repository.catalogue), on_part)
    status_cache = StatusCache(repository)
    for rule in Rules(repository.catalogue).all():
        left = None
        while left != 0:
            on_part()
            left = status_cache.status(rule.name, within_s=_PART_S).missing


def _metrics(catalogue: Catalogue) -> list[Metric]:
    names = {DEFAULT_METRIC, *stored_metrics(catalogue)}
    return [metric for name, metric in METRICS.items() if name in names]
