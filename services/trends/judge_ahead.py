"""What trends and the status of rules need of all keys, worked out before anybody asks."""

from __future__ import annotations

from collections.abc import Callable

from schema.metrics import METRICS, Metric
from services.status.status import StatusAnswers, lacks_status
from services.trends.kept_trends import keep_trends, kept_metrics, lacks_trends
from services.trends.trends import DEFAULT_METRIC
from storage.catalogue import Catalogue
from storage.repository import Repository
from storage.rules import Rules

_FEW_RUNS = 2000
"""Judged within a second when a page asks for them."""
_PART_S = 5.0


def lacks_answers(catalogue: Catalogue) -> bool:
    """Return whether a page or an alert would have to wait for answers that can be worked out ahead."""
    if not catalogue.is_created():
        return False
    if any(lacks_status(catalogue, rule) for rule in Rules(catalogue).all()):
        return True
    return catalogue.count() >= _FEW_RUNS and any(lacks_trends(catalogue, one) for one in _metrics(catalogue))


def judge_ahead(repository: Repository, on_part: Callable[[], None]) -> None:
    """Work out and keep what trends of the metrics asked for before, and the status of all rules, need.

    `on_part` is called before each part, which takes seconds, and may raise. Raises StorageError.
    """
    keep_trends(repository.catalogue, _metrics(repository.catalogue), on_part)
    answers = StatusAnswers(repository)
    for rule in Rules(repository.catalogue).all():
        left = None
        while left != 0:
            on_part()
            left = answers.status(rule.name, within_s=_PART_S).missing


def _metrics(catalogue: Catalogue) -> list[Metric]:
    names = {DEFAULT_METRIC, *kept_metrics(catalogue)}
    return [metric for name, metric in METRICS.items() if name in names]
