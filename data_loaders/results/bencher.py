"""Reader of Bencher Metric Format (BMF): benchmark -> measure -> `value` with optional bounds.

The format has no units; the units of Bencher's built-in measures are part of its definition. Source:
https://bencher.dev/docs/reference/bencher-metric-format, bencher.dev/bmf.json.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from data_loaders.results.content import as_object, read_json
from data_loaders.results.facts import FileFacts
from data_loaders.results.numbers import NumberCollector
from schema.results import LESS, MORE

_TEXT = rb'"(?:[^"\\\x00-\x1f]|\\.){0,2000}"'
_MEMBER = rb"\{", _TEXT, rb":"
_VALUE = rb"\{", rb'"(?:value|lower_value|upper_value)"', rb":", rb"-?[0-9]"
_START = re.compile(rb"\s{0,200}".join((rb"\A(?:\xef\xbb\xbf)?", *_MEMBER, *_MEMBER, *_VALUE)))
_MEASURES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "latency": ("ns", LESS),
        "throughput": ("operations/s", MORE),
        "build-time": ("s", LESS),
        "file-size": ("bytes", LESS),
    }
)
"""Slug of a built-in measure -> its unit and direction."""
_IGNORED = "-bencher-ignore"
"""End of a benchmark's name that only suppresses alerts of Bencher."""


def is_bencher(head: bytes) -> bool:
    """Whether a file begins like BMF: three nested objects, the innermost with a `value`."""
    return _START.match(head) is not None


def read_bencher(path: Path, numbers: NumberCollector) -> FileFacts:
    """Read the measures of all benchmarks of a file, in its order; bounds are left out."""
    for benchmark, measures in as_object(read_json(path)).items():
        for measure, metric in as_object(measures).items():
            value = as_object(metric).get("value")
            unit, direction = _MEASURES.get(measure, ("", ""))
            name = f"{benchmark.removesuffix(_IGNORED)} {measure}"
            values = [] if value is None else [value]
            numbers.add(name, values, unit, direction, place=f"benchmark {benchmark[:60]!r}")
    return FileFacts("bencher")
