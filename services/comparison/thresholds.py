"""Parser of thresholds that a user gives: METRIC=PERCENT."""

from __future__ import annotations

from collections.abc import Sequence

from schema.comparison import COMPARED
from schema.digits import real
from schema.result_metrics import EVERY, find_compared

MAX_PERCENT = 1_000_000
"""Maximum percentage of a threshold."""


def parse_thresholds(texts: Sequence[str]) -> dict[str, float]:
    """Map metrics to the minimum relative change that counts, as a share: `METRIC=5` gives 0.05.
    Empty if `texts` is.

    Raises ValueError if a text is invalid or its metric is not compared.
    """
    metrics = ", ".join(sorted(COMPARED))
    result = {}
    for text in texts:
        # The name of a number of a results file may contain "=".
        name, equals, percent = text.rpartition("=")
        if not equals or not has_threshold(name):
            raise ValueError(
                f"--threshold {text}: expected METRIC=PERCENT, METRIC one of {metrics}, "
                f"{EVERY} for all named numbers, or the key of a named number"
            )
        result[name] = _share(text, percent)
    return result


def has_threshold(name: str) -> bool:
    """Whether a name is that of a compared metric, the key of a named number, or EVERY."""
    return name == EVERY or find_compared(name) is not None


def _share(text: str, percent: str) -> float:
    value = real(percent)
    # NaN, for a text that is not a number, fails this comparison too.
    if not 0 <= value <= MAX_PERCENT:
        raise ValueError(f"--threshold {text}: expected a percentage from 0 to {MAX_PERCENT}")
    return value / 100
