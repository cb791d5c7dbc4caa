"""Computation of trends and of the status of rules before a page or alert requests them."""

from __future__ import annotations

import math
from collections.abc import Callable

from schema.metrics import METRICS, Metric
from services.comparison.compare import Load
from services.status.status import StatusCache, lacks_status
from services.trends.cached_trends import keep_trends, lacks_trends, stored_metrics
from services.trends.trends import DEFAULT_METRIC
from storage.catalogue import Catalogue
from storage.repository import Repository
from storage.rules import Rule, Rules

_FEW_RUNS = 2000
"""Trends of fewer runs are not computed ahead: a page judges them within a second."""
_PART_S, _MAX_PART_S = 5.0, 40.0
"""Seconds of comparisons between two calls of `on_part`, and their maximum if parts are too short."""


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


def judge_ahead(
    repository: Repository, on_part: Callable[[], None], load: Load | None = None
) -> None:
    """Compute and store the trends of metrics that were requested before, and the status of all
    rules.

    `on_part` is called before each part, which takes seconds, and may raise to end the work. `load`
    returns a run for comparisons, for example from a cache. Raises StorageError.
    """
    keep_trends(repository.catalogue, _metrics(repository.catalogue), on_part)
    status_cache = StatusCache(repository, load)
    for rule in Rules(repository.catalogue).all():
        _judge_rule(status_cache, rule, on_part)


def _judge_rule(status_cache: StatusCache, rule: Rule, on_part: Callable[[], None]) -> None:
    seconds = _PART_S
    left: float = math.inf
    while left:
        on_part()
        before = left
        left = status_cache.status(rule.name, within_s=seconds).missing
        # Reading the runs of a long key can take a whole part, and would do so for ever.
        seconds = _PART_S if left < before else min(2 * seconds, _MAX_PART_S)


def _metrics(catalogue: Catalogue) -> list[Metric]:
    names = {DEFAULT_METRIC, *stored_metrics(catalogue)}
    return [metric for name, metric in METRICS.items() if name in names]
