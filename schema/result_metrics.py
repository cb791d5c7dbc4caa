"""Metrics that come from data: each named number of a file of results is a metric by itself.

The registries of `schema.metrics` and `schema.comparison` name the numbers that Tilescope computes.
A number of a results file has no record there: its key is its record. The key
`result:less:ns:decode%20step` has the direction, the unit and the name, so that every place which
shows, compares or judges a metric gets its record from the key by `find_metric` or
`find_compared`, without a table of names. If unit or direction change, it is another metric, so
that numbers of different meaning are never in one series.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import unquote

from schema.comparison import COMPARED, ComparedMetric
from schema.metrics import METRICS, Metric
from schema.results import LESS, MAX_NAME, MAX_UNIT, MORE

PREFIX = "result:"
EVERY = "results"
"""Name under which a user sets a threshold for all named numbers."""
_UNKNOWN = "unknown"
_POLARITIES = {MORE: 1, LESS: -1, _UNKNOWN: 0}
_PARTS = 4
MAX_KEY = 1_200
"""Maximum characters of a key: escapes take three characters each."""
_CACHED = 16_384
_BYTES_THRESHOLD = 0.005
"""Least relative change of a size in bytes that matters, as that of memory maps."""
_THRESHOLD = 0.05
"""Least relative change of any other named number that matters."""


def result_key(name: str, unit: str, direction: str) -> str:
    """Build the key of a named number, a text without spaces; `direction` is less, more or ""."""
    return f"{PREFIX}{direction or _UNKNOWN}:{_escape(unit, ':')}:{_escape(name)}"


def is_result_key(key: str) -> bool:
    """Whether a text is the key of a named number of a results file."""
    return _parse(key) is not None


def find_metric(name: str) -> Metric | None:
    """Find a metric by its name: of the registry, or a named number by its key; None if it is
    neither.
    """
    return METRICS.get(name) or _parse(name)


def find_compared(name: str) -> ComparedMetric | None:
    """Find a compared metric by its name: of the registry, or a named number by its key; None if it
    is neither.
    """
    return COMPARED.get(name) or _named_compared_metric(name)


@lru_cache(_CACHED)
def _named_compared_metric(key: str) -> ComparedMetric | None:
    metric = _parse(key)
    if metric is None:
        return None
    threshold = _BYTES_THRESHOLD if metric.unit == "bytes" else _THRESHOLD
    # Without a direction no change is better or worse, so that it cannot decide a verdict.
    return ComparedMetric(
        metric, threshold, "samples of the file", is_gate=metric.polarity != 0, is_optional=True
    )


@lru_cache(_CACHED)
def _parse(key: str) -> Metric | None:
    if not key.startswith(PREFIX) or len(key) > MAX_KEY:
        return None
    parts = key.split(":", _PARTS - 1)
    if len(parts) != _PARTS or parts[1] not in _POLARITIES:
        return None
    _, direction, unit, name = parts
    texts = _unescape(unit), _unescape(name)
    if not texts[1] or len(texts[0]) > MAX_UNIT or len(texts[1]) > MAX_NAME:
        return None
    # Each metric has one key: texts that decode to the same metric are not keys.
    if key != result_key(texts[1], texts[0], "" if direction == _UNKNOWN else direction):
        return None
    formula = f"number of this name in a file of results{_better(direction)}"
    return Metric(key, texts[1], formula, texts[0], _POLARITIES[direction])


def _better(direction: str) -> str:
    if direction == _UNKNOWN:
        return "; the file does not tell whether more or less is better"
    return f"; {direction} is better"


def _escape(text: str, also: str = "") -> str:
    """Write spaces, control characters, `%` and the characters in `also` as %XX of UTF-8."""
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        if char in "%" + also or char.isspace() or not char.isprintable()
        else char
        for char in text
    )


def _unescape(text: str) -> str:
    return unquote(text, errors="replace") if "%" in text else text
